import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import { parseLocation } from '../../../../src/store/postgres/address/location.ts';
import { passwordIn } from '../../../../src/store/postgres/address/password-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-passwords-'));
const file = join(folder, '.pgpass');
afterAll(() => rmSync(folder, { recursive: true }));

function write(lines: readonly string[], mode = 0o600): void {
  writeFileSync(file, lines.join('\n'));
  chmodSync(file, mode);
}

const ada = { host: 'db.example.com', port: 5432, database: 'plant', user: 'ada' };

describe("libpq's password file", () => {
  it('gives the password of the first line that fits', () => {
    write([
      '# db.example.com:5432:plant:ada:comment',
      'short:line',
      'db.example.com:5433:plant:ada:port',
      'db.example.com:5432:plant:bob:user',
      'db.example.com:*:plant:ada:first',
      '*:*:*:*:any',
    ]);
    expect(passwordIn(file, ada)).toBe('first');
    expect(passwordIn(file, { ...ada, user: 'bob' })).toBe('user');
    expect(passwordIn(file, { ...ada, user: 'eve' })).toBe('any');
  });

  it('may contain colons and backslashes behind a backslash', () => {
    write(['\\:\\:1:5432:pl\\\\ant:ada:a\\:b\\\\c:rest\\']);
    expect(passwordIn(file, { ...ada, host: '::1', database: 'pl\\ant' })).toBe('a:b\\c');
  });

  it('calls the usual folders of sockets localhost', () => {
    write(['localhost:5432:plant:ada:local', '/srv/pg:5432:plant:ada:folder']);
    expect(passwordIn(file, { ...ada, host: '/var/run/postgresql' })).toBe('local');
    expect(passwordIn(file, { ...ada, host: '/srv/pg' })).toBe('folder');
  });

  it('has none where it is missing, or is no file', () => {
    write(['*:*:*:bob:other']);
    expect(passwordIn(file, ada)).toBeUndefined();
    expect(passwordIn(join(folder, 'none'), ada)).toBeUndefined();
    mkdirSync(join(folder, 'folder'));
    expect(passwordIn(join(folder, 'folder'), ada)).toBeUndefined();
    expect(passwordIn('/dev/null', ada)).toBeUndefined();
    expect(passwordIn(join(folder, 'x'.repeat(300)), ada)).toBeUndefined();
  });

  it('is not used where other accounts may read it', () => {
    write(['*:*:*:*:open'], 0o640);
    expect(() => passwordIn(file, ada)).toThrow(
      expect.objectContaining({ code: 'store_unreadable', hint: `chmod 600 ${file}` }),
    );
  });

  it('is the one of the address, of PGPASSFILE or of the home folder', () => {
    const fileOf = (address: string, env: Record<string, string>) =>
      parseLocation(address, env).passwordFile;
    expect(fileOf('postgres://u@h/d?passfile=/a', { PGPASSFILE: '/b', HOME: '/c' })).toBe('/a');
    expect(fileOf('postgres://u@h/d', { PGPASSFILE: '/b', HOME: '/c' })).toBe('/b');
    expect(fileOf('postgres://u@h/d', { HOME: '/c' })).toBe('/c/.pgpass');
    expect(fileOf('postgres://u@h/d', {})).toBeUndefined();
  });
});

/** A server that asks for a password and refuses every one; only the beginning of the protocol is there. */
const given: string[] = [];
const server = createServer((socket: Socket) => {
  let isStarted = false;
  socket.on('data', (chunk) => {
    if (!isStarted) socket.write(Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3]));
    else {
      given.push(chunk.subarray(5, -1).toString());
      const fields = Buffer.from('SFATAL\0C28P01\0Mwrong password\0\0');
      const head = Buffer.from([69, 0, 0, 0, 4 + fields.length]);
      socket.end(Buffer.concat([head, fields]));
    }
    isStarted = true;
  });
  socket.on('error', () => socket.destroy());
});

describe('a server that wants a password', () => {
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterAll(() => server.close());

  const open = (env: Record<string, string>) => {
    const options = { clock: Date.now, migrationsFolder: 'migrations', env };
    return engineAt(`postgres://ada@127.0.0.1:${port}/plant?sslmode=disable`, options).open();
  };
  const refused = {
    code: 'store_unreadable',
    message: expect.stringContaining('refused the log-in'),
  };

  it('gets that of the file, without a warning of the driver', async () => {
    const warnings: string[] = [];
    const listen = (warning: Error) => warnings.push(warning.message);
    process.on('warning', listen);
    write([`127.0.0.1:${port}:plant:ada:from the file`]);
    await expect(open({ PGPASSFILE: file })).rejects.toMatchObject(refused);
    await expect(open({ PGPASSFILE: file, PGPASSWORD: 'from the variable' })).rejects.toMatchObject(
      refused,
    );
    // Node emits warnings in a later iteration.
    await new Promise(setImmediate);
    process.off('warning', listen);
    expect(given).toEqual(['from the file', 'from the variable']);
    expect(warnings).toEqual([]);
  });

  it('is sent none where none is known, and the file of others is named', async () => {
    given.length = 0;
    const unknown = {
      ...refused,
      message: expect.stringContaining('asks for a password, and none is known'),
    };
    await expect(open({})).rejects.toMatchObject(unknown);
    write([`127.0.0.1:${port}:plant:ada:open`], 0o644);
    await expect(open({ PGPASSFILE: file })).rejects.toMatchObject({
      message: expect.stringContaining(file),
    });
    expect(given).toEqual([]);
  });
});
