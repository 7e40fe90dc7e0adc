import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SliceRequest } from '../../../../src/core/readings/reads/slices.ts';
import { openFile } from '../../../../src/store/sqlite/connection/files.ts';
import type { Reader } from '../../../../src/store/sqlite/readings/reader/reader.ts';
import { ThreadClient } from '../../../../src/store/sqlite/readings/thread-client.ts';
import { applyMigrations } from '../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import { readingsOn } from './sent.ts';

const script = join(process.cwd(), 'dist', 'readings.cjs');
const slice: SliceRequest = { series: 1, limit: 10, most: 10, format: 'csv' };

const readerOf = (program: string, of: string) =>
  new ThreadClient<Reader>({ script: program, data: of, role: 'reader' });

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-reader-'));
  file = join(folder, 'readings.db');
  const connection = openFile(file, { busyTimeoutMs: 100, create: true });
  applyMigrations(connection, 'readings', 'migrations', file);
  readingsOn(connection).send([
    [1, 0, 1.5, 1],
    [1, 1_000_000, 2.5],
  ]);
  connection.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the reader thread', () => {
  it('reads slices, one after the other, and ends when it is closed', async () => {
    const client = readerOf(script, file);
    const first = await client.call('slice', [{ ...slice, limit: 1 }]);
    expect(Buffer.from(first.text).toString()).toBe('1970-01-01T00:00:00.000000Z,1.5,good\n');
    expect(first).toMatchObject({ count: 1, scanned: 1, nextUs: 1_000_000 });
    expect((await client.call('slice', [{ ...slice, fromUs: 1 }])).count).toBe(1);
    await client.close();
    await expect(client.call('slice', [slice])).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('can be closed before anything was read, and while something is', async () => {
    await readerOf(script, file).close();
    const client = readerOf(script, file);
    const [read] = await Promise.all([client.call('slice', [slice]), client.close()]);
    expect(read.count).toBe(2);
  });

  it('keeps the process alive until it has ended, also when an answer comes meanwhile: a command would end with 0', async () => {
    const client = readerOf(script, file);
    await client.start();
    const release = vi.spyOn(Worker.prototype, 'unref');
    try {
      const reads = [1, 2].map(() => client.call('slice', [slice]));
      await Promise.all([...reads, client.close()]);
      expect(release).not.toHaveBeenCalled();
    } finally {
      release.mockRestore();
    }
  });

  it('can be started before anything is read, and is started once', async () => {
    const client = readerOf(script, file);
    await client.start();
    await client.start();
    expect((await client.call('slice', [slice])).count).toBe(2);
    await client.start();
    await client.close();
  });

  it('reports what is wrong with the file in words of the domain, each time anew', async () => {
    const client = readerOf(script, join(folder, 'absent.db'));
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(client.call('slice', [slice])).rejects.toMatchObject({ code: 'store_absent' });
    }
    const broken = join(folder, 'broken.db');
    writeFileSync(
      broken,
      Buffer.concat([readFileSync(file).subarray(0, 4096), Buffer.alloc(8192, 'x')]),
    );
    const other = readerOf(script, broken);
    await expect(other.call('slice', [slice])).rejects.toMatchObject({ code: 'store_corrupt' });
    await other.close();
    await client.close();
  });

  it('is started again where it broke down', async () => {
    const marker = join(folder, 'broke-down');
    const fragile = join(folder, 'fragile.cjs');
    // Breaks down at its first message, and is the real one from then on.
    writeFileSync(
      fragile,
      `const { existsSync, writeFileSync } = require('node:fs');
      if (existsSync(${JSON.stringify(marker)})) require(${JSON.stringify(script)});
      else require('node:worker_threads').parentPort.on('message', () => {
        writeFileSync(${JSON.stringify(marker)}, '');
        throw new Error('broken down');
      });`,
    );
    const client = readerOf(fragile, file);
    await expect(client.call('slice', [slice])).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(marker)).toBe(true);
    expect((await client.call('slice', [slice])).count).toBe(2);
    await client.close();
  });

  it('reads where a sandbox forbids it to change its priority', async () => {
    const confined = join(folder, 'confined.cjs');
    // Every call of setpriority fails, as under a filter of system calls: no process has this number.
    writeFileSync(
      confined,
      `const os = require('node:os');
      const { setPriority } = os;
      os.setPriority = () => setPriority(2 ** 31 - 1, 5);
      require(${JSON.stringify(script)});`,
    );
    const client = readerOf(confined, file);
    expect((await client.call('slice', [slice])).count).toBe(2);
    await client.close();
  });

  it('goes behind the other threads where processors are busy', async () => {
    const nices = () =>
      readdirSync('/proc/self/task')
        .map((task) => readFileSync(`/proc/self/task/${task}/stat`, 'utf8'))
        // The nineteenth field; the second is the name, in parentheses.
        .map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
    const before = nices().filter((nice) => nice > 0).length;
    const client = readerOf(script, file);
    await client.call('slice', [slice]);
    expect(nices().filter((nice) => nice > 0).length).toBe(before + 1);
    await client.close();
  });
});
