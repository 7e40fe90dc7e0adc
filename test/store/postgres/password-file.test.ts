import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { passwordIn } from '../../../src/store/postgres/connection/password-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-pgpass-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, '.pgpass');
const login = { host: 'db.example.com', port: 5432, database: 'plant', user: 'ada' };

describe('a password file', () => {
  it.each([
    ['db.example.com:5432:plant:ada:secret', 'secret'],
    ['*:*:*:*:first\ndb.example.com:5432:plant:ada:second', 'first'],
    ['db.example.com:5433:plant:ada:a\n*:5432:*:ada:b', 'b'],
    ['# db.example.com:5432:plant:ada:a\r\ndb.example.com:5432:plant:ada:b\r\n', 'b'],
    ['*:*:*:*:with\\:colon and \\\\ backslash', 'with:colon and \\ backslash'],
    ['*:*:*:*:p#ä €', 'p#ä €'],
    ['*:*:*:*:', undefined],
    ['*:*:*:ada', undefined],
    ['::::x', undefined],
    ['localhost:5432:plant:ada:x', undefined],
    ['', undefined],
  ])('%j has %j', (text, password) => {
    writeFileSync(file, text, { mode: 0o600 });
    expect(passwordIn(file, login)).toBe(password);
  });

  it('names hosts and users with colons, and sockets by their folder or as localhost', () => {
    writeFileSync(file, '\\:\\:1:*:*:a\\:b:six\nlocalhost:*:*:ada:socket\n/tmp/s:*:*:ada:other\n', { mode: 0o600 });
    expect(passwordIn(file, { ...login, host: '::1', user: 'a:b' })).toBe('six');
    expect(passwordIn(file, { ...login, host: '/var/run/postgresql' })).toBe('socket');
    expect(passwordIn(file, { ...login, host: '/tmp/s' })).toBe('other');
    expect(passwordIn(file, { ...login, host: '/tmp/t' })).toBeUndefined();
  });

  it('is none where it does not exist, and refused where it is no plain file of its owner alone', () => {
    expect(passwordIn(join(folder, 'none'), login)).toBeUndefined();
    expect(() => passwordIn(folder, login)).toThrow('is not a plain file');
    const open = join(folder, 'open');
    writeFileSync(open, '*:*:*:*:hunter2');
    for (const mode of [0o644, 0o620, 0o604]) {
      chmodSync(open, mode);
      expect(() => passwordIn(open, login), mode.toString(8)).toThrow('may be read or written by others');
    }
  });
});
