import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyChain } from '../../../src/core/audit/chain.ts';
import { isHkctlError } from '../../../src/core/errors.ts';
import { openStore } from '../../../src/store/sqlite/opening.ts';
import { Plant } from '../../e2e/plant.ts';
import { cli, root } from '../../e2e/program.ts';
import { needStrace } from '../machine/needs.ts';

const site = '--entity BER --entity-name Berlin --timezone Europe/Berlin --admin admin'.split(' ');
needStrace();

let plant: Plant;
beforeEach(() => {
  plant = new Plant();
});
afterEach(() => plant.close());

describe('a process that is killed while it makes a store', () => {
  const init = ['init', '--org', 'Acme', ...site];

  // Whatever may have reached the disk, it did so before one of these calls.
  it.each(['fsync', 'unlink'])(
    'before any %s leaves a whole store, or nothing in the way of the next',
    async (call) => {
      const seen = new Set<string>();
      for (let step = 1, killed = true; killed; step++) {
        const store = plant.path(`${step}/hkctl.db`);
        const env = { HKCTL_STORE: store };
        const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${step}`];
        const command = [process.execPath, cli, ...init];
        const traced = plant.attach(
          'strace',
          ['-qq', '-o', '/dev/null', ...inject, ...command],
          env,
        );
        killed = (await traced.ended).signal === 'SIGKILL';
        const left = await stateOf(store);
        seen.add(left);
        const again = await plant.hkctl(init, { env });
        expect([left, again.code], again.stderr).toEqual(
          left === 'whole' ? ['whole', 5] : ['store_absent', 0],
        );
        expect(await stateOf(store)).toBe('whole');
        // The reserve is made by the next change if the kill came before it.
        const names = readdirSync(dirname(store)).filter(
          (name) => !/-(wal|shm)$|^hkctl\.reserve$/.test(name),
        );
        expect(names.sort()).toEqual(['hkctl.db', 'hkctl.readings.db', 'hkctl.records.db']);
      }
      expect([...seen].sort()).toEqual(['store_absent', 'whole']);
    },
    120_000,
  );
});

/** `whole` for a store with its organization, site and Super user, else the code of the refusal to open it. */
async function stateOf(path: string): Promise<string> {
  const options = { clock: Date.now, migrationsFolder: join(root, 'migrations') };
  try {
    const store = openStore(path, options);
    const tenants = await store.tenants.list();
    expect(tenants).toMatchObject([{ name: 'Acme' }]);
    for (const { id } of tenants) {
      expect(await store.users.list(id)).toMatchObject([{ login: 'admin', role: 'super_user' }]);
      expect(await store.entities.list(id)).toMatchObject([{ code: 'BER' }]);
    }
    expect(await verifyChain(store.audit.walk())).toMatchObject({ broken: null, records: 1 });
    await store.close();
    return 'whole';
  } catch (thrown) {
    if (!isHkctlError(thrown)) throw thrown;
    return thrown.code;
  }
}
