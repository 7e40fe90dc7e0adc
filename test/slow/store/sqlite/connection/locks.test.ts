import { once } from 'node:events';
import { statSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { filesOf, openFile } from '../../../../../src/store/sqlite/connection/files.ts';
import { holdFromDaemons } from '../../../../../src/store/sqlite/connection/locks.ts';
import { runProgram, startProgram } from '../../../../run-program.ts';
import { another } from '../../../../store/sqlite/another.ts';
import { fileStore, nowMs } from '../../../../store/stores.ts';

async function given() {
  const { store, path, remove } = await fileStore();
  onTestFinished(remove);
  return { store, path, lock: filesOf(path).daemons };
}

/** A row as a daemon leaves it that was killed: with the number of a process that lives. */
function leaveRow(path: string, pid: number): void {
  const registry = openFile(path, { busyTimeoutMs: 1000, create: false });
  registry
    .prepare('insert into daemons (pid, base_url, since_ms) values (?, ?, ?)')
    .run(pid, 'http://gone', nowMs);
  registry.close();
}

describe('a daemon', () => {
  it.each([1, process.pid])(
    'that was killed is gone, whatever process has its number %s now',
    async (pid) => {
      const { store, path, lock } = await given();
      leaveRow(path, pid);
      expect(await store.daemon.address()).toBeUndefined();
      const letIn = holdFromDaemons(lock);
      expect(letIn).toBeDefined();
      letIn?.();
      // It ended without a clean stop, which is known until another one serves.
      const killed = { baseUrl: 'http://gone', serves: false };
      expect(await store.daemon.recorded()).toMatchObject([killed]);
      await store.daemon.begin();
      expect(await store.daemon.address()).toBeUndefined();
      await store.close();
      const next = another(path);
      expect(await next.daemon.recorded()).toMatchObject([killed]);
      await next.daemon.recordAddress('http://127.0.0.1:1', pid + 1);
      expect(await next.daemon.recorded()).toMatchObject([
        { baseUrl: 'http://127.0.0.1:1', serves: true },
      ]);
      await next.daemon.clearAddress(pid + 1);
      expect(await next.daemon.recorded()).toEqual([]);
    },
  );

  it('that was killed while others serve is known by its address, until one serves there again', async () => {
    const { store, path } = await given();
    await store.daemon.recordAddress('http://127.0.0.1:1', process.pid);
    // Linux gives no process that number.
    const ended = 2 ** 22 + 1;
    leaveRow(path, ended);
    const recorded = await another(path).daemon.recorded();
    const byAddress = new Map(recorded.map(({ baseUrl, serves }) => [baseUrl, serves]));
    expect(byAddress).toEqual(
      new Map([
        ['http://127.0.0.1:1', true],
        ['http://gone', undefined],
      ]),
    );
    await another(path).daemon.recordAddress('http://gone', ended + 1);
    await store.daemon.clearAddress(ended);
    expect(await store.daemon.recorded()).toHaveLength(2);
  });

  it('is known to others as long as its process holds the lock, and no longer', async () => {
    const { store, path, lock } = await given();
    await store.daemon.recordAddress('http://127.0.0.1:1', 1);
    expect(statSync(lock).mode & 0o777).toBe(0o600);
    const script = `
      const Database = require(${JSON.stringify(driver())});
      const lock = new Database(${JSON.stringify(lock)});
      lock.exec('begin'); lock.prepare('select count(*) from sqlite_master').get();
      console.log('held'); setInterval(() => lock, 1000);`;
    const child = startProgram(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const other = another(path);
    await store.close();
    expect(await other.daemon.address()).toBe('http://127.0.0.1:1');
    expect(holdFromDaemons(lock)).toBeUndefined();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await other.daemon.address()).toBeUndefined();
  });

  it('may be one of several; one that ends takes no other with it', async () => {
    const { store, path, lock } = await given();
    const other = another(path);
    await store.daemon.recordAddress('http://127.0.0.1:1', 1);
    await other.daemon.recordAddress('http://127.0.0.1:2', 2);
    await other.daemon.clearAddress(2);
    expect(await other.daemon.address()).toBe('http://127.0.0.1:1');
    expect(holdFromDaemons(lock)).toBeUndefined();
    await store.daemon.clearAddress(1);
    const letIn = holdFromDaemons(lock);
    expect(letIn).toBeDefined();
    letIn?.();
    expect(await other.daemon.address()).toBeUndefined();
  });

  it('keeps its lock while it asks itself where it answers', async () => {
    const { store, path, lock } = await given();
    await store.daemon.recordAddress('http://127.0.0.1:1', 1);
    for (let n = 0; n < 3; n++) expect(await store.daemon.address()).toBe('http://127.0.0.1:1');
    expect(await another(path).daemon.address()).toBe('http://127.0.0.1:1');
    // Of locks that this process has lost only another one knows.
    const script = `
      const Database = require(${JSON.stringify(driver())});
      new Database(${JSON.stringify(lock)}, { timeout: 0 }).exec('begin exclusive');`;
    expect(runProgram(process.execPath, ['-e', script]).stderr).toContain('SQLITE_BUSY');
    expect(holdFromDaemons(lock)).toBeUndefined();
  });

  it('does not begin while a restore goes on, which is no daemon', async () => {
    const { store, path, lock } = await given();
    leaveRow(path, process.pid);
    const letIn = holdFromDaemons(lock);
    expect(await store.daemon.address()).toBeUndefined();
    expect(() => store.daemon.begin()).toThrow(expect.objectContaining({ code: 'state_forbids' }));
    letIn?.();
    await store.daemon.begin();
  });
});

function driver(): string {
  const [major = 0] = process.versions.node.split('.').map(Number);
  return require.resolve(major >= 22 ? 'better-sqlite3' : 'better-sqlite3-12');
}
