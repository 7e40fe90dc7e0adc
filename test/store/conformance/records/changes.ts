import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '../../../../src/core/port/store.ts';
import { createListReader, type ListPage, textPages } from '../../../../src/core/records/lists.ts';
import { orders } from '../../../../src/resources/jobs-and-orders.ts';
import { parts } from '../../../../src/resources/projects-and-settings.ts';
import { propertyRuns } from '../../../properties.ts';
import { draftOf, nowMs, type Plant, plantIn } from '../../stores.ts';
import type { Given } from '../given.ts';
import { importInto } from './stored-records.ts';

const readers = { parts: createListReader(parts), orders: createListReader(orders) };

/** What every engine keeps of changes, so that a mirror of a list is exact. */
export function changesConformance(given: Given): void {
  const partRow = (n: number, name = 'Part') => ({
    id: `P-${n}`,
    name,
    part_number: `PN-${n}`,
    is_active: true,
  });

  const read = (
    store: Store,
    plant: Plant,
    query: Record<string, string>,
    reader = readers.parts,
    at = nowMs,
  ) =>
    reader(
      Object.entries(query),
      { entityId: plant.entity.id, timezone: 'UTC', weekStart: 'monday' },
      {
        store: store.records,
        pages: textPages(store.records),
        run: (work) => work(),
        nowMs: at,
      },
    );

  /** Reads all pages of a list, or of the changes since a token; calls `between` after each page but the last. */
  async function readAll(
    store: Store,
    plant: Plant,
    token?: string,
    limit = 500,
    between: () => Promise<unknown> = async () => {},
  ) {
    const changed: { id: string; name: string }[] = [];
    const removed: string[] = [];
    const query = { limit: String(limit), ...(token !== undefined && { sync_token: token }) };
    for (let cursor: string | undefined; ; ) {
      const page: ListPage = await read(store, plant, {
        ...query,
        ...(cursor !== undefined && { cursor }),
      });
      const records: typeof changed = JSON.parse(`[${page.records}]`);
      expect(records.length + (page.removed ?? []).length).toBeLessThanOrEqual(limit);
      expect(page.syncToken === null).toBe(page.cursor !== null);
      expect(page.removed === undefined).toBe(token === undefined);
      changed.push(...records);
      removed.push(...(page.removed ?? []));
      if (page.cursor === null) return { changed, removed, token: page.syncToken ?? '' };
      cursor = page.cursor;
      await between();
    }
  }

  it('a list names its changes: inserted, updated, removed, and what came back', async () => {
    const { store, plant } = await given();
    const start = await readAll(store, plant);
    expect(start.changed).toEqual([]);
    await importInto(
      store,
      plant,
      parts,
      [1, 2, 3].map((n) => partRow(n)),
    );
    const first = await readAll(store, plant, start.token);
    expect(first.changed.map(({ id }) => id)).toEqual(['P-1', 'P-2', 'P-3']);
    await importInto(store, plant, parts, [partRow(2, 'New'), partRow(3), partRow(4)], {
      replace: true,
    });
    const second = await readAll(store, plant, first.token);
    expect(second.changed.map(({ id, name }) => [id, name])).toEqual([
      ['P-2', 'New'],
      ['P-4', 'Part'],
    ]);
    expect(second.removed).toEqual(['P-1']);
    await importInto(store, plant, parts, [partRow(1)]);
    const third = await readAll(store, plant, second.token);
    expect([third.changed.map(({ id }) => id), third.removed]).toEqual([['P-1'], []]);
    // From the first token on: each record once, as it is now.
    const all = await readAll(store, plant, start.token);
    expect(all.changed.map(({ id }) => id).sort()).toEqual(['P-1', 'P-2', 'P-3', 'P-4']);
    expect(all.removed).toEqual([]);
    expect(await readAll(store, plant, third.token)).toEqual({
      changed: [],
      removed: [],
      token: third.token,
    });
  });

  it('everything that is removed, and comes back into an empty list, is named', async () => {
    const { store, plant } = await given();
    await importInto(
      store,
      plant,
      parts,
      [1, 2, 3].map((n) => partRow(n)),
    );
    const { token } = await readAll(store, plant);
    await importInto(store, plant, parts, [], { replace: true });
    expect(await readAll(store, plant, token, 2)).toMatchObject({
      changed: [],
      removed: ['P-1', 'P-2', 'P-3'],
    });
    await importInto(store, plant, parts, [partRow(2)]);
    const after = await readAll(store, plant, token);
    expect([after.changed.map(({ id }) => id), after.removed]).toEqual([['P-2'], ['P-1', 'P-3']]);
  });

  it('nothing is named that a dry run or an import of equal records has not changed', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, [partRow(1)]);
    const { token } = await readAll(store, plant);
    await importInto(store, plant, parts, [partRow(2)], { dryRun: true, replace: true });
    await importInto(store, plant, parts, [partRow(1)], {
      replace: true,
      nowUs: (nowMs + 60_000) * 1000,
    });
    expect(await readAll(store, plant, token)).toEqual({ changed: [], removed: [], token });
  });

  it('changes of other entities and resources are none', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, [partRow(1)]);
    const other = await plantIn(store, 'Beta');
    const { token } = await readAll(store, plant);
    await importInto(store, other, parts, [partRow(1), partRow(2)]);
    await importInto(store, other, parts, [partRow(2)], { replace: true });
    await importInto(store, plant, orders, [{ id: 'O-1', order_number: '1', status: 'draft' }]);
    expect(await readAll(store, plant, token)).toEqual({ changed: [], removed: [], token });
    await expect(read(store, other, { sync_token: token })).rejects.toThrow(
      'belongs to another list',
    );
    await expect(read(store, plant, { sync_token: token }, readers.orders)).rejects.toThrow(
      'belongs to another list',
    );
  });

  it('of an entity that was removed nothing is kept', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Gamma');
    await importInto(store, other, parts, [partRow(1), partRow(2)]);
    await importInto(store, other, parts, [partRow(2)], { replace: true });
    await store.entities.remove(other.entity.id, draftOf(other.tenant.id, 'entity.remove', 'BER'));
    expect(await store.records.changes(parts, other.entity.id)).toMatchObject({
      changedAt: '',
      forgottenTo: '',
    });
    expect(await store.records.changes(parts, plant.entity.id)).toMatchObject({ changedAt: '' });
  });

  it('a token lives for 90 days, as long as it is not renewed', async () => {
    const { store, plant } = await given();
    await importInto(store, plant, parts, [partRow(1)]);
    const { token } = await readAll(store, plant);
    const later = (days: number) => nowMs + days * 86_400_000;
    const renewed = await read(store, plant, { sync_token: token }, readers.parts, later(90));
    const expired = { code: 'sync_token_expired' };
    await expect(
      read(store, plant, { sync_token: token }, readers.parts, later(91)),
    ).rejects.toMatchObject(expired);
    await read(store, plant, { sync_token: renewed.syncToken ?? '' }, readers.parts, later(180));
  });

  it('removals are forgotten after the tokens that need them, and never before', async () => {
    const { store, plant } = await given();
    const on = (days: number) => ({ replace: true, nowUs: (nowMs + days * 86_400_000) * 1000 });
    await importInto(
      store,
      plant,
      parts,
      [1, 2, 3].map((n) => partRow(n)),
      on(0),
    );
    const { token } = await readAll(store, plant);
    await importInto(
      store,
      plant,
      parts,
      [2, 3].map((n) => partRow(n)),
      on(1),
    );
    await importInto(store, plant, parts, [partRow(3)], on(90));
    expect((await readAll(store, plant, token)).removed).toEqual(['P-1', 'P-2']);
    await importInto(store, plant, parts, [partRow(3, 'New')], on(94));
    // Also for a clock that was only wrong for a while: what is forgotten is said, not left out.
    await expect(read(store, plant, { sync_token: token })).rejects.toMatchObject({
      code: 'sync_token_expired',
    });
    const { forgottenTo } = await store.records.changes(parts, plant.entity.id);
    expect(forgottenTo > '2026-11-21' && forgottenTo < '2027-01-01').toBe(true);
  });

  it('what was dated by a clock that was ahead gets another date with the next import, and mirrors see it', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    const nowUs = nowMs * 1000;
    const dayUs = 86_400_000_000;
    const ahead = { nowUs: nowUs + 1000 * dayUs, correctsDates: true };
    const rows = (...ids: number[]) => ids.map((n) => partRow(n));
    await importInto(store, other, parts, rows(7), ahead);
    await importInto(store, plant, parts, rows(1, 2, 3), { nowUs: nowUs - dayUs });
    const before = await readAll(store, plant);
    await importInto(store, plant, parts, [partRow(1, 'Ahead'), partRow(2)], {
      ...ahead,
      replace: true,
    });
    const during = await readAll(store, plant);
    // By a clock that is not steady, or little behind, the order of changes stays.
    await importInto(store, plant, parts, rows(4), { nowUs });
    await importInto(store, plant, parts, rows(5), {
      nowUs: nowUs + 999 * dayUs,
      correctsDates: true,
    });
    const { changedAt } = await store.records.changes(parts, plant.entity.id);
    expect(changedAt > '2029').toBe(true);
    await importInto(store, plant, parts, rows(5), { nowUs, correctsDates: true, dryRun: true });
    expect(await store.records.changes(parts, plant.entity.id)).toMatchObject({ changedAt });

    // Also one that changes no record.
    await importInto(store, plant, parts, rows(5), { nowUs, correctsDates: true });
    const now = '2026-11-20T08:15:00.000000Z';
    const changes = await store.records.changes(parts, plant.entity.id);
    expect(changes).toMatchObject({ changedAt: now, forgottenTo: '' });
    const since = async (updated_since: string) => {
      const page = await read(store, plant, { updated_since });
      return JSON.parse(`[${page.records}]`).map(({ id, updated_at }: Record<string, string>) => [
        id,
        updated_at,
      ]);
    };
    expect(await since('2026-11-20T08:00:00Z')).toEqual(
      ['P-1', 'P-4', 'P-5'].map((id) => [id, now]),
    );
    expect(await since('2026-11-20T08:15:01Z')).toEqual([]);
    const expired = { code: 'sync_token_expired' };
    for (const { token } of [before, during]) {
      await expect(readAll(store, plant, token)).rejects.toMatchObject(expired);
    }
    const after = await readAll(store, plant);
    await importInto(store, plant, parts, rows(6), { nowUs: nowUs + 1, correctsDates: true });
    expect((await readAll(store, plant, after.token)).changed.map(({ id }) => id)).toEqual(['P-6']);
    expect((await store.records.changes(parts, other.entity.id)).changedAt > '2029').toBe(true);
  });

  it('a mirror is exact after any imports, also while it reads and while the clock jumps', async () => {
    const subset = fc.uniqueArray(fc.integer({ min: 0, max: 14 }), { maxLength: 15 });
    const change = fc.record({
      ids: subset,
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      replace: fc.boolean(),
      dryRun: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      jumpUs: fc.constantFrom(0, 1, 1_000_000, -3_600_000_000, 86_400_000_000, -3 * 86_400_000_000),
      correctsDates: fc.boolean(),
      /** Whether the mirror reads before the import, or the import comes between two of its pages. */
      mirrored: fc.constantFrom('no', 'before', 'between'),
    });
    const { store } = await given();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        async (all, limit) => {
          const plant = await plantIn(store, `M${runs++}`);
          const mirror = new Map<string, unknown>();
          let token: string | undefined;
          let nowUs = nowMs * 1000;
          const follow = async (between?: () => Promise<unknown>): Promise<void> => {
            const found = await readAll(store, plant, token, limit, between).catch(relist);
            if (found === undefined) return follow();
            const { changed, removed, token: next } = found;
            const ids = [...changed.map(({ id }) => id), ...removed];
            expect(new Set(ids).size).toBe(ids.length);
            for (const record of changed) mirror.set(record.id, record);
            for (const id of removed) mirror.delete(id);
            token = next;
          };
          // As every mirror does; where dates were corrected, the changes since a token are no longer known.
          const relist = (thrown: unknown) => {
            expect(thrown).toMatchObject({ code: 'sync_token_expired' });
            mirror.clear();
            token = undefined;
          };
          for (const { ids, name, replace, dryRun, jumpUs, correctsDates, mirrored } of all) {
            nowUs += jumpUs;
            const rows = ids.map((n) => partRow(n, name));
            const load = () =>
              importInto(store, plant, parts, rows, { replace, dryRun, nowUs, correctsDates });
            if (mirrored === 'before') await follow();
            if (mirrored !== 'between') await load();
            else {
              let isDone = false;
              await follow(async () => {
                if (!isDone) await load();
                isDone = true;
              });
              if (!isDone) await load();
            }
          }
          await follow();
          const now = await readAll(store, plant);
          expect([...mirror.entries()].sort()).toEqual(
            now.changed.map((record) => [record.id, record]).sort(),
          );
        },
      ),
      { ...propertyRuns(60), examples: [[caughtUp, 1]] },
    );
  });
}

/** A mirror whose token is of a clock that was ahead, and that reads again once the right clock has come to the same instant. */
const caughtUp = (
  [
    { name: 'a', jumpUs: 0, correctsDates: false, mirrored: 'no' },
    { name: 'a', jumpUs: 86_400_000_000, correctsDates: false, mirrored: 'before' },
    { name: 'a', jumpUs: -3 * 86_400_000_000, correctsDates: true, mirrored: 'no' },
    { name: 'c', jumpUs: 86_400_000_000, correctsDates: false, mirrored: 'no' },
    { name: 'd', jumpUs: 86_400_000_000, correctsDates: false, mirrored: 'no' },
  ] as const
).map((step) => ({ ...step, ids: step.name === 'd' ? [1] : [0], replace: false, dryRun: false }));
