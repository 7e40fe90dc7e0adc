import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { engineAt } from '../../../../src/store/open.ts';
import { frozenVersion, thaw } from '../../frozen.ts';
import { storeOptions } from '../../stores.ts';
import { newDatabase } from '../databases.ts';

afterEach(() => vi.unstubAllEnvs());

const clock = () => Date.parse('2026-12-01T08:00:00Z');
const options = { ...storeOptions, clock };

it('a backup of the version before 0.2.0 can be restored into PostgreSQL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-old-'));
  const { backup } = thaw(frozenVersion, folder);
  const address = await newDatabase();
  const before = readdirSync(folder);
  vi.stubEnv('TMPDIR', folder);
  await engineAt(address, options).restore(backup, { authorize() {}, confirm() {}, audit() {} });
  expect(readdirSync(folder)).toEqual(before);

  const store = await engineAt(address, options).open();
  const user = await store.users.findByLogin('root');
  const keys = await store.keys.list(user?.tenantId ?? '', { nowMs: clock() }, { limit: 5 });
  expect(keys.map(({ name, revokedAtMs }) => [name, revokedAtMs !== null])).toEqual([
    ['Old one', true],
    ['Oven gateway', false],
    ['Oven gateway', true],
    ['ERP', false],
  ]);
  const [entity] = await store.entities.list(user?.tenantId ?? '');
  const series = (await store.readings.directory(entity?.id ?? '')).get('OVEN-1')?.series ?? 0;
  expect(await store.readings.range({ series, limit: 9 })).toMatchObject([
    { value: 180.5 },
    { value: 182.4 },
  ]);
  await store.close();
  rmSync(folder, { recursive: true });
});
