import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, startMs } from '../../harness.ts';

const dayMs = 86_400_000;

let cli: Cli;
let folder: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = join(dirname(dirname(cli.store)), 'backups');
  mkdirSync(folder);
});

const names = () => readdirSync(folder).sort();
const keep = (number: number, nowMs: number, more: string[] = []) =>
  cli.ok(['backup', '--keep', String(number), folder, ...more], { nowMs });

it('backup to a folder without --keep writes a new file in it, and removes none', async () => {
  for (const day of [0, 1])
    await cli.ok(['backup', `${folder}${day === 0 ? '/' : ''}`], { nowMs: startMs + day * dayMs });
  expect(readdirSync(folder).map((name) => /^hkctl-.*/.test(name))).toEqual([true, true]);
  const { code, stderr } = await cli.run(['backup', join(folder, 'none/')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('none is not a folder that exists.')]);
  expect(readdirSync(folder)).toHaveLength(2);
});

describe('backup --keep', () => {
  it('keeps the newest ones of this store, and reports and audits what it did', async () => {
    for (let day = 0; day < 3; day++) await keep(3, startMs + day * dayMs);
    const before = names();
    expect(before).toEqual(
      [20, 21, 22].map((day) =>
        expect.stringMatching(`^hkctl-202611${day}T080000Z-[0-9a-f]{8}.backup.gz$`),
      ),
    );
    const report = (await keep(2, startMs + 3 * dayMs, ['--json'])).json<{
      file: string;
      removed: string[];
    }>();
    expect(report.removed.sort()).toEqual(before.slice(0, 2).map((name) => join(folder, name)));
    expect(names()).toEqual([before[2], expect.stringContaining('hkctl-20261123T')]);
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({
      action: 'store.backup',
      target: report.file,
      detail: { keep: 2 },
    });
    expect((await keep(1, startMs + 4 * dayMs)).stdout).toMatch(
      /\nRemoved, to keep 1: hkctl-\S+, hkctl-\S+\n$/,
    );
  });

  it('leaves everything else alone: other stores, other files, links, damaged ones', async () => {
    const other = await new Cli().fill();
    await other.ok(['backup', '--keep', '1', folder], { nowMs: startMs - dayMs });
    const [others = ''] = names();
    await keep(1, startMs);
    const mine = names().find((name) => name.includes('20261120')) ?? '';
    expect(names()).toEqual([others, mine].sort());
    const id = mine.slice(-'-00000000.backup.gz'.length);
    writeFileSync(join(folder, `hkctl-20200101T000000Z${id}`), 'no backup');
    copyFileSync(join(folder, mine), join(folder, `hkctl-20200102T000000Z${id}`));
    truncateSync(join(folder, `hkctl-20200102T000000Z${id}`), 50);
    copyFileSync(join(folder, mine), join(folder, `my-hkctl-20200103T000000Z${id}`));
    copyFileSync(join(folder, mine), join(folder, 'precious.backup'));
    symlinkSync(join(folder, 'precious.backup'), join(folder, `hkctl-20200104T000000Z${id}`));
    mkdirSync(join(folder, `hkctl-20200105T000000Z${id}`));
    const before = names();
    await keep(1, startMs + dayMs);
    expect(names()).toEqual(
      [...before.filter((name) => name !== mine), `hkctl-20261121T080000Z${id}`].sort(),
    );
  });

  it('is not misled by a clock that was ahead, nor by a restore of an older backup', async () => {
    await keep(3, startMs);
    const [first = ''] = names();
    for (const day of [400, 401, 402]) await keep(3, startMs + day * dayMs);
    const later = [1, 2, 3].map((day) => startMs + day * dayMs);
    for (const [n, nowMs] of later.entries()) {
      await keep(3, nowMs);
      if (n === 0)
        await cli.ok(
          ['restore', join(folder, names().find((name) => name > first) ?? ''), '--yes'],
          { nowMs },
        );
    }
    expect(names()).toEqual(
      [21, 22, 23].map((day) => expect.stringContaining(`hkctl-202611${day}T`)),
    );
  });

  it('takes those of an earlier version, which are not compressed and have no number, for older', async () => {
    for (const day of [1, 2, 3]) await keep(4, startMs + day * dayMs);
    for (const file of names().map((name) => join(folder, name))) {
      const bytes = gunzipSync(readFileSync(file));
      writeFileSync(file.replace(/\.gz$/, ''), bytes.fill(0, 60, 64));
      rmSync(file);
    }
    await keep(3, startMs);
    expect(names()).toEqual(
      [20, 22, 23].map((day) => expect.stringContaining(`hkctl-202611${day}T`)),
    );
  });

  it('never removes the backup just written, even where the clock went back', async () => {
    await keep(2, startMs + dayMs);
    await keep(2, startMs + 2 * dayMs);
    await keep(2, startMs);
    expect(names()).toEqual([expect.stringContaining('1120T'), expect.stringContaining('1122T')]);
  });

  it('removes nothing where the backup fails', async () => {
    await keep(1, startMs);
    expect((await cli.run(['backup', '--keep', '1', folder])).code).toBe(5);
    expect(
      (
        await cli.run(['backup', '--keep', '1', folder], {
          osAccount: 'operator',
          nowMs: startMs + 1000,
        })
      ).code,
    ).toBe(4);
    expect(names()).toHaveLength(1);
  });

  it('needs a folder, and a number of 1 or more', async () => {
    const { code, stderr } = await cli.run(['backup', '--keep', '3', join(folder, 'new')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a folder that exists')]);
    for (const wrong of ['0', '-1', '1.5', 'all', '']) {
      expect((await cli.run(['backup', `--keep=${wrong}`, folder])).code, wrong).toBe(2);
    }
    expect(names()).toEqual([]);
  });
});
