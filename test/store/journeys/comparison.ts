import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { verifyTrail } from '../../../src/core/audit/chain.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { pageOf, readAll } from '../conformance/records/stored-records.ts';
import { nowMs, type Plant } from '../stores.ts';
import type { State } from './model.ts';

/** What a comparison has seen that must fit what was seen before. */
interface Seen {
  /** The records, as a text. */
  content: string;
  /** The moment that a sync token of these records would name. */
  mark: string;
  /** The latest time that the store has steadily seen. */
  seenMs: number;
}

/** Compares all that the port returns of a store with what it must hold. */
export async function compare(store: Store, plant: Plant, state: State): Promise<Seen> {
  const report = await verifyTrail(store.audit);
  expect(report).toMatchObject({ broken: null });
  expect(await store.audit.lastSeq()).toBe(report.records);
  expect(await stateOf(store, plant)).toEqual(inOrder(state));
  const { timeline, changedAt } = await store.records.changes(parts, plant.entity.id);
  const { seenMs } = await store.clock.read();
  const content = JSON.stringify(await readAll(store, pageOf(plant)));
  return { content, mark: `${timeline} ${changedAt}`, seenMs };
}

/** Which of some states is that of a store; fails where none is. */
export async function found(
  store: Store,
  plant: Plant,
  possible: readonly [State, ...State[]],
): Promise<State> {
  const is = await stateOf(store, plant);
  const match = possible.find((state) => isDeepStrictEqual(inOrder(state), is));
  expect(is).toEqual(inOrder(match ?? possible[0]));
  return match ?? possible[0];
}

async function stateOf(store: Store, plant: Plant): Promise<State> {
  const trail: string[] = [];
  for await (const { action, target } of store.audit.walk()) {
    trail.push(action.startsWith('key.') ? `${action} ${target}` : action);
  }
  const records = await readAll(store, pageOf(plant));
  const keys = await store.keys.list(plant.tenant.id, { nowMs }, { limit: 1000 });
  const series = (await store.readings.directory(plant.entity.id)).get('T1')?.series ?? 0;
  const readings = await store.readings.range({ series, limit: 1000 });
  return inOrder({
    trail,
    records: new Map(records.map(({ id, name }) => [String(id), String(name)])),
    keys: new Map(keys.map(({ prefix, revokedAtMs }) => [prefix, revokedAtMs !== null])),
    readings: new Map(readings.map(({ atUs, value }) => [atUs, value])),
  });
}

/** The events of the trail sorted: what an import leaves behind may be recorded later. */
function inOrder(state: State): State {
  return { ...state, trail: state.trail.toSorted() };
}
