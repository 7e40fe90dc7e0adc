import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReadings } from '../../../src/core/readings/series-readings.ts';
import { engineAt } from '../../../src/store/open.ts';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import { StoredReadings } from '../../../src/store/sqlite/readings/stored.ts';
import { Chunks } from '../../../src/store/sqlite-file/chunks/chunks.ts';
import { Cli } from '../../cli/harness.ts';
import { environment, Running } from '../../e2e/program.ts';
import { frozenVersion, thaw } from '../../store/frozen.ts';
import { quiet } from '../../store/restores.ts';
import { nowMs, storeOptions } from '../../store/stores.ts';
import { SmallDisk } from '../e2e/durability/small-disk.ts';

const hkctl = join(process.cwd(), 'bin', 'hkctl.js');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (store: string, args: readonly string[], env: Record<string, string> = {}) =>
  new Running(process.execPath, [hkctl, ...args], {
    env: environment({ HKCTL_STORE: store, HKCTL_USER: 'root', ...env }),
  }).ended;

describe('a migration', () => {
  it('that is killed before any of its changes is completed by the next one', async () => {
    const preload = join(folder, 'killer.cjs');
    writeFileSync(preload, killer);
    const env = { NODE_OPTIONS: `--require ${preload}` };

    for (let step = 0, isDone = false; !isDone; step++) {
      const { store } = thaw(frozenVersion, join(folder, `step-${step}`));
      const killed = await run(store, ['migrate'], { ...env, KILL_BEFORE: String(step) });
      isDone = killed.code === 0;
      expect(isDone || killed.signal === 'SIGKILL', killed.stderr).toBe(true);
      if (isDone) expect(step).toBeGreaterThan(10);

      expect(await run(store, ['migrate']), `killed before step ${step}`).toMatchObject({
        code: 0,
      });
      const sensors = await run(store, ['sensors', 'list', '--entity', 'BER', '--json']);
      expect(JSON.parse(sensors.stdout)).toMatchObject([{ code: 'OVEN-1', last_value: 182.4 }]);
      expect(await run(store, ['audit', 'verify'])).toMatchObject({ code: 0 });
      rmSync(dirname(store), { recursive: true });
    }
  }, 900_000);
});

describe('a restore', () => {
  it('that finds the disk full leaves the store as it was', async () => {
    const cli = await new Cli().seed();
    const chunks = openFile(filesOf(cli.store).readings);
    fill(chunks);
    chunks.close();
    const file = join(folder, 'plant.backup');
    const disk = new SmallDisk('40m');
    try {
      await engineAt(cli.store, storeOptions).backup(file, { nowMs, force: false });
      cpSync(dirname(cli.store), join(disk.folder, 'state'), { recursive: true });
      const store = join(disk.folder, 'state', basename(cli.store));
      disk.fill(300_000);
      await expect(engineAt(store, storeOptions).restore(file, quiet)).rejects.toMatchObject({
        code: 'store_full',
      });
      expectAll(store);

      disk.makeRoom();
      await engineAt(store, storeOptions).restore(file, quiet);
      expectAll(store);
    } finally {
      disk.close();
      rmSync(dirname(cli.store), { recursive: true });
    }
  });
});

const [series, count] = [1000, 1_000_000];
const atUs = (n: number) => 1.7e15 + n * 1e6;
const valueAt = (n: number) => (n * 7919) % 1_000_003;

/** A megabyte of readings and more, of a sensor that the plant does not have. */
function fill(connection: ReturnType<typeof openFile>): void {
  connection.prepare('insert into series values (?, ?, ?)').run(series, 'e', 's');
  const readings = createReadings(count);
  for (let n = 0; n < count; n++) {
    readings.atUs[n] = atUs(n);
    readings.values[n] = valueAt(n);
  }
  readings.count = count;
  connection.transaction(() => new Chunks(connection).add(series, readings))();
}

/** Every reading is there once, and nothing else. */
function expectAll(store: string): void {
  const connection = openFile(filesOf(store).readings);
  try {
    let n = 0;
    const { chunks } = new StoredReadings(connection);
    const [first, last] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const readings of chunks.read(series, first, last))
      for (let i = 0; i < readings.count; i++, n++)
        if (readings.atUs[i] !== atUs(n) || readings.values[i] !== valueAt(n))
          expect.fail(`reading ${n}`);
    expect(n).toBe(count);
  } finally {
    connection.close();
  }
}

/** Kills the program right before the n-th time that it syncs, renames or removes a file, begins or commits. */
const killer = `
const fs = require('node:fs');
const Module = require('node:module');
let left = Number(process.env.KILL_BEFORE);
const counted = (owner, name, isChange = () => true) => {
  const original = owner[name];
  owner[name] = function (...args) {
    if (isChange(...args) && left-- === 0) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
};
for (const name of ['fsyncSync', 'renameSync', 'linkSync', 'rmSync']) counted(fs, name);
const load = Module._load;
const seen = new Set();
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (/better-sqlite3/.test(request) && loaded.prototype?.exec && !seen.has(loaded)) {
    seen.add(loaded);
    counted(loaded.prototype, 'exec', (sql) => /^(begin|commit)/.test(sql));
  }
  return loaded;
};
`;
