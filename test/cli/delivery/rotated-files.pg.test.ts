import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { drawSecret } from '../../../src/core/secrets.ts';
import type { Cli, KeyJson } from '../harness.ts';
import { allKeys, createLine, gatewayPlant, isValid } from './gateway-plant.ts';

let cli: Cli;
let folder: string;
let file: string;
beforeEach(async () => {
  ({ cli, folder, file } = await gatewayPlant());
});

describe('keys rotate --secret-file', () => {
  let key: KeyJson;
  let secret: string;
  beforeEach(async () => {
    await cli.ok([...createLine, '--secret-file', file]);
    secret = readFileSync(file, 'utf8').trim();
    key = await cli.show(secret.slice(0, 8));
  });
  const rotate = (...more: string[]) =>
    cli.run(['keys', 'rotate', secret.slice(0, 8), '--secret-file', file, '--yes', ...more]);

  it('replaces the file that holds the old secret', async () => {
    expect((await rotate()).code).toBe(0);
    const next = readFileSync(file, 'utf8').trim();
    expect(next).not.toBe(secret);
    expect([await isValid(cli, secret), await isValid(cli, next)]).toEqual([false, true]);
    expect(readdirSync(folder)).toEqual(['gateway.key']);
    expect(await cli.show(next.slice(0, 8))).toMatchObject({
      name: key.name,
      rotated_from: key.id,
      permissions: key.permissions,
    });
  });

  it('follows a link and replaces what is behind it', async () => {
    const link = join(folder, 'link');
    symlinkSync(file, link);
    await cli.ok(['keys', 'rotate', key.prefix, '--secret-file', link, '--yes']);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(link, 'utf8'));
    expect(await isValid(cli, readFileSync(file, 'utf8').trim())).toBe(true);
  });

  it('refuses a link to nowhere, also forced: its disk may not be mounted now', async () => {
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'unmounted', 'key'), link);
    for (const more of [[], ['--force']]) {
      const refused = await cli.run([
        'keys',
        'rotate',
        key.prefix,
        '--secret-file',
        link,
        '--yes',
        ...more,
      ]);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('a link to a file that does not exist'),
      ]);
    }
    expect(readlinkSync(link)).toBe(join(folder, 'unmounted', 'key'));
    expect(await isValid(cli, secret)).toBe(true);
  });

  it('refuses a file that holds anything else, unless forced', async () => {
    writeFileSync(file, 'precious');
    const refused = await rotate();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('--force')]);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await isValid(cli, secret)).toBe(true);
    expect((await rotate('--force')).code).toBe(0);
    expect(await isValid(cli, readFileSync(file, 'utf8').trim())).toBe(true);
  });

  it('refuses the file of another key', async () => {
    const other = await cli.key('Other');
    const result = await cli.run([
      'keys',
      'rotate',
      other.key.prefix,
      '--secret-file',
      file,
      '--yes',
    ]);
    expect(result.code).toBe(5);
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
  });

  it('ends a rotation that was cut off after it was kept', async () => {
    const { secret: next } = (
      await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])
    ).json<{
      secret: string;
    }>();
    writeFileSync(`${file}.new`, `${next}\n`, { mode: 0o600 });
    const result = await rotate('--json');
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({
      key: { prefix: next.slice(0, 8) },
      revoked: { id: key.id },
      secret_file: file,
    });
    expect(readFileSync(file, 'utf8').trim()).toBe(next);
    expect(existsSync(`${file}.new`)).toBe(false);
    expect((await allKeys(cli)).filter(({ status }) => status === 'Active')).toHaveLength(1);
  });

  it('discards a leftover that was never kept, and rotates', async () => {
    writeFileSync(`${file}.new`, `${drawSecret()}\n`);
    const result = await rotate();
    expect([result.code, result.stderr]).toEqual([0, expect.stringContaining('Discarded')]);
    expect(await isValid(cli, readFileSync(file, 'utf8').trim())).toBe(true);
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it.each(['my precious notes\n', 'x'.repeat(5000), 'hk_ and more'])(
    'leaves a PATH.new alone that is of somebody else (%.20s), unless forced',
    async (notes) => {
      writeFileSync(`${file}.new`, notes);
      const refused = await rotate();
      expect([refused.code, refused.stderr]).toEqual([
        5,
        expect.stringContaining('holds no secret'),
      ]);
      expect(readFileSync(`${file}.new`, 'utf8')).toBe(notes);
      expect(
        (await cli.run(['keys', 'rotate', 'hk_zzzzz', '--secret-file', file, '--yes'])).code,
      ).toBe(3);
      expect(readFileSync(`${file}.new`, 'utf8')).toBe(notes);
      expect(await isValid(cli, secret)).toBe(true);
      expect((await rotate('--force')).code).toBe(0);
      expect(await isValid(cli, readFileSync(file, 'utf8').trim())).toBe(true);
    },
  );

  it.each(['', 'hk_', 'h'])(
    'discards what is left of a write that was cut off (%j)',
    async (left) => {
      writeFileSync(`${file}.new`, left);
      expect((await rotate()).code).toBe(0);
      expect(await isValid(cli, readFileSync(file, 'utf8').trim())).toBe(true);
    },
  );

  it.each([
    ['its own secret', () => `${secret}\n`],
    ['the notes of somebody', () => 'important'],
    ['nothing', () => undefined],
  ])(
    'says of no key that it was rotated where PATH.new holds its own secret, and PATH %s',
    async (_, content) => {
      writeFileSync(`${file}.new`, `${secret}\n`);
      const held = content();
      if (held === undefined) rmSync(file);
      else writeFileSync(file, held);
      for (const more of [[], ['--force'], ['--json']]) {
        const result = await rotate(...more);
        expect([result.code, result.stderr]).toEqual([
          5,
          expect.stringContaining('no rotation was cut off'),
        ]);
      }
      expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(held);
      expect(await isValid(cli, secret)).toBe(true);
    },
  );

  it('ends no rotation over the notes of somebody, unless forced', async () => {
    const next = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<{
      secret: string;
    }>().secret;
    writeFileSync(`${file}.new`, `${next}\n`, { mode: 0o600 });
    writeFileSync(file, 'notes');
    const refused = await rotate();
    expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining('--force')]);
    expect(readFileSync(file, 'utf8')).toBe('notes');
    expect((await rotate('--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8').trim()).toBe(next);
  });

  it('ends a rotation that was cut off also where its new key is named', async () => {
    const next = (await cli.ok(['keys', 'rotate', key.prefix, '--yes', '--json'])).json<{
      secret: string;
    }>().secret;
    writeFileSync(`${file}.new`, `${next}\n`, { mode: 0o600 });
    await cli.ok(['keys', 'rotate', next.slice(0, 8), '--secret-file', file, '--yes']);
    expect(readFileSync(file, 'utf8').trim()).toBe(next);
    expect(await isValid(cli, next)).toBe(true);
  });

  it('refuses what is not a regular file: exit 2', async () => {
    for (const path of [folder, '/dev/null']) {
      const result = await cli.run([
        'keys',
        'rotate',
        key.prefix,
        '--secret-file',
        path,
        '--force',
        '--yes',
      ]);
      expect([result.code, result.stderr]).toEqual([
        2,
        expect.stringContaining('is not a regular file'),
      ]);
    }
  });

  it('leaves the secret of another active key alone', async () => {
    const other = await cli.key('Other');
    writeFileSync(`${file}.new`, `${other.secret}\n`);
    expect((await rotate()).code).toBe(5);
    expect(readFileSync(`${file}.new`, 'utf8').trim()).toBe(other.secret);
    expect(await isValid(cli, secret)).toBe(true);
  });

  it('takes one key only', async () => {
    const other = await cli.key('Other');
    const result = await cli.run([
      'keys',
      'rotate',
      key.prefix,
      other.key.prefix,
      '--secret-file',
      file,
      '--yes',
    ]);
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining('--secret-dir')]);
  });
});
