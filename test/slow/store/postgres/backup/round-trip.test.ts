import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifyTrail } from '../../../../../src/core/audit/chain.ts';
import { resources } from '../../../../../src/resources/index.ts';
import { parts } from '../../../../../src/resources/projects-and-settings.ts';
import { engineAt } from '../../../../../src/store/open.ts';
import { importInto } from '../../../../store/conformance/records/stored-records.ts';
import { portraitOf } from '../../../../store/portrait.ts';
import { filled } from '../../../../store/postgres/backup/filled.ts';
import { newDatabase } from '../../../../store/postgres/databases.ts';
import { at, quiet } from '../../../../store/restores.ts';
import { nowMs, plantIn, storeOptions } from '../../../../store/stores.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-round-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Takes a backup of one store and restores it as another. */
async function move(from: string, to: string, file: string): Promise<void> {
  await engineAt(from, storeOptions).backup(file, { nowMs, force: false });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { kept } = await engineAt(to, storeOptions).restore(file, quiet);
  expect(kept).toEqual([]);
}

describe('a store that moves between the engines', () => {
  it('is the same on PostgreSQL, and again on SQLite', async () => {
    const [first, last] = [join(folder, 'first.db'), join(folder, 'last.db')];
    const between = await newDatabase();
    const made = await engineAt(first, storeOptions).create();
    const plant = await filled(made);
    const before = await portraitOf(made);
    const timeline = (await made.records.changes(resources[0] ?? never(), plant.entity.id))
      .timeline;
    await made.close();

    await move(first, between, join(folder, 'one.backup'));
    const timelines = await at(between, async (store) => {
      expect(await portraitOf(store)).toEqual(before);
      expect(await verifyTrail(store.audit)).toMatchObject({ broken: null });
      return (await store.records.changes(resources[0] ?? never(), plant.entity.id)).timeline;
    });
    expect(timelines).not.toBe(timeline);

    await move(between, last, join(folder, 'two.backup'));
    await at(last, async (store) => {
      expect(await portraitOf(store)).toEqual(before);
      expect(await verifyTrail(store.audit)).toMatchObject({ broken: null });
    });
  });
});

function never(): never {
  throw new Error('there are no resources');
}

it('a backup and a restore report how far they have come, on both engines', async () => {
  const [first, last] = [join(folder, 'first.db'), join(folder, 'last.db')];
  const between = await newDatabase();
  const made = await engineAt(first, storeOptions).create();
  const row = (n: number) => ({
    id: `P-${n}`,
    name: 'Part',
    part_number: `N-${n}`,
    is_active: true,
  });
  await importInto(
    made,
    await plantIn(made),
    parts,
    Array.from({ length: 21_000 }, (_, n) => row(n)),
  );
  await made.close();
  const restored = async (to: string, file: string) => {
    const shares: number[] = [];
    await engineAt(to, storeOptions).restore(file, {
      ...quiet,
      progress: (share) => shares.push(share),
    });
    return shares;
  };
  const [one, two] = [join(folder, 'one.backup'), join(folder, 'two.backup')];
  await engineAt(first, storeOptions).backup(one, { nowMs, force: false });
  const bytes: number[] = [];
  const intoPostgres = await restored(between, one);
  await engineAt(between, storeOptions).backup(two, {
    nowMs,
    force: false,
    progress: (size) => bytes.push(size),
  });
  const intoSqlite = await restored(last, two);
  for (const reported of [intoPostgres, bytes, intoSqlite]) {
    expect(reported.length).toBeGreaterThan(1);
    expect(reported).toEqual(reported.toSorted((a, b) => a - b));
  }
  expect(intoPostgres.at(-1)).toBeGreaterThan(0.9);
  expect(intoSqlite.at(-1)).toBeGreaterThan(0.9);
  expect(intoSqlite.at(-1)).toBeLessThanOrEqual(1);
  expect(bytes.at(-1)).toBeGreaterThan(1_000_000);
  expect(bytes.at(-1)).toBeLessThanOrEqual(statSync(two).size);
});
