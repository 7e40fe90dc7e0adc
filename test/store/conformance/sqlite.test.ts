import { afterEach, describe } from 'vitest';
import { fileStore, plantIn, temporaryStore } from '../stores.ts';
import { auditConformance } from './audit.ts';
import { auditTextConformance } from './audit-texts.ts';
import { changesConformance } from './changes.ts';
import { clockConformance } from './clock.ts';
import type { Given } from './given.ts';
import { keyConformance } from './keys.ts';
import { peopleConformance } from './people.ts';
import { readingConformance } from './readings.ts';
import { recordConformance } from './records.ts';
import { retentionConformance } from './retention.ts';

/** Every engine passes all of it; a new one joins with a `given` of its own. */
function conformance(given: Given): void {
  describe('organizations, users, entities', () => peopleConformance(given));
  describe('keys', () => keyConformance(given));
  describe('audit', () => auditConformance(given));
  describe('texts of the audit trail', () => auditTextConformance(given));
  describe('clock', () => clockConformance(given));
  describe('records', () => recordConformance(given));
  describe('changes of records', () => changesConformance(given));
  describe('readings', () => readingConformance(given));
  describe('retention', () => retentionConformance(given));
}

const removals: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const remove of removals.splice(0)) await remove();
});

describe('SQLite without threads', () => {
  conformance(async () => {
    const store = await temporaryStore();
    removals.push(async () => store.close());
    return { store, plant: await plantIn(store) };
  });
});

describe('SQLite with the threads of a daemon', () => {
  conformance(async () => {
    const { store, remove } = await fileStore();
    removals.push(remove);
    return { store, plant: await plantIn(store) };
  });
});
