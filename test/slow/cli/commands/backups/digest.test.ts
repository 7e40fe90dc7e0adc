import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { digestLineBytes } from '../../../../../src/store/backup-file/format.ts';
import { cli, file, folder, renewPlant } from '../../../../cli/commands/backups/backup-plant.ts';
import { tamperSchema } from '../../../../cli/tamper.ts';
import { createRandom } from '../../../../e2e/random.ts';
import { contentOf, refusalOf } from '../../../../store/changed-backups.ts';

beforeEach(renewPlant);

const lastLineOf = (path: string) => readFileSync(path, 'latin1').slice(-digestLineBytes, -1);
const withoutDigest = join(
  __dirname,
  ...['..', '..', '..', '..', 'store', 'frozen-backups', 'without-digest.backup.gz'],
);

/** Standard input with the bytes of a file. */
function inputOf(path: string): PassThrough {
  const input = new PassThrough();
  input.end(readFileSync(path));
  return input;
}

describe('the digest of a backup', () => {
  it('is printed, stands in its last line, and is in the audit trail of both', async () => {
    const { digest } = (await cli.ok(['backup', file, '--json'])).json();
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(lastLineOf(file)).toBe(digest);
    const last = async () => (await cli.ok('audit list --json --limit 1')).json<unknown[]>()[0];
    expect(await last()).toMatchObject({ action: 'store.backup', detail: { digest } });
    const restored = await cli.ok(['restore', file, '--yes', '--json', '--digest', `${digest}`]);
    expect(restored.json()).toMatchObject({ digest });
    expect(await last()).toMatchObject({
      action: 'store.restore',
      detail: { digest, replaced_head: expect.any(String), replaced_records: expect.any(Number) },
    });
    const other = await cli.ok(['backup', file, '--force']);
    expect(other.stdout).toContain(`\nDigest: ${lastLineOf(file)}\n`);
    expect(lastLineOf(file)).not.toBe(digest);
  });

  it('that --digest names is the only one that is restored', async () => {
    await cli.ok(['backup', file]);
    const other = `sha256:${'0'.repeat(64)}`;
    const { code, stderr } = await cli.run(['restore', file, '--yes', '--digest', other]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`not ${other}`)]);
    for (const wrong of ['0'.repeat(64), 'sha256:', 'sha256:xyz', 'md5:00', '']) {
      expect((await cli.run(['restore', file, '--yes', `--digest=${wrong}`])).code, wrong).toBe(2);
    }
    expect((await cli.run('audit list --action store.restore --json')).json()).toEqual([]);
    await cli.ok(['restore', file, '--yes', '--digest', lastLineOf(file).toUpperCase()]);
  });

  it('shows every bit that flips, wherever it is (400 places)', async () => {
    await cli.ok(['backup', file]);
    const whole = readFileSync(file);
    const random = createRandom(20_261_127);
    for (let round = 0; round < 400; round++) {
      const bytes = Buffer.from(whole);
      const [at, bit] = [random(bytes.length), random(8)];
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      const code = await refusalOf(bytes, join(folder, 'copy'));
      expect(['store_corrupt', 'bad_input'], `bit ${bit} of byte ${at}`).toContain(code);
    }
  });

  it('shows an end that was cut off, or that something follows', async () => {
    await cli.ok(['backup', file]);
    const whole = readFileSync(file);
    const random = createRandom(7);
    const { length } = whole;
    const lengths = [0, 1, 16, 99, 100, 171, 172, length - digestLineBytes, length - 2, length - 1];
    for (let round = 0; round < 50; round++) lengths.push(random(length));
    for (const shorter of lengths) {
      const code = await refusalOf(whole.subarray(0, shorter), join(folder, 'copy'));
      expect(['store_corrupt', 'bad_input'], `${shorter} of ${length} bytes`).toContain(code);
    }
    const longer = Buffer.concat([whole, Buffer.from('x')]);
    expect(await refusalOf(longer, join(folder, 'copy'))).toBe('store_corrupt');
    const twice = Buffer.concat([whole, whole.subarray(-digestLineBytes)]);
    expect(await refusalOf(twice, join(folder, 'copy'))).toBe('store_corrupt');
  });

  it('shows both in a compressed one, unless its content stays the same (200 places)', async () => {
    await cli.ok(['backup', `${file}.gz`]);
    const whole = readFileSync(`${file}.gz`);
    const random = createRandom(49);
    for (let round = 0; round < 200; round++) {
      const bytes = Buffer.from(whole);
      const [at, bit] = [random(bytes.length), random(8)];
      bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
      const code = await refusalOf(bytes, join(folder, 'copy'));
      if (code === undefined) expect(gunzipSync(bytes).equals(gunzipSync(whole))).toBe(true);
      else expect(['store_corrupt', 'bad_input'], `bit ${bit} of byte ${at}`).toContain(code);
      const shorter = await refusalOf(whole.subarray(0, at), join(folder, 'copy'));
      expect(['store_corrupt', 'bad_input'], `${at} bytes`).toContain(shorter);
    }
    expect(await refusalOf(gzipSync('no backup'), join(folder, 'copy'))).toBe('bad_input');
  });

  it.each([
    ['an exchanged row', "update users set role = 'super_user' where login = 'operator'"],
    ['a row more', "insert into marks values ('another', 1)"],
    ['a row less', "delete from users where login = 'operator'"],
    [
      'the rows of two sites exchanged',
      "update entities set code = iif(code = 'BER', 'CHI', 'BER') || 'x'",
    ],
    ['only its pages in another order', 'vacuum'],
  ])('shows %s, and nothing is changed', async (_, sql) => {
    await cli.ok(['backup', file]);
    tamperSchema(file, sql);
    const { code, stderr } = await cli.run(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('is damaged')]);
    expect((await cli.ok('audit list --action store.restore --json')).json()).toEqual([]);
  });
});

describe('a backup without a digest, of an earlier version', () => {
  beforeEach(() => writeFileSync(file, gunzipSync(readFileSync(withoutDigest))));

  it('is restored, and that it has none is said', async () => {
    const { stderr } = await cli.ok(['restore', file, '--yes']);
    expect(stderr).toContain('carries no digest');
    const keys = (await cli.ok('keys list --all --json')).json<
      { name: string; status: string }[]
    >();
    expect(keys.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
      'ERP Active',
      'Old one Revoked',
      'Oven gateway Active',
      'Oven gateway Active',
    ]);
    await cli.ok('audit verify');
    const { stdout } = await cli.ok(['restore', file, '--yes', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ digest: null });
  });

  it('is refused where one is asked for', async () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const { code, stderr } = await cli.run(['restore', file, '--yes', '--digest', digest]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('carries no digest')]);
  });

  it('is not what a newer one becomes that loses its last line', async () => {
    await cli.ok(['backup', file, '--force']);
    writeFileSync(file, contentOf(file));
    const { code, stderr } = await cli.run(['restore', file, '--yes']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('its end is missing')]);
  });
});

describe('a backup by standard output and input', () => {
  it('is the same as one in a file', async () => {
    const { bytes, stdout, stderr } = await cli.ok('backup -');
    expect([stdout, stderr]).toEqual(['', expect.stringContaining('Digest: sha256:')]);
    writeFileSync(file, bytes);
    const digest = lastLineOf(file);
    const input = inputOf(file);
    const line = ['restore', '-', '--yes', '--json', '--digest', digest];
    expect((await cli.ok(line, { input })).json()).toMatchObject({ file: '-', digest });
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({ target: '-', detail: { digest } });
    await cli.ok(['restore', file, '--yes']);
  });

  it('asks nothing, since the answer would come from there', async () => {
    await cli.ok(['backup', file]);
    const { code, stderr } = await cli.run('restore -', { input: inputOf(file) });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--yes')]);
  });

  it('is refused where it cannot go or come from', async () => {
    const terminal = { columns: 80, rows: 24 };
    for (const line of ['backup - --json', 'backup - --keep 3'])
      expect((await cli.run(line)).code, line).toBe(2);
    for (const line of ['backup -', 'restore - --yes']) {
      const { code, stdout, stderr } = await cli.run(line, { terminal });
      expect([code, stdout + stderr], line).toEqual([2, expect.stringContaining('is a terminal')]);
    }
    const empty = await cli.run('restore - --yes', { input: '' });
    expect([empty.code, empty.stderr]).toEqual([
      2,
      expect.stringContaining('standard input is not a backup'),
    ]);
  });

  it('that nobody takes is not noted as one', async () => {
    const onWrite = () => {
      throw Object.assign(new Error('EPIPE'), { code: 'EPIPE' });
    };
    expect((await cli.run('backup -', { onWrite })).code).not.toBe(0);
    expect((await cli.ok('audit list --action store.backup --json')).json()).toEqual([]);
  });
});

describe('a folder in which another account could exchange the file', () => {
  it('is refused for both, with what works', async () => {
    const open = join(folder, 'open');
    mkdirSync(join(open, 'inner'), { recursive: true });
    chmodSync(open, 0o777);
    await cli.ok(['backup', file]);
    for (const place of [open, join(open, 'inner')]) {
      const target = join(place, 'a.backup');
      copyFileSync(file, target);
      for (const line of [
        ['backup', target, '--force'],
        ['backup', '--keep', '3', place],
        ['restore', target, '--yes'],
      ]) {
        const { code, stderr } = await cli.run(line);
        expect([code, stderr], line.join(' ')).toEqual([
          2,
          expect.stringMatching(
            /Other accounts can write the folder .*open \(mode 0777\).*hkctl (backup|restore) -/s,
          ),
        ]);
      }
      expect(readFileSync(target).equals(readFileSync(file))).toBe(true);
    }
  });

  it('is not one that is sticky, nor the folder of the store itself', async () => {
    const sticky = join(folder, 'sticky');
    mkdirSync(sticky);
    chmodSync(sticky, 0o1777);
    await cli.ok(['backup', join(sticky, 'a.backup')]);
    await cli.ok(['restore', join(sticky, 'a.backup'), '--yes']);
    const own = dirname(cli.store);
    chmodSync(own, 0o770);
    await cli.ok(['backup', join(own, 'b.backup')]);
    rmSync(join(own, 'b.backup'));
  });
});
