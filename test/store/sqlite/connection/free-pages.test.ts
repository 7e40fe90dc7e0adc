import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import {
  emptyWriteAheadLog,
  filesOf,
  openFile,
  releaseFreePages,
  sizeOf,
} from '../../../../src/store/sqlite/connection/files.ts';
import type { Connection } from '../../../../src/store/sqlite-file/driver.ts';
import { batchOf } from '../../conformance/readings/readings.ts';
import { quiet } from '../../restores.ts';
import { nowMs, storeOptions } from '../../stores.ts';
import { openDaemon } from '../readings/opened-daemon.ts';

function database(canShorten: boolean): { file: string; connection: Connection } {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-free-pages-'));
  const file = join(folder, 'x.db');
  const connection = openFile(file, { create: true, canShorten });
  onTestFinished(() => {
    connection.close();
    rmSync(folder, { recursive: true });
  });
  return { file, connection };
}

/** A table of some megabytes, all but a few rows of which are removed again. */
function fillAndRemove(connection: Connection): void {
  connection.exec(`
    create table rows (id integer primary key, body blob);
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000)
    insert into rows select n, zeroblob(4000) from numbers;
    delete from rows where id <> 500;`);
}

const freePages = (connection: Connection) =>
  Number(connection.pragma('freelist_count', { simple: true }));

describe('free pages', () => {
  it('are given back in steps, and the rows stay', () => {
    const { file, connection } = database(true);
    fillAndRemove(connection);
    expect(freePages(connection)).toBeGreaterThan(900);
    let steps = 1;
    while (releaseFreePages(connection)) steps++;
    expect(steps).toBeGreaterThan(5);
    expect(freePages(connection)).toBe(0);
    emptyWriteAheadLog(connection);
    expect(sizeOf(file)).toBeLessThan(50_000);
    expect(connection.prepare('select id, length(body) as bytes from rows').all()).toEqual([
      { id: 500, bytes: 4000 },
    ]);
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('of a file of an earlier version stay in it', () => {
    const { connection } = database(false);
    fillAndRemove(connection);
    const before = freePages(connection);
    expect(releaseFreePages(connection)).toBe(false);
    expect(freePages(connection)).toBe(before);
  });
});

describe('the write-ahead log', () => {
  it('is emptied once nobody reads from it, and no reader is waited for', () => {
    const { file, connection } = database(true);
    fillAndRemove(connection);
    const reader = openFile(file);
    onTestFinished(() => void reader.close());
    reader.exec('begin');
    expect(reader.prepare('select count(*) from rows').pluck().get()).toBe(1);
    connection.exec('delete from rows');
    emptyWriteAheadLog(connection);
    expect(sizeOf(`${file}-wal`)).toBeGreaterThan(0);
    expect(reader.prepare('select count(*) from rows').pluck().get()).toBe(1);
    expect(connection.pragma('busy_timeout', { simple: true })).toBe(5000);
    reader.exec('commit');
    emptyWriteAheadLog(connection);
    expect(sizeOf(`${file}-wal`)).toBe(0);
  });
});

describe('the file of readings', () => {
  it('takes no more space than its chunks and sums when a daemon has compacted the log, also after a restore', async () => {
    const { store, path, series, other } = await openDaemon();
    const file = filesOf(path).readings;
    const append = async (from: number, count: number) => {
      for (let n = from; n < from + count; n += 5000) {
        const rows = Array.from({ length: 5000 }, (_, index) => [series, n + index, 1] as const);
        await store.readings.append(batchOf(rows));
      }
    };
    await append(0, 100_000);
    expect(sizeOf(file) + sizeOf(`${file}-wal`)).toBeGreaterThan(500_000);
    const isShort = () => sizeOf(`${file}-wal`) === 0 && sizeOf(file) < 200_000;
    await vi.waitUntil(isShort, { timeout: 20_000 });

    const backup = join(path, '..', 'plant.backup');
    await engineAt(path, storeOptions).backup(backup, { nowMs, force: false });
    other.close();
    await store.close();
    await engineAt(path, storeOptions).restore(backup, quiet);
    const restored = openFile(file);
    onTestFinished(() => void restored.close());
    expect(restored.pragma('auto_vacuum', { simple: true })).toBe(2);
  });
});
