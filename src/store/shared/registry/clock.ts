import { and, between, gt, inArray, isNull, lte } from 'drizzle-orm/sql';
import { acceptedSamples, afterSample, mergedSamples } from '../../../core/domain/steady-clock.ts';
import type { ClockSamples, ClockStore } from '../../../core/port/clock.ts';
import {
  type Change,
  type ChangeKind,
  type Dialect,
  type Executor,
  placeholders,
  type Runner,
  resultOf,
  type StatementSteps,
  setMark,
  statement,
} from './statements.ts';

export const clockMarks: Readonly<Record<keyof ClockSamples, string>> = {
  seenMs: 'clock_seen_ms',
  steadyStartMs: 'clock_steady_start_ms',
  candidateStartMs: 'clock_candidate_start_ms',
  candidateUpMs: 'clock_candidate_up_ms',
};

const sampleFields = Object.keys(clockMarks) as (keyof ClockSamples)[]; // Object.keys loses the names

/** The relation of a clock to the uptime is kept for each `machine` by name, if there may be several: each started at another time. */
export function createClockStore(runner: Runner, machine?: string): ClockStore {
  const markNameOf = (field: keyof ClockSamples) =>
    field === 'seenMs' || machine === undefined
      ? clockMarks[field]
      : `${clockMarks[field]}@${machine}`;
  const markNames = JSON.stringify(sampleFields.map(markNameOf));
  const statements = createStatements(runner.dialect);

  const readSamples = function* (
    { query }: Executor,
    select = statements.read,
  ): StatementSteps<ClockSamples> {
    const marks = yield* resultOf(query(select, { names: markNames }));
    const samples: ClockSamples = {
      seenMs: 0,
      steadyStartMs: 0,
      candidateStartMs: 0,
      candidateUpMs: 0,
    };
    for (const field of sampleFields) {
      const mark = marks.find(({ name }) => name === markNameOf(field));
      samples[field] = mark?.value ?? 0;
    }
    return samples;
  };

  const updateSamples = function* (
    change: Change,
    toNext: (stored: ClockSamples) => ClockSamples,
  ): StatementSteps<void> {
    const storedSamples = yield* readSamples(change, statements.readLocked);
    const nextSamples = toNext(storedSamples);
    for (const field of sampleFields) {
      if (nextSamples[field] === storedSamples[field]) continue;
      const mark = { name: markNameOf(field), value: nextSamples[field] };
      yield change.query(statements.setMark, mark);
    }
  };

  const changeSamples = (kind: ChangeKind, toNext: (stored: ClockSamples) => ClockSamples) =>
    runner.change((change) => updateSamples(change, toNext), kind);

  return {
    read: () => runner.run(() => readSamples(runner)),
    hasExpiryWithin: async (fromMs, toMs) =>
      (await runner.first(statements.expiry, { fromMs, toMs })) !== undefined,
    record: (sample) => changeSamples('sample', (stored) => afterSample(stored, sample)),
    // Other daemons need not notice the sample of one: each samples by itself.
    merge: (progress) => changeSamples('merge', (stored) => mergedSamples(stored, progress)),
    accept: (sample, audit) =>
      runner.change(function* (change) {
        yield* updateSamples(change, () => acceptedSamples(sample));
        yield change.append(audit);
      }),
  };
}

function createStatements(dialect: Dialect) {
  const { builder, elementsOf, lockRows } = dialect;
  const { marks, keys, tenants } = dialect.tables;
  const { names, fromMs, toMs } = placeholders('names', 'fromMs', 'toMs');
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

  const everyTenant = builder.select({ id: tenants.id }).from(tenants);
  const expiry = statement(() =>
    builder
      .select({ id: keys.id })
      .from(keys)
      .where(
        and(
          // The index of keys that are not revoked begins with the tenant.
          inArray(keys.tenantId, everyTenant),
          isNull(keys.revokedAtMs),
          gt(keys.expiresAtMs, fromMs),
          lte(keys.expiresAtMs, toMs),
        ),
      )
      .limit(1),
  );

  return {
    expiry,
    read: statement(select),
    readLocked: statement(() => lockRows(select())),
    setMark: setMark(dialect),
  };
}

const latestMs = Date.UTC(10_000, 0) - 1;
