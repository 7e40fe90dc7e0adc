import { and, between, inArray } from 'drizzle-orm/sql';
import { acceptedSamples, afterSample, mergedSamples } from '../../../core/domain/steady-clock.ts';
import type { ClockSamples, ClockStore } from '../../../core/port/clock.ts';
import { placeholders, statement } from './compiled-statements.ts';
import { setMark } from './marks.ts';
import {
  type Change,
  type ChangeKind,
  type Dialect,
  type Executor,
  type Runner,
  resultOf,
  type StatementSteps,
} from './statements.ts';

export const clockMarks: Readonly<Record<keyof ClockSamples, string>> = {
  seenMs: 'clock_seen_ms',
  steadyStartMs: 'clock_steady_start_ms',
  candidateStartMs: 'clock_candidate_start_ms',
  candidateUpMs: 'clock_candidate_up_ms',
};

const fields = Object.keys(clockMarks) as (keyof ClockSamples)[]; // Object.keys loses the names

/** How a clock relates to the uptime is kept for each `machine` by its name, if there may be several: each has started at another time. */
export function createClockStore(runner: Runner, machine?: string): ClockStore {
  const nameOf = (field: keyof ClockSamples) =>
    field === 'seenMs' || machine === undefined
      ? clockMarks[field]
      : `${clockMarks[field]}@${machine}`;
  const names = JSON.stringify(fields.map(nameOf));
  const statements = createStatements(runner.dialect);

  const read = function* (
    { query }: Executor,
    select = statements.read,
  ): StatementSteps<ClockSamples> {
    const marks = yield* resultOf(query(select, { names }));
    const samples: ClockSamples = {
      seenMs: 0,
      steadyStartMs: 0,
      candidateStartMs: 0,
      candidateUpMs: 0,
    };
    for (const field of fields)
      samples[field] = marks.find(({ name }) => name === nameOf(field))?.value ?? 0;
    return samples;
  };
  const update = function* (
    change: Change,
    next: (stored: ClockSamples) => ClockSamples,
  ): StatementSteps<void> {
    const before = yield* read(change, statements.readLocked);
    const after = next(before);
    for (const field of fields) {
      if (after[field] !== before[field])
        yield change.query(statements.setMark, { name: nameOf(field), value: after[field] });
    }
  };
  const sampled = (kind: ChangeKind, next: (stored: ClockSamples) => ClockSamples) =>
    runner.change((change) => update(change, next), kind);

  return {
    read: () => runner.run(() => read(runner)),
    record: (sample) => sampled('sample', (stored) => afterSample(stored, sample)),
    // Other daemons need not notice what one of them has sampled: each samples by itself.
    merge: (progress) => sampled('merge', (stored) => mergedSamples(stored, progress)),
    accept: (sample, audit) =>
      runner.change(function* (change) {
        yield* update(change, () => acceptedSamples(sample));
        yield change.append(audit);
      }),
  };
}

function createStatements(dialect: Dialect) {
  const { builder, elementsOf, lockRows } = dialect;
  const { marks } = dialect.tables;
  const { names } = placeholders('names');
  const select = () =>
    builder
      .select()
      .from(marks)
      .where(
        and(
          inArray(marks.name, elementsOf(names)),
          // The log-in of a daemon to PostgreSQL can write any number.
          between(marks.value, 0, latestMs),
        ),
      )
      .orderBy(marks.name);

  return {
    read: statement(select),
    readLocked: statement(() => lockRows(select())),
    setMark: setMark(dialect),
  };
}

const latestMs = Date.UTC(10_000, 0) - 1;
