import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { splitPassword } from '../../../../src/core/store-address.ts';
import { parseLocation } from '../../../../src/store/postgres/address/location.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-location-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the address of a PostgreSQL store', () => {
  it('is read as psql reads it, with TLS verified by default', () => {
    expect(parseLocation('postgres://ada@db.example.com/plant', {})).toMatchObject({
      hosts: [{ host: 'db.example.com', port: 5432 }],
      user: 'ada',
      database: 'plant',
      password: undefined,
      schema: 'hkctl',
      tls: { mode: 'verify-full' },
      target: 'read-write',
    });
    expect(
      parseLocation('postgresql://a%40b@h:6000/p%C3%A4?schema=north&sslmode=require', {}),
    ).toMatchObject({
      hosts: [{ host: 'h', port: 6000 }],
      user: 'a@b',
      database: 'pä',
      schema: 'north',
      tls: { mode: 'require' },
    });
  });

  it('names several hosts, also by IPv6 address, and sockets', () => {
    const { hosts } = parseLocation('postgres://a:1,[::1]:2,c/d', {});
    expect(hosts).toEqual([
      { host: 'a', port: 1 },
      { host: '::1', port: 2 },
      { host: 'c', port: 5432 },
    ]);
    for (const address of ['postgres:///d?host=/run/pg', 'postgres://%2Frun%2Fpg/d']) {
      expect(parseLocation(address, {})).toMatchObject({
        hosts: [{ host: '/run/pg', port: 5432 }],
        tls: { mode: 'disable' },
        shown: 'postgres:///d?host=/run/pg',
      });
    }
    expect(parseLocation('postgres:///d', {}).hosts).toEqual([
      { host: '/var/run/postgresql', port: 5432 },
    ]);
  });

  it('may give the IP address beside the name that the certificate has', () => {
    expect(
      parseLocation('postgres://db.test:7/d?hostaddr=192.0.2.1&passfile=/p', { HOME: '/home/ada' }),
    ).toMatchObject({
      hosts: [{ host: 'db.test', port: 7, address: '192.0.2.1' }],
      passwordFile: '/p',
      shown: 'postgres://db.test:7/d',
    });
    const env = { PGHOSTADDR: '::1,192.0.2.2', HOME: '/home/ada' };
    expect(parseLocation('postgres:///d', env)).toMatchObject({
      hosts: [
        { host: '::1', address: '::1' },
        { host: '192.0.2.2', address: '192.0.2.2' },
      ],
      tls: { mode: 'verify-full' },
      passwordFile: '/home/ada/.pgpass',
    });
    expect(
      parseLocation('postgres:///d', { PGPASSFILE: '/q', HOME: '/home/ada' }).passwordFile,
    ).toBe('/q');
  });

  it('is completed from a service, and then from the variables of psql', () => {
    const file = join(folder, 'services');
    writeFileSync(
      file,
      '# services\n[other]\nhost=wrong\n[plant]\nhost=s.example.com\nport=7000\nuser=svc\n\n[last]\nhost=x\n',
    );
    const env = {
      PGSERVICEFILE: file,
      PGHOST: 'env.example.com',
      PGUSER: 'env',
      PGDATABASE: 'envdb',
      PGSSLMODE: 'verify-ca',
    };
    expect(parseLocation('postgres://?service=plant', env)).toMatchObject({
      hosts: [{ host: 's.example.com', port: 7000 }],
      user: 'svc',
      database: 'envdb',
      tls: { mode: 'verify-ca' },
    });
    expect(parseLocation('postgres://ada@/mine', { ...env, PGSERVICE: 'plant' })).toMatchObject({
      hosts: [{ host: 's.example.com', port: 7000 }],
      user: 'ada',
      database: 'mine',
    });
    expect(parseLocation('postgres://', env).hosts).toEqual([
      { host: 'env.example.com', port: 5432 },
    ]);
    expect(parseLocation('postgres://h', {})).toMatchObject({
      user: userInfo().username,
      database: userInfo().username,
    });
    expect(() => parseLocation('postgres://h?service=none', env)).toThrow(
      'no service file has the service "none"',
    );
  });

  it.each([
    ['postgres://h/d?sslmode=prefer', 'sslmode'],
    ['postgres://h/d?target_session_attrs=standby', 'target_session_attrs'],
    ['postgres://h/d?schema=pg_catalog', 'schema'],
    ['postgres://h/d?schema=a"b', 'schema'],
    ['postgres://h:70000/d', 'port'],
    ['postgres://a,b:1,c:2/d?port=1,2', 'ports'],
    ['postgres://a,b/d?hostaddr=192.0.2.1', 'addresses'],
    ['postgres://h/d?hots=x', '"hots"'],
    ['postgres://h/%zz', 'hexadecimal'],
    ['postgres://h/a/b', 'form'],
  ])('%s is wrong (exit 2)', (address, why) => {
    expect(() => parseLocation(address, {})).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(() => parseLocation(address, {})).toThrow(why);
  });

  it('never repeats a password', () => {
    for (const address of [
      'postgres://u:hunter2@h/d/x',
      'postgres://u:hunter2@h:x/d',
      'postgres://u@h/d?password=hunter2&x=hunter2',
    ]) {
      try {
        parseLocation(address, {});
        expect.unreachable();
      } catch (thrown) {
        expect(String(thrown)).not.toContain('hunter2');
      }
    }
    expect(parseLocation('postgres://u:hunter2@h/d', {})).toMatchObject({
      password: 'hunter2',
      shown: 'postgres://h/d',
    });
  });

  it('passes on its password by HKCTL_STORE only', () => {
    const whole = 'postgres://u:p%40ss@h/d?password=x&schema=s';
    expect(splitPassword('postgres://u:hunter2@h/d')).toEqual({
      address: 'postgres://u@h/d',
      password: 'hunter2',
    });
    expect(splitPassword('postgres://u:a@b@h/d').address).toBe('postgres://u@h/d');
    expect(splitPassword('postgres://u@h/d?password=x').address).toBe('postgres://u@h/d');
    expect(splitPassword(whole).address).toBe('postgres://u@h/d?schema=s');
    expect(splitPassword('/a:b@c/hkctl.db')).toEqual({
      address: '/a:b@c/hkctl.db',
      password: undefined,
    });
    const { address } = splitPassword('postgres://u:hunter2@h/d');
    expect(parseLocation(address, { HKCTL_STORE: 'postgres://u:hunter2@h/d' }).password).toBe(
      'hunter2',
    );
    expect(
      parseLocation(address, { HKCTL_STORE: 'postgres://other:hunter2@h/d' }).password,
    ).toBeUndefined();
  });
});
