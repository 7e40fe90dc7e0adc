import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engineAt } from '../../../src/store/open.ts';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import { rebuildReadings, unfinishedRebuild } from '../../../src/store/sqlite/rebuilt-readings.ts';
import { schemaVersions } from '../../../src/store/sqlite-file/schema/schema-versions.ts';
import { Cli } from '../../cli/harness.ts';
import { environment, Running } from '../../e2e/program.ts';
import { quiet } from '../../store/restores.ts';
import { makeOlder } from '../../store/sqlite/older.ts';
import { nowMs, storeOptions } from '../../store/stores.ts';
import { SmallDisk } from '../e2e/durability/small-disk.ts';

const hkctl = join(process.cwd(), 'bin', 'hkctl.js');
const { migrationsFolder } = storeOptions;
const sensors = 50;
const perSensor = 15_000;
/** Beyond the sensors of the plant. */
const firstSeries = 1000;

const atUs = (n: number) => 1.7e15 + n * 1e6;
const valueAt = (series: number, n: number) => ((n * 7 + series) % 1000) / 8;

/** The folder of a store of the version before this one, with 750,000 readings. */
let made: string;
let folder: string;
let path: string;

beforeAll(async () => {
  const cli = new Cli();
  cli.nowMs = Date.now();
  await cli.seed();
  makeOlder(cli.store);
  const older = openFile(filesOf(cli.store).readings);
  const name = older.prepare('insert into series values (?, ?, ?)');
  const put = older.prepare(
    'insert into readings (series, at_us, value, quality) values (?, ?, ?, 0)',
  );
  older.transaction(() => {
    for (let series = firstSeries; series < firstSeries + sensors; series++) {
      name.run(series, 'e', `s${series}`);
      for (let n = 0; n < perSensor; n++) put.run(series, atUs(n), valueAt(series, n));
    }
  })();
  older.close();
  made = dirname(cli.store);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-migration-'));
  path = copyTo(folder);
});
afterAll(() => rmSync(made, { recursive: true }));

function copyTo(target: string): string {
  cpSync(made, target, { recursive: true });
  return join(target, 'hkctl.db');
}

function versionAt(store: string): unknown {
  const connection = openFile(filesOf(store).readings);
  try {
    return connection.pragma('user_version', { simple: true });
  } finally {
    connection.close();
  }
}

/** Every reading is there once, and nothing else. */
function expectAll(store: string): void {
  const connection = openFile(filesOf(store).readings);
  const { chunks } = new StoredReadings(connection);
  for (let series = firstSeries; series < firstSeries + sensors; series++) {
    let n = 0;
    for (const { columns } of chunks.read(
      series,
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    )) {
      for (let i = 0; i < columns.count; i++, n++) {
        if (columns.atUs[i] !== atUs(n) || columns.values[i] !== valueAt(series, n))
          expect.fail(`${series} at ${n}`);
      }
    }
    expect(n).toBe(perSensor);
  }
  connection.close();
  expect(existsSync(filesOf(store).rebuilt)).toBe(false);
}

const migrate = (env: Record<string, string> = {}) =>
  new Running(process.execPath, [hkctl, 'migrate', '--without-backup'], {
    env: environment({ HKCTL_STORE: path, HKCTL_USER: 'root', ...env }),
  });

describe('a migration of readings', () => {
  it('that is killed at any time goes on with the next one, and the old file stays until it is done', async () => {
    const beganAt = performance.now();
    expect((await migrate().ended).code).toBe(0);
    const wholeMs = performance.now() - beganAt;
    let kills = 0;
    let attempts = 0;
    let continued = 0;
    for (let round = 0; round < 8; round++) {
      rmSync(folder, { recursive: true });
      path = copyTo(folder);
      for (let isDone = false; !isDone; ) {
        const running = migrate();
        const timer = setTimeout(
          () => running.child.kill('SIGKILL'),
          (((attempts++ * 0.27) % 0.8) + kills / 40) * wholeMs,
        );
        const { code, signal, stderr } = await running.ended;
        clearTimeout(timer);
        isDone = code === 0;
        expect(isDone || signal === 'SIGKILL', stderr).toBe(true);
        if (isDone) break;
        kills++;
        const isOld = versionAt(path) !== schemaVersions.readings;
        if (isOld && existsSync(filesOf(path).rebuilt)) continued++;
        if (isOld) expect(oldCount()).toBe(sensors * perSensor);
      }
      expectAll(path);
    }
    expect(kills).toBeGreaterThan(8);
    expect(continued).toBeGreaterThan(2);
  }, 900_000);

  it('that is killed at any step of its end leaves the old file or the new one', async () => {
    const preload = join(folder, 'killer.cjs');
    writeFileSync(preload, killer);
    for (let step = 0, isDone = false; !isDone; step++) {
      const { code, signal, stderr } = await migrate({
        NODE_OPTIONS: `--require ${preload}`,
        KILL_BEFORE: String(step),
      }).ended;
      isDone = code === 0;
      expect(isDone || signal === 'SIGKILL', stderr).toBe(true);
      if (versionAt(path) !== schemaVersions.readings) {
        expect(oldCount()).toBe(sensors * perSensor);
        continue;
      }
      expectAll(path);
      // The whole once more, for the steps that come after it.
      if (isDone) expect(step).toBeGreaterThan(4);
      else path = copyTo(folder);
    }
  }, 900_000);

  it('leaves the old file on a disk that becomes full, and goes on with space', async () => {
    const disk = new SmallDisk('120m');
    try {
      path = copyTo(join(disk.folder, 'state'));
      const content = readFileSync(filesOf(path).readings);
      const older = { path, version: 2, migrationsFolder, backup: undefined };
      expect(() => rebuildReadings({ ...older, progress: () => disk.fill() })).toThrow(
        expect.objectContaining({ code: 'store_full' }),
      );
      expect(readFileSync(filesOf(path).readings).equals(content)).toBe(true);
      disk.makeRoom();
      disk.fill(2_000_000);
      expect((await migrate().ended).stderr).toMatch(
        /may need \d+ MB .* has \d MB; nothing was changed/,
      );
      disk.makeRoom();
      expect(await migrate().ended).toMatchObject({ code: 0 });
      expectAll(path);
    } finally {
      disk.close();
    }
  });

  it('that finds the disk full at its very end keeps what it has converted', () => {
    const disk = new SmallDisk('120m');
    try {
      path = copyTo(join(disk.folder, 'state'));
      const older = {
        path,
        version: 2,
        migrationsFolder,
        backup: 'plant.backup',
        progress: () => {},
      };
      const rebuilt = rebuildReadings(older);
      // Room for one more change in the log, and none for that log in the file.
      disk.fill(100_000);
      expect(() => rebuilt.putInPlace()).toThrow(expect.objectContaining({ code: 'store_full' }));
      rebuilt.close();
      disk.makeRoom();
      expect(unfinishedRebuild(path)).toEqual({ backup: 'plant.backup' });
    } finally {
      disk.close();
    }
  });

  it('and a restore on a full disk leaves the store as it was', async () => {
    const disk = new SmallDisk('120m');
    const file = join(folder, 'plant.backup');
    try {
      await engineAt(path, storeOptions).migrate(() => {}, { withoutBackup: true });
      await engineAt(path, storeOptions).backup(file, { nowMs, force: false });
      cpSync(folder, join(disk.folder, 'state'), { recursive: true });
      const other = join(disk.folder, 'state', 'hkctl.db');
      disk.fill(300_000);
      await expect(engineAt(other, storeOptions).restore(file, quiet)).rejects.toMatchObject({
        code: 'store_full',
      });
      expectAll(other);
      disk.makeRoom();
      await engineAt(other, storeOptions).restore(file, quiet);
      expectAll(other);
    } finally {
      disk.close();
    }
  });
});

function oldCount(): unknown {
  const connection = openFile(filesOf(path).readings);
  try {
    return connection
      .prepare(`select count(*) from readings where series >= ${firstSeries}`)
      .pluck()
      .get();
  } finally {
    connection.close();
  }
}

/** Kills the program right before its n-th change to a file that is none of SQLite's own. */
const killer = `
const fs = require('node:fs');
let left = Number(process.env.KILL_BEFORE);
for (const name of ['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'rmSync', 'chmodSync']) {
  const original = fs[name];
  fs[name] = function (...args) {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
}
`;
