import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { qualities } from '../../../../../src/core/port/readings.ts';
import { bucketStart } from '../../../../../src/core/readings/reads/bucket-spans.ts';
import { dayOf } from '../../../../../src/core/readings/reads/day-sums.ts';
import { quarterUs } from '../../../../../src/core/readings/reads/quarters.ts';
import { toReadings } from '../../../../../src/core/readings/series-readings.ts';
import { writeAhead } from '../../../../../src/store/sqlite/connection/files.ts';
import { openDatabase } from '../../../../../src/store/sqlite-file/driver.ts';
import { applyMigrations } from '../../../../../src/store/sqlite-file/schema/migrated-schema.ts';
import { atEndOfFile } from '../../../../ends.ts';
import type { Sent } from '../sent.ts';
import type { Process, Step } from './process.ts';
import { compareReads, type Row } from './reads.ts';

const numbers = [1, 2, 3] as const;
/** Three readings in a quarter of an hour. */
const tickUs = quarterUs / 3;
const [earliest, latest] = [-90, 60];

/** A folder, and in it a database of readings with three series and nothing else. */
export function emptyDatabase(): { folder: string; empty: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-model-'));
  atEndOfFile(() => rmSync(folder, { recursive: true }));
  const empty = join(folder, 'empty.db');
  const connection = openDatabase(empty, {});
  writeAhead(connection);
  applyMigrations(connection, 'readings', 'migrations', empty);
  for (const series of numbers)
    connection.exec(
      `insert into series (series, entity_id, sensor_id) values (${series}, 'E', 'S${series}')`,
    );
  connection.close();
  return { folder, empty };
}

/** What a store should hold. */
export class Model {
  readonly #readings: ReadonlyMap<number, Map<number, [number, number]>>;
  /** By quarter of an hour, how many readings it had when it was dropped. */
  readonly #dropped: ReadonlyMap<number, Map<number, number>>;
  /** By day, the instant of the last reading that was dropped. */
  readonly #lastDropped: ReadonlyMap<number, Map<number, number>>;

  constructor(from?: Model) {
    this.#readings = new Map(
      numbers.map((series) => [series, new Map(from ? from.#readings.get(series) : [])]),
    );
    this.#dropped = new Map(
      numbers.map((series) => [series, new Map(from ? from.#dropped.get(series) : [])]),
    );
    this.#lastDropped = new Map(
      numbers.map((series) => [series, new Map(from ? from.#lastDropped.get(series) : [])]),
    );
  }

  rows(series: number, fromUs = Number.NEGATIVE_INFINITY, toUs = Number.POSITIVE_INFINITY): Row[] {
    const rows = [...(this.#readings.get(series) ?? [])].map(
      ([at, [value, quality]]): Row => [at, value, quality],
    );
    return rows.filter(([at]) => at >= fromUs && at < toUs).sort(([a], [b]) => a - b);
  }

  /** Does what a process has done; `result` is what it returned. */
  apply(step: Step, result: ReturnType<Process['perform']>): void {
    if (step.kind === 'send') expect(result.sent).toEqual(this.send(step.sent));
    else if (step.kind === 'drop') this.drop(step, result.dropped?.readings ?? 0);
    else if (step.kind === 'erase') this.erase(step);
  }

  send(sent: readonly Sent[]) {
    const result = { accepted: 0, duplicates: 0, conflicts: [] as number[] };
    for (const [position, [series, at, value, quality = 0]] of sent.entries()) {
      const known = this.#readings.get(series)?.get(at);
      if (!known) {
        this.#readings.get(series)?.set(at, [value, quality]);
        result.accepted++;
      } else if (known[0] === value) result.duplicates++;
      else result.conflicts.push(position);
    }
    return result;
  }

  /** Drops so many readings, in the order in which steps do it. */
  drop({ quarter, position = 0 }: Extract<Step, { kind: 'drop' }>, readings: number): void {
    let left = readings;
    for (const series of numbers.filter((number) => number >= position)) {
      const dropped = this.#dropped.get(series) ?? new Map();
      const counts = new Map<number, number>();
      for (const [at] of this.rows(series, undefined, quarter * quarterUs)) {
        if (left-- === 0) break;
        const startUs = bucketStart(at, quarterUs);
        this.#readings.get(series)?.delete(at);
        const lastDropped = this.#lastDropped.get(series);
        lastDropped?.set(dayOf(at), Math.max(at, lastDropped.get(dayOf(at)) ?? at));
        counts.set(startUs, (counts.get(startUs) ?? 0) + 1);
      }
      for (const [startUs, count] of counts) if (!dropped.has(startUs)) dropped.set(startUs, count);
      if (left < 0) return;
    }
  }

  erase(
    { series, fromUs, toUs }: Extract<Step, { kind: 'erase' }>,
    { isComplete = true } = {},
  ): void {
    for (const [at] of this.rows(series, fromUs, toUs)) this.#readings.get(series)?.delete(at);
    if (!isComplete) return;
    for (const [startUs] of this.#droppedIn(series, { fromUs, toUs }))
      this.#dropped.get(series)?.delete(startUs);
    const starts = [...(this.#dropped.get(series)?.keys() ?? [])];
    const lastDropped = this.#lastDropped.get(series) ?? new Map<number, number>();
    for (const [day, lastUs] of lastDropped) {
      const endUs = Math.max(...starts.filter((at) => dayOf(at) === day)) + quarterUs;
      if (endUs === Number.NEGATIVE_INFINITY) lastDropped.delete(day);
      else lastDropped.set(day, Math.min(lastUs, endUs - 1));
    }
  }

  #droppedIn(series: number, { fromUs, toUs }: { fromUs: number; toUs: number }) {
    const dropped = [...(this.#dropped.get(series) ?? [])];
    return dropped.filter(([startUs]) => startUs >= fromUs && startUs + quarterUs <= toUs);
  }

  /** Compares everything that a process can read with what should be there. */
  compare(
    { parts: { connection, stored, erasure, droppable } }: Process,
    { fromUs, toUs } = everything,
  ): void {
    let before = 0;
    let oldestUs: number | null = null;
    for (const series of numbers) {
      const all = this.rows(series);
      const inRange = this.rows(series, fromUs, toUs);
      const rowsOf = (from: number, to: number, limit: number) =>
        toReadings(stored.range({ series, fromUs: from, toUs: to, limit })).map(
          ({ atUs, value, quality }): Row => [
            atUs,
            value,
            quality === null ? 0 : 1 + qualities.indexOf(quality),
          ],
        );
      const foundRows = stored.reading(() => ({
        all: rowsOf(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1000),
        some: rowsOf(fromUs, toUs, 4),
      }));
      expect(foundRows).toEqual({ all, some: inRange.slice(0, 4) });
      const dropped = this.#dropped.get(series) ?? new Map();
      const lastDroppedUs = Math.max(...(this.#lastDropped.get(series)?.values() ?? []));
      const found = { range: { fromUs, toUs }, rows: all, dropped, lastDroppedUs };
      compareReads(stored, connection, { series, ...found });
      const { readings, summarised } = erasure.count({ series, fromUs, toUs });
      const counted = this.#droppedIn(series, { fromUs, toUs });
      const expected = {
        readings: inRange.length,
        summarised: counted.reduce((sum, [, count]) => sum + count, 0),
      };
      expect({ readings, summarised }).toEqual(expected);
      before += this.rows(series, undefined, toUs).length;
      const [firstUs] = all[0] ?? [];
      if (firstUs !== undefined) oldestUs = Math.min(oldestUs ?? firstUs, firstUs);
    }
    expect(droppable.count('E', toUs)).toBe(before);
    expect(droppable.state('E').oldestUs).toBe(oldestUs);
  }
}

const everything = { fromUs: 2 * earliest * tickUs, toUs: 2 * latest * tickUs };

const instant = fc.integer({ min: earliest, max: latest }).map((tick) => tick * tickUs);
/** Two instants in order. */
export const range = fc
  .tuple(instant, instant)
  .map(([a, b]) => ({ fromUs: Math.min(a, b), toUs: Math.max(a, b) }));
const series = fc.constantFrom(...numbers);
const value = fc.constantFrom(0, 1, 1.25, 0.1 + 0.2, -0, 1e300);
const reading = fc.tuple(series, instant, value, fc.integer({ min: 0, max: 3 }));
const mixed: fc.Arbitrary<Sent[]> = fc.array(reading, { minLength: 1, maxLength: 12 });
/** A run of readings in order of time, as most are. */
const inOrder = fc
  .tuple(series, fc.integer({ min: earliest, max: latest - 20 }), fc.integer({ min: 1, max: 20 }))
  .map(([number, first, count]): Sent[] =>
    Array.from({ length: count }, (_, i) => [number, (first + i) * tickUs, (i % 5) / 4, 0]),
  );
const few = fc.integer({ min: 1, max: 12 });

/** What a process may do next. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), sent: fc.oneof(mixed, inOrder) }),
  fc.record({ kind: fc.constant('fail' as const), sent: mixed }),
  fc.record({
    kind: fc.constant('compact' as const),
    ofSeries: few,
    ofAll: fc.integer({ min: 1, max: 40 }),
    isUrgent: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('sum' as const),
    readings: fc.constantFrom(1, 2500, 100_000),
    fails: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('drop' as const),
    quarter: fc.integer({ min: -30, max: 20 }),
    position: fc.option(series, { nil: undefined }),
  }),
  fc
    .tuple(series, range)
    .map(([number, given]): Step => ({ kind: 'erase', series: number, ...given })),
  fc.constant<Step>({ kind: 'restart' }),
);
