import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, keptAlive } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { until } from '../../e2e/program.ts';

/** As `mv FILE FILE.old; cp FILE.old FILE`: the content stays, the file is another one. */
function replace(file: string): void {
  renameSync(file, `${file}.old`);
  copyFileSync(`${file}.old`, file);
}

/** Calls paths again and again until the daemon is gone; gives the statuses of each in the order they came. */
async function watch(
  daemon: Daemon,
  secret: string,
  paths: readonly string[],
): Promise<Map<string, number[]>> {
  const statuses = new Map(paths.map((path): [string, number[]] => [path, []]));
  const agent = keptAlive();
  const ask = async (path: string) => {
    while (!daemon.hasEnded) {
      try {
        statuses.get(path)?.push((await call(`${daemon.url}${path}`, { secret, agent })).status);
      } catch (thrown) {
        if (!(thrown instanceof Error && 'code' in thrown)) throw thrown;
        return;
      }
    }
  };
  await Promise.all(paths.map(ask));
  agent.destroy();
  return statuses;
}

describe.concurrent('files of a store that are swapped under the daemon', () => {
  const swaps: readonly [what: string, end: string, swap: (file: string) => void][] = [
    ['the registry replaced', '.db', replace],
    ['the registry removed', '.db', (file) => rmSync(file)],
    ['the records replaced', '.records.db', replace],
    ['the readings removed', '.readings.db', (file) => rmSync(file)],
    ['the revocation journal replaced', '.revocations', replace],
    ['the revocation journal removed', '.revocations', (file) => rmSync(file)],
    ['the log of the registry removed', '.db-wal', (file) => rmSync(file)],
    ['the index of that log replaced', '.db-shm', replace],
  ];

  it.each(swaps)(
    '%s: 503 for all but /healthz, a fatal line, and the end with 6',
    async (_, end, swap) => {
      const plant = await Plant.open();
      try {
        const { secret } = await plant.createKey('Reader', 'operational-core');
        const { key } = await plant.createKey('Other', 'operational-core');
        await plant.ok(['keys', 'revoke', key.id, '--yes']);
        const daemon = await plant.serve();
        expect(await daemon.statusOf(secret)).toBe(200);
        const file = plant.store.replace(/\.db$/, end);
        expect(existsSync(file)).toBe(true);
        const watching = watch(daemon, secret, [
          '/api/v1/me',
          '/healthz',
          '/readyz',
          '/api/v1/openapi.json',
        ]);
        swap(file);
        const { code, stdout, stderr } = await daemon.ended;
        const statuses = await watching;
        expect(code, stdout + stderr).toBe(6);
        expect(stderr).toMatch(
          /^error: The file .* of the store was removed or replaced while it was open\.$/m,
        );
        expect(stdout).toMatch(/"level":"fatal".*THE STORE WAS REPLACED/);
        for (const path of ['/api/v1/me', '/readyz', '/api/v1/openapi.json']) {
          const seen = statuses.get(path) ?? [];
          expect(seen, path).toContain(503);
          // Once it is refused it is never answered again.
          expect(
            seen.slice(seen.indexOf(503)).every((status) => status === 503),
            path,
          ).toBe(true);
        }
        expect(new Set(statuses.get('/healthz')?.slice(0, -1))).toEqual(new Set([200]));
      } finally {
        await plant.close();
      }
    },
  );

  it('what others commit to the new files stays, though the daemon had the old ones open', async () => {
    const plant = await Plant.open();
    try {
      const { secret, key } = await plant.createKey('Reader', 'operational-core');
      const daemon = await plant.serve();
      expect(await daemon.statusOf(secret)).toBe(200);
      // Its log and index alone: the next process makes new ones, while the database stays the same file.
      for (const end of ['-wal', '-shm']) rmSync(plant.store + end);
      await plant.ok(['keys', 'revoke', key.id, '--yes']);
      expect((await daemon.ended).code).toBe(6);
      expect(await plant.key(key.id)).toMatchObject({ status: 'Revoked' });
    } finally {
      await plant.close();
    }
  });

  it('while it was stopped: what waited for it is not answered from the old ones', async () => {
    const plant = await Plant.open();
    try {
      const { secret, key } = await plant.createKey('Reader', 'operational-core');
      const daemon = await plant.serve();
      const agent = keptAlive();
      const ask = () => call(`${daemon.url}/api/v1/me`, { secret, agent });
      expect((await ask()).status).toBe(200);
      for (let round = 0; round < 5; round++) {
        daemon.child.kill('SIGSTOP');
        daemon.child.kill('SIGCONT');
      }
      daemon.child.kill('SIGSTOP');
      await plant.ok(['backup', plant.path('now.backup')]);
      replace(plant.store);
      rmSync(`${plant.store}-wal`);
      rmSync(`${plant.store}-shm`);
      await plant.ok(['restore', plant.path('now.backup'), '--yes'], {
        env: { HKCTL_STORE: plant.path('other.db') },
      });
      for (const end of ['.db', '.records.db', '.readings.db'])
        copyFileSync(plant.path(`other${end}`), plant.store.replace(/\.db$/, end));
      await plant.ok(['keys', 'revoke', key.id, '--yes']);
      const waiting = Array.from({ length: 20 }, ask);
      daemon.child.kill('SIGCONT');
      expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(
        new Set([503]),
      );
      agent.destroy();
      expect((await daemon.ended).code).toBe(6);
    } finally {
      await plant.close();
    }
  });
});

describe('files that nobody swaps', () => {
  let plant: Plant;
  beforeAll(async () => {
    plant = await Plant.open();
  });
  afterAll(() => plant.close());

  it('keep a daemon going: commands, backups, the first revocation, a journal that grows', async () => {
    const { secret } = await plant.createKey('Reader', 'operational-core');
    const daemon = await plant.serve();
    for (let round = 0; round < 2; round++) {
      const { key } = await plant.createKey(`Other ${round}`, 'production-only');
      await plant.ok(['keys', 'revoke', key.id, '--yes']);
      await plant.ok(['backup', plant.path(`${round}.backup`)]);
      await plant.importSensors([{ id: `S-${round}`, code: `S-${round}`, name: 'S', unit: null }]);
      expect(await daemon.statusOf(secret)).toBe(200);
    }
    await until('it has looked again', async () => (await daemon.statusOf(secret)) === 200);
    expect((await daemon.stop('SIGTERM')).code).toBe(0);
    expect(
      readFileSync(plant.store.replace(/\.db$/, '.revocations'), 'utf8').trim().split('\n'),
    ).toHaveLength(2);
  });

  it('that are not those which the command line opened: a daemon whose store has a file missing does not start', async () => {
    const records = plant.store.replace(/\.db$/, '.records.db');
    renameSync(records, `${records}.away`);
    const { code, stderr } = await plant.hkctl(['serve', '--port', '0']);
    expect([code, stderr]).toEqual([
      6,
      expect.stringContaining(`The file ${records} of the store`),
    ]);
    writeFileSync(records, readFileSync(`${records}.away`));
  });
});
