import { describe } from 'vitest';
import { auditConformance } from './audit/audit.ts';
import { auditTextConformance } from './audit/texts.ts';
import { clockConformance } from './clock.ts';
import type { Given } from './given.ts';
import { commandConformance } from './keys/commands.ts';
import { keyConformance } from './keys/keys.ts';
import { keyListConformance } from './keys/lists.ts';
import { usageConformance } from './keys/usage.ts';
import { metricsConformance } from './metrics.ts';
import { peopleConformance } from './people.ts';
import { calendarConformance } from './readings/calendar-buckets.ts';
import { counterConformance } from './readings/counters.ts';
import { feedConformance } from './readings/feed.ts';
import { newestConformance } from './readings/newest.ts';
import { readingConformance } from './readings/readings.ts';
import { readConformance } from './readings/reads.ts';
import { retentionConformance } from './readings/retention.ts';
import { absentListConformance } from './records/absent-lists.ts';
import { changesConformance } from './records/changes.ts';
import { importConformance } from './records/imports.ts';
import { recordConformance } from './records/records.ts';

/** Every engine passes all of it; a new one joins with a `given` of its own. */
export function conformance(given: Given): void {
  registryConformance(given);
  recordsConformance(given);
  readingsConformance(given);
}

export function registryConformance(given: Given): void {
  describe('organizations, users, entities', () => peopleConformance(given));
  describe('keys', () => keyConformance(given));
  describe('lists of keys', () => keyListConformance(given));
  describe('usage of keys', () => usageConformance(given));
  describe('commands after rotations', () => commandConformance(given));
  describe('audit', () => auditConformance(given));
  describe('texts of the audit trail', () => auditTextConformance(given));
  describe('clock', () => clockConformance(given));
  describe('facts for monitoring', () => metricsConformance(given));
}

export function recordsConformance(given: Given): void {
  describe('records', () => recordConformance(given));
  describe('imports', () => importConformance(given));
  describe('lists that a row does not have', () => absentListConformance(given));
  describe('changes of records', () => changesConformance(given));
}

export function readingsConformance(given: Given): void {
  describe('readings', () => readingConformance(given));
  describe('reads', () => readConformance(given));
  describe('the newest readings', () => newestConformance(given));
  describe('the feed of readings', () => feedConformance(given));
  describe('buckets of the calendar', () => calendarConformance(given));
  describe('counters', () => counterConformance(given));
  describe('retention', () => retentionConformance(given));
}
