import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/errors.ts';
import { wrongAddress } from '../errors/errors.ts';

/** The variables of the environment, from which libpq's ones fill what an address leaves out. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of the environment that is read if neither the address nor the service has a parameter, and its possible values. */
type Parameter = readonly [variable?: string, values?: string];

const numberOnly = '<number>';

/** Every parameter of libpq that an address or a service may have. A parameter that hkctl does not support may have its neutral value. */
const parameters: Readonly<Record<string, Parameter>> = {
  host: ['PGHOST'],
  hostaddr: ['PGHOSTADDR'],
  port: ['PGPORT'],
  dbname: ['PGDATABASE'],
  user: ['PGUSER'],
  password: ['PGPASSWORD'],
  passfile: ['PGPASSFILE'],
  service: ['PGSERVICE'],
  schema: [],
  application_name: ['PGAPPNAME'],
  fallback_application_name: [],
  connect_timeout: ['PGCONNECT_TIMEOUT', numberOnly],
  options: ['PGOPTIONS'],
  target_session_attrs: ['PGTARGETSESSIONATTRS'],
  sslmode: ['PGSSLMODE'],
  sslrootcert: ['PGSSLROOTCERT'],
  sslcert: ['PGSSLCERT'],
  sslkey: ['PGSSLKEY'],
  sslcrl: ['PGSSLCRL'],
  sslnegotiation: ['PGSSLNEGOTIATION', 'postgres|direct'],
  ssl_min_protocol_version: ['PGSSLMINPROTOCOLVERSION', 'TLSv1.2|TLSv1.3'],
  ssl_max_protocol_version: ['PGSSLMAXPROTOCOLVERSION', 'TLSv1.2|TLSv1.3'],
  channel_binding: ['PGCHANNELBINDING', 'disable|prefer|require'],
  keepalives: [undefined, '0|1'],
  keepalives_idle: [undefined, numberOnly],
  // These make psql notice a dead server sooner. hkctl asks the server itself whether it answers.
  keepalives_interval: [undefined, numberOnly],
  keepalives_count: [undefined, numberOnly],
  tcp_user_timeout: [undefined, numberOnly],
  // A store has one server that can be written, in whatever order they are tried.
  load_balance_hosts: ['PGLOADBALANCEHOSTS', 'disable|random'],
  client_encoding: [undefined, 'UTF8|utf8|UTF-8|utf-8|auto'],
  gssencmode: ['PGGSSENCMODE', 'disable|prefer'],
  krbsrvname: ['PGKRBSRVNAME', 'postgres'],
  gssdelegation: ['PGGSSDELEGATION', '0'],
  gsslib: ['PGGSSLIB', ''],
  ssl: [undefined, 'true'],
  sslcompression: ['PGSSLCOMPRESSION', '0'],
  sslsni: ['PGSSLSNI', '1'],
  sslcertmode: ['PGSSLCERTMODE', 'allow|disable'],
  sslcrldir: ['PGSSLCRLDIR', ''],
  sslpassword: [undefined, ''],
  requirepeer: ['PGREQUIREPEER', ''],
  require_auth: ['PGREQUIREAUTH', ''],
  replication: [undefined, '0|off|no|false'],
};

export function isParameter(name: string): boolean {
  return Object.hasOwn(parameters, name);
}

/**
 * The values of the parameters by name: from the address, its service, then the environment. Throws `usage` for each that is
 * unknown, or would work otherwise than with psql.
 */
export function readParameters(
  addressParameters: Readonly<Record<string, string>>,
  env: Environment,
) {
  const environmentValues: Record<string, string> = {};
  for (const [name, [variable = '']] of Object.entries(parameters)) {
    const value = env[variable];
    if (value) environmentValues[name] = value;
  }
  const values: Readonly<Record<string, string>> = {
    ...environmentValues,
    ...readService(addressParameters.service ?? env.PGSERVICE, env),
    ...addressParameters,
  };

  for (const [name, value] of Object.entries(values)) {
    if (!isParameter(name)) throw wrongAddress(`${shownName(name)} is an unknown parameter`);
    const [variable, possible] = parameters[name] ?? [];
    if (possible === undefined || isPossible(value, possible)) continue;

    const parameterName = variable === undefined ? name : `${name} (or ${variable})`;
    const valueList = possible.replaceAll('|', ' or ');
    const advice = possible === '' ? 'leave it out' : `it is ${valueList}`;
    throw wrongAddress(`${parameterName} has a value that is not possible here: ${advice}`);
  }
  return values;
}

function isPossible(value: string, possible: string): boolean {
  if (possible === numberOnly) return /^\d{1,9}$/.test(value);
  return possible.split('|').includes(value);
}

/** A name as a message may have it: a mistyped address may have a password there. */
export function shownName(name: string): string {
  return /^[a-z_]{1,30}$/.test(name) ? `"${name}"` : '"…"';
}

/**
 * The parameters of a service from libpq's connection service files: PGSERVICEFILE or `~/.pg_service.conf`, then
 * `pg_service.conf` in PGSYSCONFDIR. Throws `usage` if no file has it.
 */
function readService(serviceName: string | undefined, env: Environment): Record<string, string> {
  if (serviceName === undefined) return {};
  const userFile = env.PGSERVICEFILE ?? (env.HOME && join(env.HOME, '.pg_service.conf'));
  const systemFile = join(env.PGSYSCONFDIR ?? '/etc/postgresql-common', 'pg_service.conf');

  for (const serviceFile of [userFile, systemFile]) {
    const lines = serviceFile ? textOf(serviceFile).split('\n') : [];
    const serviceLines = lines
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
    const sectionStart = serviceLines.indexOf(`[${serviceName}]`);
    if (sectionStart === -1) continue;

    const afterHeading = serviceLines.slice(sectionStart + 1);
    const nextSection = afterHeading.findIndex((line) => line.startsWith('['));
    const pairLines = nextSection === -1 ? afterHeading : afterHeading.slice(0, nextSection);
    return Object.fromEntries(
      pairLines.map((pairLine) => [
        pairLine.replace(/\s*=.*/, ''),
        pairLine.replace(/^[^=]*=?\s*/, ''),
      ]),
    );
  }
  const shownService = JSON.stringify(serviceName.slice(0, 60));
  throw wrongAddress(`no service file has the service ${shownService}`);
}

function textOf(serviceFile: string): string {
  try {
    return readFileSync(serviceFile, 'utf8');
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return '';
    throw wrongAddress('its service file cannot be read');
  }
}
