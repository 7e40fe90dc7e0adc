import { acceptedSamples, afterSample, mergedSamples } from '../../core/domain/steady-clock.ts';
import type { ClockSamples, ClockStore } from '../../core/port/clock.ts';
import {
  type Change,
  type ChangeKind,
  type Dialect,
  keepMark,
  type Runner,
  resultOf,
  type Statements,
  type Steps,
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

  const read = function* (
    { query }: Statements,
    { each }: Dialect,
    locking = '',
  ): Steps<ClockSamples> {
    // The log-in of a daemon to PostgreSQL can write any number.
    const text = `select name, value from marks where name in (select value from ${each})
      and value between 0 and ${latestMs} order by name${locking}`;
    const rows = yield* resultOf(query<{ name: string; value: number }>(text, [names]));
    const samples: ClockSamples = {
      seenMs: 0,
      steadyStartMs: 0,
      candidateStartMs: 0,
      candidateUpMs: 0,
    };
    for (const field of fields)
      samples[field] = rows.find(({ name }) => name === nameOf(field))?.value ?? 0;
    return samples;
  };
  const update = function* (
    change: Change,
    next: (stored: ClockSamples) => ClockSamples,
  ): Steps<void> {
    const before = yield* read(change, change.dialect, change.dialect.forUpdate);
    const after = next(before);
    for (const field of fields) {
      if (after[field] !== before[field])
        yield change.query(keepMark, [nameOf(field), after[field]]);
    }
  };
  const sampled = (kind: ChangeKind, next: (stored: ClockSamples) => ClockSamples) =>
    runner.change((change) => update(change, next), kind);

  return {
    read: () => runner.run(() => read(runner, runner.dialect)),
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

const latestMs = Date.UTC(10_000, 0) - 1;
