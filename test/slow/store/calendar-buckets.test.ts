import { describe, onTestFinished } from 'vitest';
import {
  calendarConformance,
  furtherPlaces,
} from '../../store/conformance/readings/calendar-buckets.ts';
import { givenFiles } from '../../store/conformance/sqlite/given.ts';
import { plantIn, postgresStore } from '../../store/stores.ts';

describe('SQLite', () => calendarConformance(givenFiles(), furtherPlaces));

describe('PostgreSQL', () => {
  calendarConformance(async () => {
    const store = await postgresStore();
    onTestFinished(() => store.close());
    return { store, plant: await plantIn(store) };
  }, furtherPlaces);
});
