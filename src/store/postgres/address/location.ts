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
  /** Where to connect, without asking a name server; the certificate is that of `host`. */
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
  const parameters = readParameters(parametersOf(withPassword(address, env)), env);
  const user = parameters.user ?? ownAccount();
  const hosts = hostsOf(parameters);
  const isSocket = hosts.every(({ host }) => host.startsWith('/'));
  const { dbname: database = user, schema = usualSchema, password } = parameters;
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
  return {
    hosts,
    database,
    user,
    password,
    /** The file of libpq in which a password is looked up if none is given. */
    passwordFile: parameters.passfile ?? (env.HOME ? join(env.HOME, '.pgpass') : undefined),
    schema,
    tls: readTls(parameters, isSocket, env.HOME),
    /** Which of several servers will do; only these exist here, since a store is written. */
    target: target === 'any' ? 'any' : 'read-write',
    applicationName: parameters.application_name ?? parameters.fallback_application_name ?? 'hkctl',
    /** Options for the server, such as `-c statement_timeout=10s`. */
    options: parameters.options,
    // 0 is without limit.
    connectTimeoutMs:
      Math.min(Number(parameters.connect_timeout ?? 5) || mostTimeoutSeconds, mostTimeoutSeconds) *
      1000,
    /** Whether the system probes a silent connection, and after how long; 0 = as the system does. */
    keepsAlive: parameters.keepalives !== '0',
    keepAliveIdleMs: Number(parameters.keepalives_idle ?? 0) * 1000,
    /** The address as it may be shown: without a password. */
    shown: shownAddress(hosts, isSocket, database, schema),
  };
}

/** The address as HKCTL_STORE has it, with the password that is left out wherever the address is passed on. */
function withPassword(address: string, { HKCTL_STORE: whole = '' }: Environment): string {
  return splitPassword(whole).address === address ? whole : address;
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
  const hostTexts = hosts.map(({ host, port }) => {
    const bracketed = host.includes(':') ? `[${host}]` : host;
    return port === defaultPort ? bracketed : `${bracketed}:${port}`;
  });
  const [{ host, port } = { host: '', port: defaultPort }] = hosts;
  const ofSocket = port === defaultPort ? [`host=${host}`] : [`host=${host}`, `port=${port}`];
  const pairs = [
    ...(isSocket ? ofSocket : []),
    ...(schema === usualSchema ? [] : [`schema=${schema}`]),
  ];
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `postgres://${isSocket ? '' : hostTexts.join(',')}/${encodeURIComponent(database)}${query}`;
}

/** The parts of an address by libpq's names. WHATWG's URL cannot read several hosts, nor the folder of a socket. */
function parametersOf(address: string): Record<string, string> {
  const match =
    /^postgres(?:ql)?:\/\/(?:([^/?#:]*)(?::([^/?#]*))?@)?([^/?#@]*)(?:\/([^?#/]*))?(?:\?([^#]*))?$/i.exec(
      address,
    );
  if (!match)
    throw wrongAddress('it is not of the form postgres://USER@HOST:PORT/DATABASE?NAME=VALUE');
  const [, user = '', password = '', hosts = '', dbname = '', query = ''] = match;
  const listed = hosts.split(',').map(splitHost);
  const ports = listed.map(([, port]) => port);
  const pairs = query === '' ? [] : query.split('&').map((pair) => pair.split(/=(.*)/, 2));
  for (const [name = ''] of pairs)
    if (!isParameter(name)) throw wrongAddress(`${shownName(name)} is an unknown parameter`);
  const partsByName = [
    ['user', user],
    ['password', password],
    ['host', listed.map(([host]) => host).join(',')],
    ['port', ports.some((port) => port !== '') ? ports.join(',') : ''],
    ['dbname', dbname],
    ...pairs,
  ];
  return Object.fromEntries(
    partsByName.flatMap(([name, text]) => (name && text ? [[name, decoded(text)]] : [])),
  );
}

function splitHost(text: string): [host: string, port: string] {
  const match = /^(\[[^\]]*\]|[^:[\]\s]*)(?::(\d*))?$/.exec(text);
  if (!match) throw wrongAddress('a host or port in it is malformed');
  return [(match[1] ?? '').replace(/^\[|\]$/g, ''), match[2] ?? ''];
}

function decoded(text: string): string {
  let result: string;
  try {
    result = decodeURIComponent(text);
  } catch (thrown) {
    if (thrown instanceof URIError)
      throw wrongAddress('a % in it does not begin two hexadecimal digits');
    throw thrown;
  }
  // NUL ends a name in PostgreSQL's protocol, and a line break would be shown.
  if (/\p{Cc}/u.test(result)) throw wrongAddress('it contains a control character');
  return result;
}

function hostsOf({ host: hostNames, hostaddr, port }: Readonly<Record<string, string>>): Host[] {
  const addresses = hostaddr?.split(',');
  const hosts = hostNames?.split(',') ?? addresses ?? ['/var/run/postgresql'];
  if (addresses && addresses.length !== hosts.length)
    throw wrongAddress('it has not as many addresses as hosts');
  const ports = port?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== hosts.length)
    throw wrongAddress('it has not as many ports as hosts');
  return hosts.map((host, index) => {
    const text = (ports.length === 1 ? ports[0] : ports[index]) || String(defaultPort);
    const port = Number(text);
    if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
      throw wrongAddress('a port in it is not from 1 to 65535');
    const address = addresses?.[index];
    return { host: host || address || 'localhost', port, ...(address && { address }) };
  });
}
