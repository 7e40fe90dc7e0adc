import { userInfo } from 'node:os';
import { join } from 'node:path';
import { splitPassword } from '../../../core/store-address.ts';
import { wrongAddress } from '../errors/errors.ts';
import { type Environment, isParameter, readParameters, shownName } from './parameters.ts';
import { readTls } from './tls.ts';

/** A host by name or address, or the folder of a Unix socket, which begins with a slash. */
export interface Host {
  host: string;
  port: number;
  /** The address to connect to, without asking a name server; the certificate is that of `host`. */
  address?: string;
}

export type Location = ReturnType<typeof parseLocation>;

export const usualSchema = 'hkctl';

const defaultPort = 5432;
const mostTimeoutSeconds = 3600;

/**
 * Reads an address as `psql` does, except that TLS is verified unless asked otherwise: the address first, then its service,
 * then the variables PGHOST, PGPORT and so on. Throws `usage` (exit 2), without repeating a password.
 */
export function parseLocation(address: string, env: Environment) {
  const addressParts = partsOf(withPassword(address, env));
  const parameters = readParameters(addressParts, env);
  const userName = parameters.user ?? ownAccount();
  const hosts = hostsOf(parameters);
  const isSocket = hosts.every(({ host }) => host.startsWith('/'));
  const database = parameters.dbname ?? userName;
  const schema = parameters.schema ?? usualSchema;
  const target = parameters.target_session_attrs ?? 'read-write';

  if (!/^(read-write|primary|any)$/.test(target)) {
    throw wrongAddress(
      'target_session_attrs must be read-write, primary or any, since a store is written',
    );
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || /^(pg_|information_schema$)/.test(schema)) {
    throw wrongAddress(
      'its schema must be a name of small letters, digits and _, and not of PostgreSQL itself',
    );
  }

  const usualPasswordFile = env.HOME ? join(env.HOME, '.pgpass') : undefined;
  // 0 is without limit.
  const timeoutSeconds = Number(parameters.connect_timeout ?? 5) || mostTimeoutSeconds;
  return {
    hosts,
    database,
    user: userName,
    password: parameters.password,
    /** The file of libpq in which a password is looked up if none is given. */
    passwordFile: parameters.passfile ?? usualPasswordFile,
    schema,
    tls: readTls(parameters, isSocket, env.HOME),
    /** Which of several servers will do; only these exist here, since a store is written. */
    target: target === 'any' ? 'any' : 'read-write',
    applicationName: parameters.application_name ?? parameters.fallback_application_name ?? 'hkctl',
    /** Options for the server, such as `-c statement_timeout=10s`. */
    options: parameters.options,
    connectTimeoutMs: Math.min(timeoutSeconds, mostTimeoutSeconds) * 1000,
    /** Whether the system probes a silent connection, and after how long, so that no firewall forgets it; 0 = as the system does. */
    keepsAlive: parameters.keepalives !== '0',
    keepAliveIdleMs: Number(parameters.keepalives_idle ?? 30) * 1000,
    /** The address as it may be shown: without a password. */
    shown: shownAddress(hosts, isSocket, database, schema),
  };
}

/** The address as HKCTL_STORE has it, with the password that is left out wherever the address is passed on. */
function withPassword(address: string, env: Environment): string {
  const wholeAddress = env.HKCTL_STORE ?? '';
  return splitPassword(wholeAddress).address === address ? wholeAddress : address;
}

/** The login that libpq uses if none is given: the account that runs this process. */
function ownAccount(): string {
  try {
    return userInfo().username;
  } catch {
    // A uid without an entry in the account database, as in containers.
    throw wrongAddress('it names no user, and this account has no name');
  }
}

function shownAddress(
  hosts: readonly Host[],
  isSocket: boolean,
  database: string,
  schema: string,
): string {
  const queryPairs: string[] = [];
  if (isSocket) {
    const { host, port } = hosts[0] ?? { host: '', port: defaultPort };
    queryPairs.push(`host=${host}`);
    if (port !== defaultPort) queryPairs.push(`port=${port}`);
  }
  if (schema !== usualSchema) queryPairs.push(`schema=${schema}`);

  const authority = isSocket ? '' : hosts.map(hostText).join(',');
  const queryPart = queryPairs.length === 0 ? '' : `?${queryPairs.join('&')}`;
  return `postgres://${authority}/${encodeURIComponent(database)}${queryPart}`;
}

function hostText({ host, port }: Host): string {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  return port === defaultPort ? bracketed : `${bracketed}:${port}`;
}

/** The parts of an address by libpq's names. WHATWG's URL cannot read several hosts, nor the folder of a socket. */
function partsOf(address: string): Record<string, string> {
  const match =
    /^postgres(?:ql)?:\/\/(?:([^/?#:]*)(?::([^/?#]*))?@)?([^/?#@]*)(?:\/([^?#/]*))?(?:\?([^#]*))?$/i.exec(
      address,
    );
  if (!match)
    throw wrongAddress('it is not of the form postgres://USER@HOST:PORT/DATABASE?NAME=VALUE');
  const [, user = '', password = '', hosts = '', dbname = '', query = ''] = match;

  const splitHosts = hosts.split(',').map(splitHost);
  const hostNames = splitHosts.map(([host]) => host);
  const ports = splitHosts.map(([, port]) => port);
  const hasPorts = ports.some((port) => port !== '');

  const queryTexts = query === '' ? [] : query.split('&');
  const queryPairs = queryTexts.map((pairText) => pairText.split(/=(.*)/, 2));
  for (const [parameterName = ''] of queryPairs)
    if (!isParameter(parameterName))
      throw wrongAddress(`${shownName(parameterName)} is an unknown parameter`);

  const partsByName = [
    ['user', user],
    ['password', password],
    ['host', hostNames.join(',')],
    ['port', hasPorts ? ports.join(',') : ''],
    ['dbname', dbname],
    ...queryPairs,
  ];
  return Object.fromEntries(
    partsByName.flatMap(([parameterName, encodedValue]) =>
      parameterName && encodedValue ? [[parameterName, decodeValue(encodedValue)]] : [],
    ),
  );
}

function splitHost(hostAndPort: string): [host: string, port: string] {
  const match = /^(\[[^\]]*\]|[^:[\]\s]*)(?::(\d*))?$/.exec(hostAndPort);
  if (!match) throw wrongAddress('a host or port in it is malformed');
  const [, bracketedHost = '', port = ''] = match;
  return [bracketedHost.replace(/^\[|\]$/g, ''), port];
}

function decodeValue(encodedValue: string): string {
  let decodedValue: string;
  try {
    decodedValue = decodeURIComponent(encodedValue);
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw wrongAddress('a % in it does not begin two hexadecimal digits');
    throw thrown;
  }
  // NUL ends a name in PostgreSQL's protocol, and a line break would be shown.
  if (/\p{Cc}/u.test(decodedValue)) throw wrongAddress('it contains a control character');
  return decodedValue;
}

function hostsOf(parameters: Readonly<Record<string, string>>): Host[] {
  const addresses = parameters.hostaddr?.split(',');
  const hostNames = parameters.host?.split(',') ?? addresses ?? ['/var/run/postgresql'];
  if (addresses && addresses.length !== hostNames.length)
    throw wrongAddress('it has not as many addresses as hosts');
  const ports = parameters.port?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== hostNames.length)
    throw wrongAddress('it has not as many ports as hosts');

  return hostNames.map((hostName, index) => {
    const namedPort = ports.length === 1 ? ports[0] : ports[index];
    const portText = namedPort || String(defaultPort);
    const port = Number(portText);
    if (!/^\d+$/.test(portText) || port < 1 || port > 65_535)
      throw wrongAddress('a port in it is not from 1 to 65535');
    const address = addresses?.[index];
    const host = hostName || address || 'localhost';
    return { host, port, ...(address && { address }) };
  });
}
