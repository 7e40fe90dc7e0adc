import { Client, types } from 'pg';
import type { Host, Location } from '../address/location.ts';
import { passwordIn } from '../address/password-file.ts';
import { tlsOptions } from '../address/tls.ts';
import { asOfDriver } from '../errors/errors.ts';

/** The driver's client of a host: pg.Pool makes one for each connection. */
export class StoreClient extends Client {
  constructor(host: Host, location: Location) {
    const { tls } = location;
    const ssl = tlsOptions(tls, host.host);
    // An attacker in between could be a server that does not bind the log-in to its certificate: if that is demanded, it gets no
    // password, and one that lets in without it no statement.
    let isOffered = false;
    let isBound = false;
    const requireBinding = (isThere: boolean) => {
      if (tls.binding === 'require' && !isThere) throw asOfDriver('NOT_BOUND');
    };
    super({
      host: host.address ?? host.host,
      port: host.port,
      database: location.database,
      user: location.user,
      // Asked for only if the server wants a password.
      password: () => {
        requireBinding(isOffered);
        return passwordFor(host, location);
      },
      application_name: location.applicationName,
      ...(location.options !== undefined && { options: location.options }),
      ssl,
      // Otherwise the driver would read the environment.
      sslnegotiation: ssl && tls.isDirect ? 'direct' : 'postgres',
      enableChannelBinding: ssl !== false && tls.binding !== 'disable',
      // A statement may be sent before the last one is answered; one without an answer ends its connection.
      pipeline: true,
      keepAlive: location.keepsAlive,
      keepAliveInitialDelayMillis: location.keepAliveIdleMs,
      types: { getTypeParser },
    });

    const { connection } = this;
    connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: readonly string[] }) => {
      isOffered = mechanisms.includes('SCRAM-SHA-256-PLUS');
    });
    connection.on('authenticationSASLFinal', () => {
      isBound = isOffered;
    });
    connection.on('authenticationOk', () => {
      try {
        requireBinding(isBound);
      } catch (thrown) {
        connection.emit('error', thrown);
      }
    });
    // The pool forgets a client that could not connect, and leaves its socket open.
    connection.on('error', () => connection.stream.destroy());
  }
}

function passwordFor(host: Host, location: Location): string {
  const password = location.password ?? filedPassword(host, location);
  if (password === undefined || password === '') throw asOfDriver('NO_PASSWORD');
  return password;
}

function filedPassword(host: Host, { passwordFile, database, user }: Location): string | undefined {
  return passwordFile && passwordIn(passwordFile, { ...host, database, user });
}

const int8Oid = 20;
const numericOid = 1700;

/** Whole numbers of eight bytes and decimals are numbers here: none of ours exceeds 53 bits. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  const isNumber = oid === int8Oid || oid === numericOid;
  if (isNumber && format !== 'binary') return Number;
  return types.getTypeParser(oid, format as 'text'); // the driver's types name each format by itself
}
