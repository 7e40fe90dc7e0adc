import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { summaryWidthUs } from '../../../../../src/core/port/readings.ts';
import { bucketStart } from '../../../../../src/core/readings/reads/buckets.ts';
import type { SliceRow } from '../../../../../src/core/readings/reads/slice-request.ts';
import { openDatabase } from '../../../../../src/store/sqlite/connection/driver.ts';
import { writeAhead } from '../../../../../src/store/sqlite/connection/files.ts';
import { createDroppable } from '../../../../../src/store/sqlite/readings/droppable.ts';
import { createErasure } from '../../../../../src/store/sqlite/readings/erasure.ts';
import { createDrop } from '../../../../../src/store/sqlite/readings/retention.ts';
import { settleIdle } from '../../../../../src/store/sqlite/readings/writer/settling.ts';
import { applyMigrations } from '../../../../../src/store/sqlite/schema/migrations.ts';
import { atEndOfFile } from '../../../../ends.ts';
import { readingsOn, type Sent } from '../sent.ts';

const folder = mkdtempSync(join(tmpdir(), 'hkctl-model-'));
atEndOfFile(() => rmSync(folder, { recursive: true }));

const empty = join(folder, 'empty.db');
const numbers = [1, 2, 3] as const;
{
  const connection = openDatabase(empty, {});
  writeAhead(connection);
  applyMigrations(connection, 'readings', 'migrations', empty);
  for (const series of numbers)
    connection.exec(`insert into series (series, entity_id, sensor_id) values (${series}, 'E', 'S${series}')`);
  connection.close();
}

/** Three readings an hour. */
const tickUs = summaryWidthUs / 3;
const [earliest, latest] = [-20, 60];

/** One process with the store open. Small chunks and small steps, so that few readings meet every case. */
class Handle {
  readonly #file: string;
  parts: ReturnType<typeof partsOf>;

  constructor(file: string) {
    this.#file = file;
    this.parts = partsOf(file);
  }

  restart(): void {
    this.close();
    this.parts = partsOf(this.#file);
  }

  /** Runs something whose commit fails after it has changed everything else. */
  failing(work: () => unknown): void {
    const { connection } = this.parts;
    connection.exec("create temp trigger fails after insert on main.log begin select raise(abort, 'failed'); end");
    expect(work).toThrow('failed');
    connection.exec('drop trigger fails');
  }

  close(): void {
    this.parts.connection.close();
  }
}

function partsOf(file: string) {
  const connection = openDatabase(file, {});
  connection.exec('pragma synchronous = off');
  const { stored, send } = readingsOn(connection, { full: 8, small: 3 });
  const drop = createDrop(connection, stored, { readings: 5, series: 2 });
  const erasure = createErasure(connection, stored);
  return { connection, stored, send, drop, erasure, droppable: createDroppable(connection, stored) };
}

interface Summary {
  count: number;
  firstUs: number;
  lastUs: number;
}

/** What a store should hold. */
class Model {
  readonly readings = new Map(numbers.map((series) => [series as number, new Map<number, [number, number]>()]));
  readonly summaries = new Map(numbers.map((series) => [series as number, new Map<number, Summary>()]));

  rows(series: number, fromUs = Number.NEGATIVE_INFINITY, toUs = Number.POSITIVE_INFINITY): SliceRow[] {
    const rows = [...(this.readings.get(series) ?? [])].map(([at, [value, quality]]): SliceRow => [at, value, quality]);
    return rows.filter(([at]) => at >= fromUs && at < toUs).sort(([a], [b]) => a - b);
  }

  send(sent: readonly Sent[]) {
    const result = { accepted: 0, duplicates: 0, conflicts: [] as number[] };
    for (const [position, [series, at, value, quality = 0]] of sent.entries()) {
      const known = this.readings.get(series)?.get(at);
      if (!known) {
        this.readings.get(series)?.set(at, [value, quality]);
        result.accepted++;
      } else if (known[0] === value) result.duplicates++;
      else result.conflicts.push(position);
    }
    return result;
  }

  /** Drops so many readings, in the order in which steps do it. */
  drop(untilUs: number, position: number, readings: number): void {
    let left = readings;
    for (const series of numbers.filter((number) => number >= position)) {
      for (const [at] of this.rows(series, undefined, untilUs)) {
        if (left-- === 0) return;
        const hourUs = bucketStart(at, summaryWidthUs);
        const before = this.summaries.get(series)?.get(hourUs);
        this.readings.get(series)?.delete(at);
        if (before && at <= before.lastUs) continue;
        this.summaries
          .get(series)
          ?.set(hourUs, { count: (before?.count ?? 0) + 1, firstUs: before?.firstUs ?? at, lastUs: at });
      }
    }
  }

  erase(series: number, fromUs: number, toUs: number): void {
    for (const [at] of this.rows(series, fromUs, toUs)) this.readings.get(series)?.delete(at);
    for (const [hourUs, { firstUs, lastUs }] of this.summaries.get(series) ?? [])
      if (firstUs >= fromUs && lastUs < toUs) this.summaries.get(series)?.delete(hourUs);
  }
}

const instant = fc.integer({ min: earliest, max: latest }).map((tick) => tick * tickUs);
const value = fc.constantFrom(0, 1, 1.25, 0.1 + 0.2, -0, 1e300);
const sent = fc.array(fc.tuple(fc.constantFrom(...numbers), instant, value, fc.integer({ min: 0, max: 3 })), {
  minLength: 1,
  maxLength: 12,
});
/** A run of readings in order of time, as most are. */
const inOrder = fc
  .tuple(fc.constantFrom(...numbers), fc.integer({ min: earliest, max: latest - 20 }), fc.integer({ min: 1, max: 20 }))
  .map(([series, first, count]): Sent[] =>
    Array.from({ length: count }, (_, i) => [series, (first + i) * tickUs, (i % 5) / 4, 0]),
  );

const command = fc.oneof(
  fc.record({ kind: fc.constant('send'), sent: fc.oneof(sent, inOrder) }),
  fc.record({ kind: fc.constant('fail'), sent }),
  fc.record({
    kind: fc.constant('settle'),
    ofSeries: fc.integer({ min: 1, max: 12 }),
    ofAll: fc.integer({ min: 1, max: 40 }),
  }),
  fc.record({
    kind: fc.constant('drop'),
    hour: fc.integer({ min: -7, max: 20 }),
    steps: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ kind: fc.constant('erase'), series: fc.constantFrom(...numbers), from: instant, to: instant }),
  fc.record({ kind: fc.constant('restart') }),
);

function run(model: Model, handle: Handle, step: typeof command extends fc.Arbitrary<infer Step> ? Step : never): void {
  const { stored, send, drop, erasure } = handle.parts;
  if (step.kind === 'send' && 'sent' in step) {
    expect(send(step.sent)).toEqual(model.send(step.sent));
  } else if (step.kind === 'fail' && 'sent' in step) {
    const isNew = step.sent.some(([series, at]) => !model.readings.get(series)?.has(at));
    if (isNew) handle.failing(() => send(step.sent));
  } else if ('ofAll' in step) {
    settleIdle(stored, step);
  } else if ('steps' in step) {
    const untilUs = step.hour * summaryWidthUs;
    let position: number | undefined;
    for (let i = 0; i < step.steps; i++) {
      const { readings, next } = drop({ entityId: 'E', untilUs, position });
      model.drop(untilUs, position ?? 0, readings);
      if (next === null) {
        // A whole drop leaves nothing before its border.
        for (const series of numbers) expect(model.rows(series, undefined, untilUs)).toEqual([]);
        return;
      }
      position = next;
    }
  } else if ('from' in step) {
    const [fromUs, toUs] = [Math.min(step.from, step.to), Math.max(step.from, step.to)];
    erasure.erase({ series: step.series, fromUs, toUs });
    model.erase(step.series, fromUs, toUs);
  } else {
    handle.restart();
  }
}

function compare(model: Model, handle: Handle, fromUs: number, toUs: number): void {
  const { stored, erasure, droppable } = handle.parts;
  let before = 0;
  let oldestUs: number | null = null;
  for (const series of numbers) {
    const all = model.rows(series);
    const inRange = model.rows(series, fromUs, toUs);
    const found = stored.reading(() => ({
      all: stored.rows(series, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 1000),
      some: stored.rows(series, fromUs, toUs, 4),
      last: stored.last(series),
    }));
    expect(found).toEqual({ all, some: inRange.slice(0, 4), last: all.at(-1) });
    const { readings, summarised } = erasure.count({ series, fromUs, toUs });
    const counted = [...(model.summaries.get(series)?.values() ?? [])].filter(
      (one) => one.firstUs >= fromUs && one.lastUs < toUs,
    );
    const expected = { readings: inRange.length, summarised: counted.reduce((sum, { count }) => sum + count, 0) };
    expect({ readings, summarised }).toEqual(expected);
    before += model.rows(series, undefined, toUs).length;
    const [firstUs] = all[0] ?? [];
    if (firstUs !== undefined) oldestUs = Math.min(oldestUs ?? firstUs, firstUs);
  }
  expect(droppable.count('E', toUs)).toBe(before);
  expect(droppable.state('E').oldestUs).toBe(oldestUs);
}

/** Checks that two processes on one store hold what a map holds, whatever they do in which order. */
export function checkTwoProcesses(numRuns: number): void {
  let runs = 0;
  // A process that reads after each step knows what the other one did: one that reads after some of them knows less.
  const process = fc.nat({ max: 1 });
  const readers = fc.constantFrom<number[]>([], [0], [1], [0, 1]);
  const steps = fc.array(fc.tuple(process, command, readers, instant, instant), { minLength: 1, maxLength: 60 });
  const property = fc.property(steps, (all) => {
    const file = join(folder, `${runs++}.db`);
    copyFileSync(empty, file);
    const model = new Model();
    const handles = [new Handle(file), new Handle(file)];
    try {
      for (const [which, step, readers, a, b] of all) {
        const handle = handles[which];
        if (handle) run(model, handle, step);
        for (const reader of handles.filter((_, n) => readers.includes(n)))
          compare(model, reader, Math.min(a, b), Math.max(a, b));
      }
      for (const reader of handles) compare(model, reader, 0, latest * tickUs);
    } finally {
      for (const handle of handles) handle.close();
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    }
  });
  fc.assert(property, { numRuns });
}
