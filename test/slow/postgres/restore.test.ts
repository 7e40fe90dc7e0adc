import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordPosition } from '../../../src/core/port/records.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { sensors } from '../../../src/resources/sensor-lookup.ts';
import { engineAt } from '../../../src/store/open.ts';
import { cli, environment, Running } from '../../e2e/program.ts';
import { batchOf } from '../../store/conformance/readings/readings.ts';
import { importInto } from '../../store/conformance/records/stored-records.ts';
import { portraitOf } from '../../store/portrait.ts';
import { newDatabase } from '../../store/postgres/databases.ts';
import { at, holding, quiet } from '../../store/restores.ts';
import { nowMs, plantIn, storeOptions } from '../../store/stores.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-restores-'));
  file = join(folder, 'plant.backup');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A store with a plant, and its backup. */
async function planted(): Promise<string> {
  const address = await newDatabase('store');
  await at(address, plantIn);
  await engineAt(address, storeOptions).backup(file, { nowMs, force: false });
  return address;
}

describe('a restore into PostgreSQL', () => {
  it('does not begin while another change takes long, and changes nothing', async () => {
    const address = await planted();
    const before = await at(address, portraitOf);
    const other = await holding(
      address,
      "insert into hkctl.record_changes values (1, 'x', 'x', '')",
    );
    try {
      await expect(engineAt(address, storeOptions).restore(file, quiet)).rejects.toMatchObject({
        code: 'store_locked',
      });
    } finally {
      await other.query('rollback');
      await other.end();
    }
    expect(await at(address, portraitOf)).toEqual(before);
  });

  it('shuts out a daemon that starts meanwhile', async () => {
    const address = await planted();
    const locked: unknown[] = [];
    await engineAt(address, storeOptions).restore(file, {
      ...quiet,
      async audit() {
        const daemon = await engineAt(address, storeOptions).open();
        locked.push(
          await Promise.resolve(daemon.daemon.begin()).catch((thrown: unknown) => thrown),
        );
        await daemon.close();
      },
    });
    expect(locked).toMatchObject([{ code: 'store_locked' }]);
  });

  it('of 100,000 records and a million readings, and a backup of them, take bounded memory', async () => {
    const source = join(folder, 'hkctl.db');
    const made = await engineAt(source, storeOptions).create();
    const plant = await plantIn(made);
    await importInto(made, plant, parts, rowsOf(100_000, partRow), { batch: 1000 });
    await importInto(made, plant, sensors, rowsOf(sensorCount, sensorRow));
    const directory = await made.readings.directory(plant.entity.id);
    const series = Array.from(
      { length: sensorCount },
      (_, n) => directory.get(`C${n}`)?.series ?? 0,
    );
    for (let n = 0; n < 1_000_000 / sensorCount; n++) {
      await made.readings.append(
        batchOf(series.map((number) => [number, n * 60e6, n / 3] as const)),
      );
    }
    await made.close();
    const address = await newDatabase();
    const back = join(folder, 'back.db');
    const again = join(folder, 'again.backup');
    const peaks = [
      await peakOf(source, ['backup', file]),
      await peakOf(address, ['restore', file, '--yes']),
      await peakOf(address, ['backup', again]),
      await peakOf(back, ['restore', again, '--yes']),
    ];
    // All rows together would be several times as much.
    for (const peak of peaks) expect(peak, `peaks in MB: ${peaks}`).toBeLessThan(mostMegabytes);
    // The same rows in the same order, pages and all; the audit events of the commands make the rest. Chunks of readings that were
    // short and written under load are compressed in the second backup.
    expect(statSync(again).size).toBeLessThan(statSync(file).size * 1.05);
    expect(statSync(again).size).toBeGreaterThan(statSync(file).size * 0.8);
    expect(await at(address, (store) => countsOf(store, plant.entity.id))).toEqual([
      100_000, 1_000_000,
    ]);
    expect(await at(back, (store) => countsOf(store, plant.entity.id))).toEqual([
      100_000, 1_000_000,
    ]);
  });
});

const sensorCount = 2000;
/** Measured: 99 to 156, most of it Node and its code. */
const mostMegabytes = 300;

function* rowsOf<T>(count: number, row: (n: number) => T): Generator<T> {
  for (let n = 0; n < count; n++) yield row(n);
}

const partRow = (n: number) => ({
  id: `P-${n}`,
  name: `Part number ${n} of the plant`,
  part_number: `PN-${n}`,
  is_active: true,
  weight_kg: n / 7,
});
const sensorRow = (n: number) => ({
  id: `S${n}`,
  code: `C${n}`,
  name: `Sensor ${n}`,
  is_active: true,
});

async function countsOf(store: Store, entityId: string): Promise<number[]> {
  let records = 0;
  for (let after: RecordPosition | null | undefined; after !== null; ) {
    const page = await store.records.page({
      resource: parts,
      entityId,
      conditions: [],
      orderBy: 'id',
      limit: 5000,
      ...(after && { after }),
    });
    records += page.count;
    after = page.next;
  }
  let readings = 0;
  const numbers = new Set(
    [...(await store.readings.directory(entityId)).values()].map(({ series }) => series),
  );
  for (const series of numbers)
    readings += (await store.readings.range({ series, limit: 100_000 })).length;
  return [records, readings];
}

/** Runs a command, and returns the most memory that it ever had, in MB. */
async function peakOf(store: string, args: readonly string[]): Promise<number> {
  const env = environment({ HKCTL_STORE: store, HKCTL_USER: 'acme-admin' });
  const running = new Running(process.execPath, [cli, ...args], { env });
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakNow(running.child.pid ?? 0) ?? 0);
  }, 20);
  const { code, stderr } = await running.ended;
  clearInterval(timer);
  expect(code, stderr).toBe(0);
  expect(peak).toBeGreaterThan(0);
  return Math.round(peak / 1024);
}

/** The peak so far in KB; undefined once the process has ended. */
function peakNow(pid: number): number | undefined {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return undefined;
    throw thrown;
  }
}
