import { afterAll, expect, it } from 'vitest';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { until } from '../../e2e/program.ts';
import { newDatabase } from '../../store/postgres/databases.ts';

const plants: Plant[] = [];
afterAll(async () => {
  for (const plant of plants.splice(0)) await plant.close();
});

it('two daemons on one database refuse a revoked key for the very next request, whoever revoked it', async () => {
  const plant = await Plant.open(undefined, { HKCTL_STORE: await newDatabase() });
  plants.push(plant);
  const daemons: Daemon[] = [await plant.serve(), await plant.serve()];
  for (let round = 0; round < 5; round++) {
    const { key, secret } = await plant.createKey(`round ${round}`, 'operational-core');
    expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(secret)))).toEqual([200, 200]);
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    expect(await Promise.all(daemons.map((daemon) => daemon.statusOf(secret)))).toEqual([401, 401]);
  }
  const { key, secret } = await plant.createKey('used', 'operational-core');
  expect(await daemons[1]?.statusOf(secret)).toBe(200);
  await until(
    'last use on the database',
    async () => (await plant.key(key.id)).last_used_at !== null,
    {
      timeoutMs: 4000,
    },
  );
  for (const daemon of daemons) expect((await daemon.stop()).code).toBe(0);
  expect((await plant.ok(['audit', 'verify'])).stdout).toContain('whole');
});
