import { wrongAddress } from '../connection/errors.ts';
import type { Environment } from './service-file.ts';

/** What hkctl does with a parameter of libpq. */
interface Parameter {
  /** The variable of the environment that is read where neither the address nor the service has it. */
  variable?: string;
  /** The values that are possible here; any where it is missing. */
  only?: RegExp;
  /** Why another value is refused, and what to do instead. */
  otherwise?: string;
}

const whole = /^\d{1,9}$/;
const noGss = 'hkctl has no GSSAPI; encrypt with TLS (sslmode) and log in by password or certificate';

/** Every parameter of libpq that an address or a service may have. The names that are missing here are unknown. */
const parameters: Readonly<Record<string, Parameter>> = {
  host: { variable: 'PGHOST' },
  hostaddr: { variable: 'PGHOSTADDR' },
  port: { variable: 'PGPORT' },
  dbname: { variable: 'PGDATABASE' },
  user: { variable: 'PGUSER' },
  password: { variable: 'PGPASSWORD' },
  passfile: { variable: 'PGPASSFILE' },
  service: { variable: 'PGSERVICE' },
  schema: {},
  application_name: { variable: 'PGAPPNAME' },
  fallback_application_name: {},
  connect_timeout: { variable: 'PGCONNECT_TIMEOUT' },
  options: { variable: 'PGOPTIONS' },
  target_session_attrs: { variable: 'PGTARGETSESSIONATTRS' },
  sslmode: { variable: 'PGSSLMODE' },
  sslrootcert: { variable: 'PGSSLROOTCERT' },
  sslcert: { variable: 'PGSSLCERT' },
  sslkey: { variable: 'PGSSLKEY' },
  sslcrl: { variable: 'PGSSLCRL' },
  sslnegotiation: {
    variable: 'PGSSLNEGOTIATION',
    only: /^(postgres|direct)$/,
    otherwise: 'it is postgres or direct',
  },
  ssl_min_protocol_version: {
    variable: 'PGSSLMINPROTOCOLVERSION',
    only: /^TLSv1\.[23]$/,
    otherwise: 'it is TLSv1.2 or TLSv1.3',
  },
  ssl_max_protocol_version: {
    variable: 'PGSSLMAXPROTOCOLVERSION',
    only: /^TLSv1\.[23]$/,
    otherwise: 'it is TLSv1.2 or TLSv1.3',
  },
  channel_binding: {
    variable: 'PGCHANNELBINDING',
    only: /^(disable|prefer|require)$/,
    otherwise: 'it is disable, prefer or require',
  },
  keepalives: { only: /^[01]$/, otherwise: 'it is 0 or 1' },
  keepalives_idle: { only: whole, otherwise: 'it is a number of seconds' },
  // These make psql notice a dead server sooner. hkctl asks the server itself whether it answers.
  keepalives_interval: { only: whole, otherwise: 'it is a number of seconds' },
  keepalives_count: { only: whole, otherwise: 'it is a number' },
  tcp_user_timeout: { only: whole, otherwise: 'it is a number of milliseconds' },
  // A store has one server that can be written, in whatever order they are tried.
  load_balance_hosts: {
    variable: 'PGLOADBALANCEHOSTS',
    only: /^(disable|random)$/,
    otherwise: 'it is disable or random',
  },
  client_encoding: { only: /^(utf-?8|auto)$/i, otherwise: 'hkctl always speaks UTF8; leave it out' },
  gssencmode: { variable: 'PGGSSENCMODE', only: /^(disable|prefer)$/, otherwise: noGss },
  krbsrvname: { variable: 'PGKRBSRVNAME', only: /^postgres$/, otherwise: noGss },
  gssdelegation: { variable: 'PGGSSDELEGATION', only: /^0$/, otherwise: noGss },
  gsslib: { variable: 'PGGSSLIB', only: /^$/, otherwise: noGss },
  ssl: { only: /^true$/, otherwise: 'name the sslmode instead' },
  sslcompression: { variable: 'PGSSLCOMPRESSION', only: /^0$/, otherwise: 'TLS compression is unsafe; leave it out' },
  sslsni: {
    variable: 'PGSSLSNI',
    only: /^1$/,
    otherwise: 'the host name is always sent; name the server by its IP address',
  },
  sslcertmode: {
    variable: 'PGSSLCERTMODE',
    only: /^(allow|disable)$/,
    otherwise: 'whether the server asks for the certificate is not seen here; let pg_hba.conf demand it',
  },
  sslcrldir: {
    variable: 'PGSSLCRLDIR',
    only: /^$/,
    otherwise: 'put the revocation lists into one file and name it with sslcrl',
  },
  sslpassword: { only: /^$/, otherwise: 'a key with a passphrase is not supported; use one without, with mode 0600' },
  requirepeer: {
    variable: 'PGREQUIREPEER',
    only: /^$/,
    otherwise:
      'the account of the server is not seen here; keep its socket in a folder that only that account can write',
  },
  require_auth: {
    variable: 'PGREQUIREAUTH',
    only: /^$/,
    otherwise: 'the way to log in is not chosen here; channel_binding=require makes sure of SCRAM',
  },
  replication: { only: /^(0|off|no|false)$/i, otherwise: 'a connection for replication holds no store; leave it out' },
};

/** Whether libpq, or hkctl, has a parameter of this name. */
export function isParameter(name: string): boolean {
  return Object.hasOwn(parameters, name);
}

/**
 * The values of the parameters by name: from the address, its service, then the environment. Throws `usage` for each that
 * would work otherwise than with psql, and says what to do.
 */
export function readParameters(
  given: Readonly<Record<string, string>>,
  service: Readonly<Record<string, string>>,
  env: Environment,
): (name: string) => string | undefined {
  for (const name of Object.keys(service)) {
    if (!isParameter(name)) throw wrongAddress(`its service has the unknown parameter ${shownName(name)}`);
  }
  const read = (name: string, variable?: string) =>
    given[name] ?? service[name] ?? (variable === undefined ? undefined : env[variable] || undefined);
  for (const [name, { variable, only, otherwise }] of Object.entries(parameters)) {
    const value = read(name, variable);
    if (value === undefined || only === undefined || only.test(value)) continue;
    const named = variable === undefined ? name : `${name} (or ${variable})`;
    throw wrongAddress(`${named} has a value that is not possible here: ${otherwise}`);
  }
  return (name) => read(name, parameters[name]?.variable);
}

/** A name as a message may have it: a mistyped address may have a password there. */
export function shownName(name: string): string {
  return /^[a-z_]{1,30}$/.test(name) ? `"${name}"` : '"…"';
}
