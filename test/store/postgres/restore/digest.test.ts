import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import { createRandom } from '../../../e2e/random.ts';
import { at, quiet } from '../../restores.ts';
import { nowMs, plantIn, storeOptions } from '../../stores.ts';
import { newDatabase } from '../databases.ts';

/** The two engines, and where a store of each is. */
const engines = {
  SQLite: async (folder: string) => join(folder, 'hkctl.db'),
  PostgreSQL: () => newDatabase(),
};

it.each([
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
  ['PostgreSQL', 'PostgreSQL'],
] as const)(
  'a backup of %s is restored into %s by its digest, and by no other',
  async (from, to) => {
    const folder = mkdtempSync(join(tmpdir(), 'hkctl-digest-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'plant.backup');
    const source = engineAt(await engines[from](join(folder, 'from')), storeOptions);
    const store = await source.create();
    const { tenant } = await plantIn(store);
    await store.close();
    const { digest } = await source.backup(file, { nowMs, force: false });
    expect(readFileSync(file, 'latin1').slice(-72)).toBe(`${digest}\n`);

    const place = await engines[to](join(folder, 'to'));
    const target = engineAt(place, storeOptions);
    const refused = (bytes: Buffer) => {
      writeFileSync(file, bytes);
      return expect(target.restore(file, quiet)).rejects.toMatchObject({
        code: expect.stringMatching(/^(store_corrupt|bad_input)$/),
      });
    };
    const whole = readFileSync(file);
    const random = createRandom(36);
    for (let round = 0; round < 10; round++) {
      const bytes = Buffer.from(whole);
      const index = random(bytes.length);
      bytes[index] = (bytes[index] ?? 0) ^ (1 << random(8));
      await refused(bytes);
    }
    await refused(whole.subarray(0, random(whole.length)));
    writeFileSync(file, whole);
    await expect(target.restore(file, quiet, `sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({
      code: 'bad_input',
    });
    await expect((async () => target.open())()).rejects.toMatchObject({ code: 'store_absent' });

    expect(await target.restore(file, quiet, digest)).toMatchObject({ digest });
    await at(place, async (restored) => expect(await restored.tenants.list()).toEqual([tenant]));
  },
);
