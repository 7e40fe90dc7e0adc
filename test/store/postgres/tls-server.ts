import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../src/store/postgres/connection/database.ts';
import { type Certified, certify, listRevoked } from '../../http/certificates.ts';
import { onServer } from './databases.ts';
import { until } from './opened.ts';
import { startServer, type TestServer } from './server.ts';

/** The certificates and keys, named after what is made of them; also the home of the account that connects. */
export const folder = mkdtempSync(join(tmpdir(), 'hkctl-tls-'));
/** An address of the loopback network that no other server of the tests listens at. */
export const ip = `127.${1 + (process.pid % 250)}.${1 + (Math.floor(process.pid / 250) % 250)}.7`;
let server: TestServer;

/** The path of a file beside the certificates. */
export const path = (name: string) => join(folder, name);

/** The certificates of the server and of its clients by name. */
const certified = new Map<string, Certified>();

/** Makes `NAME.key` and `NAME.crt`, signed by the authority or by itself. */
async function make(
  name: string,
  subject: string,
  { by, days }: { by?: 'ca'; days?: number } = {},
): Promise<void> {
  const at = { type: 'dns', value: subject } as const;
  certified.set(
    name,
    await certify(folder, name, { subject, at, days, signer: by && certified.get(by) }),
  );
}

/** Makes `NAME.crl`, the authority's list of the certificates of these names that it has revoked. */
export async function revoke(name: string, ...names: string[]): Promise<void> {
  const known = (one: string) => certified.get(one) as Certified; // made by startTlsServer
  await listRevoked(folder, name, known('ca'), names.map(known));
}

/** Lets the server present a certificate, or none. */
export async function present(name: string | undefined): Promise<void> {
  const set = (setting: string, value: string) => `alter system set ${setting} = '${value}'`;
  const files = [
    set('ssl_cert_file', path(`${name}.crt`)),
    set('ssl_key_file', path(`${name}.key`)),
  ];
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
export async function connect(
  query: string,
  { user = 'postgres', host = 'db.test', env = {} } = {},
): Promise<string> {
  const address = `postgres://${user}@${host}/postgres?hostaddr=${ip}${query === '' ? '' : `&${query}`}`;
  const location = parseLocation(address, { HOME: folder, ...env });
  const database = new PooledDatabase(location);
  try {
    const [row] = await database.query<{ how: string }>(
      "select case when ssl then 'TLS' else 'plain' end as how from pg_stat_ssl where pid = pg_backend_pid()",
    );
    return row?.how ?? 'nothing';
  } catch (thrown) {
    expect(thrown).toMatchObject({
      code: expect.stringMatching(/^store_(unreachable|unreadable)$/),
    });
    expect(JSON.stringify(thrown) + String(thrown)).not.toContain('hunter2');
    return String((thrown as Error).message); // an HkctlError, as just seen
  } finally {
    await database.close();
  }
}

/** Makes the certificates and starts a server that takes TLS, client certificates and passwords, by the user who logs in. */
export async function startTlsServer(): Promise<void> {
  await make('ca', 'authority');
  await make('good', 'db.test', { by: 'ca' });
  await make('expired', 'db.test', { by: 'ca', days: -1 });
  await make('alone', 'db.test');
  await make('client', 'certified', { by: 'ca' });
  await make('stranger', 'certified');
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
}

/** Stops the server and removes the certificates. */
export async function stopTlsServer(): Promise<void> {
  await server?.stop();
  rmSync(folder, { recursive: true });
}
