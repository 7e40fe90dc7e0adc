import { afterEach, describe } from 'vitest';
import {
  calendarConformance,
  furtherPlaces,
} from '../../store/conformance/readings/calendar-buckets.ts';
import { fileStore, plantIn, postgresStore } from '../../store/stores.ts';

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

describe('SQLite', () => {
  calendarConformance(async () => {
    const { store, remove } = await fileStore();
    removals.push(remove);
    return { store, plant: await plantIn(store) };
  }, furtherPlaces);
});

describe('PostgreSQL', () => {
  calendarConformance(async () => {
    const store = await postgresStore();
    removals.push(async () => store.close());
    return { store, plant: await plantIn(store) };
  }, furtherPlaces);
});
