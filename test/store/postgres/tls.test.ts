import { createPrivateKey } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLocation } from '../../../src/store/postgres/address/location.ts';
import { PooledDatabase } from '../../../src/store/postgres/connection/database.ts';
import {
  connect,
  folder,
  ip,
  path,
  present,
  revoke,
  startTlsServer,
  stopTlsServer,
} from './tls-server.ts';

beforeAll(startTlsServer);
afterAll(stopTlsServer);

const ca = `sslrootcert=${encodeURIComponent(path('ca.crt'))}`;

describe('TLS to the server', () => {
  it('is verified with authority and host name, unless the address asks for less', async () => {
    await present('good');
    expect(await connect(ca)).toBe('TLS');
    expect(await connect('', { env: { PGSSLROOTCERT: path('ca.crt') } })).toBe('TLS');
    expect(await connect('')).toContain('not signed by an authority that is known here');
    expect(await connect('sslrootcert=system')).toContain(
      'not signed by an authority that is known here',
    );
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
      expect(await connect(`${ca}&sslmode=${mode}`), mode).toContain(
        'has expired or is not yet valid',
      );
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
    expect(await connect(`sslrootcert=${encodeURIComponent(path('empty'))}`)).toContain(
      'has no certificate in PEM',
    );
    expect(await connect('sslrootcert=/nowhere')).toContain('cannot be read');
    mkdirSync(path('.postgresql'));
    copyFileSync(path('ca.crt'), path('.postgresql/root.crt'));
    expect(await connect('')).toBe('TLS');
    rmSync(path('.postgresql'), { recursive: true });
  });
});

describe('a server', () => {
  it('may begin TLS with the first byte, and be held to a version of it', async () => {
    await present('good');
    expect(await connect(`${ca}&sslnegotiation=direct`)).toBe('TLS');
    expect(await connect(ca, { env: { PGSSLNEGOTIATION: 'direct' } })).toBe('TLS');
    expect(await connect(`${ca}&sslnegotiation=direct`, { host: 'other.test' })).toContain(
      'is for another host name',
    );
    expect(await connect(`${ca}&ssl_min_protocol_version=TLSv1.3`)).toBe('TLS');
    expect(
      await connect(`${ca}&ssl_min_protocol_version=TLSv1.3&ssl_max_protocol_version=TLSv1.2`),
    ).toContain('TLS with');
  });

  it('whose certificate its authority has revoked is refused, also by the list of the account', async () => {
    await present('good');
    await revoke('clean');
    await revoke('revoked', 'good');
    const list = (name: string) => `${ca}&sslcrl=${encodeURIComponent(path(name))}`;
    expect(await connect(list('clean.crl'))).toBe('TLS');
    expect(await connect(list('revoked.crl'))).toContain('could not be verified');
    expect(await connect(ca, { env: { PGSSLCRL: path('revoked.crl') } })).toContain(
      'could not be verified',
    );
    expect(await connect(list('nowhere'))).toContain('cannot be read');
    mkdirSync(path('.postgresql'));
    copyFileSync(path('revoked.crl'), path('.postgresql/root.crl'));
    expect(await connect(ca)).toContain('could not be verified');
    rmSync(path('.postgresql'), { recursive: true });
  });

  it('is held to bind the log-in to its certificate, where the address demands it', async () => {
    await present('good');
    const env = { PGPASSWORD: 'hunter2' };
    const bound = (rest = '') => `${ca}&channel_binding=require${rest}`;
    expect(await connect(bound(), { user: 'locked', env })).toBe('TLS');
    expect(await connect(`${ca}&channel_binding=prefer`, { user: 'locked', env })).toBe('TLS');
    expect(await connect(bound(), { user: 'locked', env: { PGPASSWORD: 'wrong' } })).toContain(
      'refused the log-in',
    );
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
    const env = {
      PGSSLCERT: path('client.crt'),
      PGSSLKEY: path('client.key'),
      PGSSLROOTCERT: path('ca.crt'),
    };
    expect(await connect('', { user, env })).toBe('TLS');
    expect(await connect(ca, { user })).toContain('refused the log-in');
    expect(await connect(pair('stranger'), { user })).toContain(
      'refused TLS, or the certificate of this client',
    );
    expect(await connect(pair('client', 'stranger'), { user })).toContain('is not usable');
    expect(
      await connect(`${ca}&sslcert=${encodeURIComponent(path('client.crt'))}`, { user }),
    ).toContain('has no key');
    chmodSync(path('client.key'), 0o644);
    expect(await connect(pair('client'), { user })).toContain('may be read or written by others');
    chmodSync(path('client.key'), 0o600);
    const key = createPrivateKey(readFileSync(path('client.key'), 'utf8'));
    const locked = key.export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-128-cbc',
      passphrase: 'hunter2',
    });
    writeFileSync(path('locked.key'), locked, { mode: 0o600 });
    expect(await connect(pair('client', 'locked'), { user })).toContain('is not usable');
  });
});

describe('a password', () => {
  it('is taken from the files and variables of psql', async () => {
    await present('good');
    const user = 'locked';
    const file = path('passwords');
    expect(await connect(ca, { user })).toContain('asks for a password, and none is known');
    writeFileSync(
      file,
      `# mine\ndb.test:5432:other:locked:wrong\ndb.test:*:postgres:locked:hunter2\n`,
      {
        mode: 0o600,
      },
    );
    expect(await connect(ca, { user, env: { PGPASSFILE: file } })).toBe('TLS');
    expect(await connect(`${ca}&passfile=${encodeURIComponent(file)}`, { user })).toBe('TLS');
    expect(await connect(ca, { user, env: { PGPASSWORD: 'hunter2' } })).toBe('TLS');
    expect(await connect(ca, { user, env: { PGPASSWORD: 'hunter3' } })).toContain(
      'refused the log-in',
    );
    chmodSync(file, 0o640);
    expect(await connect(ca, { user, env: { PGPASSFILE: file } })).toContain(
      'other accounts may read it',
    );
    chmodSync(file, 0o600);
    copyFileSync(file, path('.pgpass'));
    expect(await connect(ca, { user })).toBe('TLS');
    const service = path('services');
    writeFileSync(
      service,
      `[plant]\nhost=db.test\nhostaddr=${ip}\nuser=locked\nsslrootcert=${path('ca.crt')}\n`,
    );
    const located = parseLocation('postgres:///postgres', {
      HOME: folder,
      PGSERVICE: 'plant',
      PGSERVICEFILE: service,
    });
    expect(located.hosts).toMatchObject([{ host: 'db.test', address: ip }]);
    const database = new PooledDatabase(located);
    expect(await database.query('select 1 as a')).toEqual([{ a: 1 }]);
    await database.close();
  });
});
