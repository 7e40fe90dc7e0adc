import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { Session } from '../../../src/store/postgres/connection/session.ts';
import { onServer } from './databases.ts';
import { until } from './opened.ts';
import { startServer, type TestServer } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-tls-'));
/** An address of the loopback network that no other server of the tests listens at. */
const ip = `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}.7`;
let server: TestServer;

const path = (name: string) => join(folder, name);

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes `NAME.key` and `NAME.crt`, signed by `ca` or, without, by itself. */
function certify(name: string, subject: string, { ca, days = '2' }: { ca?: string; days?: string } = {}): void {
  const subjectOf = ['-subj', `/CN=${subject}`, '-addext', `subjectAltName=DNS:${subject}`];
  if (ca === undefined) {
    openssl('req', '-x509', ...newKey, ...subjectOf, '-days', days, '-keyout', `${name}.key`, '-out', `${name}.crt`);
  } else {
    openssl('req', ...newKey, ...subjectOf, '-keyout', `${name}.key`, '-out', 'request');
    const signer = ['-CA', `${ca}.crt`, '-CAkey', `${ca}.key`, '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      'request',
      ...signer,
      '-days',
      days,
      '-copy_extensions',
      'copy',
      '-out',
      `${name}.crt`,
    );
  }
  chmodSync(path(`${name}.key`), 0o600);
}

/** Lets the server present a certificate, or none. */
async function present(name: string | undefined): Promise<void> {
  const set = (setting: string, value: string) => `alter system set ${setting} = '${value}'`;
  const files = [set('ssl_cert_file', path(`${name}.crt`)), set('ssl_key_file', path(`${name}.key`))];
  await onServer(
    server.address,
    ...(name === undefined ? [] : [...files, set('ssl_ca_file', path('ca.crt'))]),
    set('ssl', name === undefined ? 'off' : 'on'),
    'select pg_reload_conf()',
  );
  const wanted = name === undefined ? 'off' : path(`${name}.crt`);
  const setting = name === undefined ? 'ssl' : 'ssl_cert_file';
  // A new connection has the settings that the server has read by then.
  const isRead = `do $$ begin if current_setting('${setting}') <> '${wanted}' then raise exception 'not yet'; end if; end $$`;
  const read = () =>
    onServer(server.address, isRead).then(
      () => true,
      () => false,
    );
  expect(await until(read, (done) => done)).toBe(true);
}

/** Connects as a command does; the name is in certificates only, so that the address of the server is given, too. */
async function connect(query: string, { user = 'postgres', host = 'db.test', env = {} } = {}): Promise<string> {
  const address = `postgres://${user}@${host}/postgres?hostaddr=${ip}${query === '' ? '' : `&${query}`}`;
  const location = parseLocation(address, { HOME: folder, ...env });
  try {
    const session = await Session.open(location, { pipeline: false, silentMs: 5000, connectTimeoutMs: 5000 });
    const { rows } = await session.send<{ how: string }>(
      "select case when ssl then 'TLS' else 'plain' end as how from pg_stat_ssl where pid = pg_backend_pid()",
    );
    await session.close();
    return rows[0]?.how ?? 'nothing';
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: expect.stringMatching(/^store_(unreachable|unreadable)$/) });
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain('hunter2');
    return String((thrown as Error).message); // an HkctlError, as just seen
  }
}

beforeAll(async () => {
  certify('ca', 'authority');
  certify('good', 'db.test', { ca: 'ca' });
  certify('expired', 'db.test', { ca: 'ca', days: '-1' });
  certify('alone', 'db.test');
  certify('client', 'certified', { ca: 'ca' });
  certify('stranger', 'certified');
  writeFileSync(
    path('hba'),
    `local all all trust
hostssl all certified all cert
host all locked all scram-sha-256
host all open all password
host all all all trust
`,
  );
  chmodSync(folder, 0o755);
  chmodSync(path('hba'), 0o644);
  // The server runs under another account, which must own its keys.
  if (process.getuid?.() === 0)
    for (const name of ['good', 'expired', 'alone']) chownSync(path(`${name}.key`), 65_534, 65_534);
  server = await startServer([`listen_addresses=${ip}`, `hba_file=${path('hba')}`]);
  await onServer(
    server.address,
    "create role locked login password 'hunter2'",
    'create role certified login',
    "create role open login password 'hunter2'",
  );
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const ca = `sslrootcert=${encodeURIComponent(path('ca.crt'))}`;

describe('TLS to the server', () => {
  it('is verified with authority and host name, unless the address asks for less', async () => {
    await present('good');
    expect(await connect(ca)).toBe('TLS');
    expect(await connect('', { env: { PGSSLROOTCERT: path('ca.crt') } })).toBe('TLS');
    expect(await connect('')).toContain('not signed by an authority that is known here');
    expect(await connect('sslrootcert=system')).toContain('not signed by an authority that is known here');
    expect(await connect('sslmode=require')).toBe('TLS');
    expect(await connect('', { env: { PGSSLMODE: 'require' } })).toBe('TLS');
    expect(await connect('sslmode=disable')).toBe('plain');
    expect(await connect(ca, { host: 'other.test' })).toContain('is for another host name');
    expect(await connect(`${ca}&sslmode=verify-ca`, { host: 'other.test' })).toBe('TLS');
    expect(await connect(`${ca}&sslmode=require`, { host: 'other.test' })).toBe('TLS');
  });

  it('is refused with a certificate that has expired, or that nobody known has signed', async () => {
    await present('expired');
    for (const mode of ['verify-full', 'verify-ca', 'require']) {
      expect(await connect(`${ca}&sslmode=${mode}`), mode).toContain('has expired or is not yet valid');
    }
    expect(await connect('sslmode=require')).toBe('TLS');
    await present('alone');
    // As with psql, `require` verifies the authority where one is named.
    for (const mode of ['verify-full', 'verify-ca', 'require']) {
      expect(await connect(`${ca}&sslmode=${mode}`), mode).toContain('not signed by an authority');
    }
    expect(await connect(`sslrootcert=${encodeURIComponent(path('alone.crt'))}`)).toBe('TLS');
  });

  it('is never left out, where the server has none', async () => {
    await present(undefined);
    for (const mode of ['verify-full', 'verify-ca', 'require']) {
      expect(await connect(`${ca}&sslmode=${mode}`), mode).toContain('does not offer TLS');
    }
    // It takes the beginning of TLS for nonsense and closes.
    expect(await connect(`${ca}&sslnegotiation=direct`)).toContain('failed');
    expect(await connect('sslmode=disable')).toBe('plain');
  });

  it('takes files of the account, and refuses those that are of no use', async () => {
    await present('good');
    writeFileSync(path('empty'), 'nothing\n');
    expect(await connect(`sslrootcert=${encodeURIComponent(path('empty'))}`)).toContain('has no certificate in PEM');
    expect(await connect('sslrootcert=/nowhere')).toContain('cannot be read');
    mkdirSync(path('.postgresql'));
    execFileSync('cp', [path('ca.crt'), path('.postgresql/root.crt')]);
    expect(await connect('')).toBe('TLS');
    rmSync(path('.postgresql'), { recursive: true });
  });
});

describe('a server', () => {
  it('may begin TLS with the first byte, and be held to a version of it', async () => {
    await present('good');
    expect(await connect(`${ca}&sslnegotiation=direct`)).toBe('TLS');
    expect(await connect(ca, { env: { PGSSLNEGOTIATION: 'direct' } })).toBe('TLS');
    expect(await connect(`${ca}&sslnegotiation=direct`, { host: 'other.test' })).toContain('is for another host name');
    expect(await connect(`${ca}&ssl_min_protocol_version=TLSv1.3`)).toBe('TLS');
    expect(await connect(`${ca}&ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.2`)).toContain(
      'TLS with',
    );
  });

  it('whose certificate its authority has revoked is refused, also by the list of the account', async () => {
    await present('good');
    for (const [name, revoked] of [
      ['clean', []],
      ['revoked', ['good']],
    ] as const) {
      writeFileSync(path('index'), '');
      writeFileSync(path('ca.cnf'), '[ca]\ndefault_ca=d\n[d]\ndatabase=index\ndefault_md=sha256\ndefault_crl_days=2\n');
      const signer = ['ca', '-config', 'ca.cnf', '-cert', 'ca.crt', '-keyfile', 'ca.key'];
      for (const one of revoked) openssl(...signer, '-revoke', `${one}.crt`);
      openssl(...signer, '-gencrl', '-out', `${name}.crl`);
    }
    const list = (name: string) => `${ca}&sslcrl=${encodeURIComponent(path(name))}`;
    expect(await connect(list('clean.crl'))).toBe('TLS');
    expect(await connect(list('revoked.crl'))).toContain('could not be verified');
    expect(await connect(ca, { env: { PGSSLCRL: path('revoked.crl') } })).toContain('could not be verified');
    expect(await connect(list('nowhere'))).toContain('cannot be read');
    mkdirSync(path('.postgresql'));
    execFileSync('cp', [path('revoked.crl'), path('.postgresql/root.crl')]);
    expect(await connect(ca)).toContain('could not be verified');
    rmSync(path('.postgresql'), { recursive: true });
  });

  it('is held to bind the log-in to its certificate, where the address demands it', async () => {
    await present('good');
    const env = { PGPASSWORD: 'hunter2' };
    const bound = (rest = '') => `${ca}&channel_binding=require${rest}`;
    expect(await connect(bound(), { user: 'locked', env })).toBe('TLS');
    expect(await connect(`${ca}&channel_binding=prefer`, { user: 'locked', env })).toBe('TLS');
    expect(await connect(bound(), { user: 'locked', env: { PGPASSWORD: 'wrong' } })).toContain('refused the log-in');
    // One that lets in without asking, or asks for the password itself, could be anybody.
    expect(await connect(bound(), { env })).toContain('does not bind the log-in');
    expect(await connect(`${ca}&channel_binding=prefer`, { env })).toBe('TLS');
    expect(await connect(bound(), { user: 'open', env })).toContain('does not bind the log-in');
    expect(await connect(ca, { user: 'open', env })).toBe('TLS');
  });
});

describe('the certificate of the client', () => {
  const pair = (name: string, key = name) =>
    `${ca}&sslcert=${encodeURIComponent(path(`${name}.crt`))}&sslkey=${encodeURIComponent(path(`${key}.key`))}`;
  const user = 'certified';

  it('is a log-in', async () => {
    await present('good');
    expect(await connect(pair('client'), { user })).toBe('TLS');
    const env = { PGSSLCERT: path('client.crt'), PGSSLKEY: path('client.key'), PGSSLROOTCERT: path('ca.crt') };
    expect(await connect('', { user, env })).toBe('TLS');
    expect(await connect(ca, { user })).toContain('refused the log-in');
    expect(await connect(pair('stranger'), { user })).toContain('refused TLS, or the certificate of this client');
    expect(await connect(pair('client', 'stranger'), { user })).toContain('is not usable');
    expect(await connect(`${ca}&sslcert=${encodeURIComponent(path('client.crt'))}`, { user })).toContain('has no key');
    chmodSync(path('client.key'), 0o644);
    expect(await connect(pair('client'), { user })).toContain('may be read or written by others');
    chmodSync(path('client.key'), 0o600);
    openssl('ec', '-in', 'client.key', '-aes128', '-passout', 'pass:hunter2', '-out', 'locked.key');
    chmodSync(path('locked.key'), 0o600);
    expect(await connect(pair('client', 'locked'), { user })).toContain('is not usable');
  });
});

describe('a password', () => {
  it('is taken from the files and variables of psql', async () => {
    await present('good');
    const user = 'locked';
    const file = path('passwords');
    expect(await connect(ca, { user })).toContain('asks for a password, and none is known');
    writeFileSync(file, `# mine\ndb.test:5432:other:locked:wrong\ndb.test:*:postgres:locked:hunter2\n`, {
      mode: 0o600,
    });
    expect(await connect(ca, { user, env: { PGPASSFILE: file } })).toBe('TLS');
    expect(await connect(`${ca}&passfile=${encodeURIComponent(file)}`, { user })).toBe('TLS');
    expect(await connect(ca, { user, env: { PGPASSWORD: 'hunter2' } })).toBe('TLS');
    expect(await connect(ca, { user, env: { PGPASSWORD: 'hunter3' } })).toContain('refused the log-in');
    chmodSync(file, 0o640);
    expect(await connect(ca, { user, env: { PGPASSFILE: file } })).toContain('other accounts may read it');
    chmodSync(file, 0o600);
    execFileSync('cp', ['-p', file, path('.pgpass')]);
    expect(await connect(ca, { user })).toBe('TLS');
    const service = path('services');
    writeFileSync(service, `[plant]\nhost=db.test\nhostaddr=${ip}\nuser=locked\nsslrootcert=${path('ca.crt')}\n`);
    const located = parseLocation('postgres:///postgres', { HOME: folder, PGSERVICE: 'plant', PGSERVICEFILE: service });
    const session = await Session.open(located, { pipeline: false, silentMs: 5000, connectTimeoutMs: 5000 });
    expect(session.host).toMatchObject({ host: 'db.test', address: ip });
    expect(session.isPooled).toBe(false);
    await session.close();
  });
});
