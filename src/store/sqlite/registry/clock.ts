import { HkctlError } from '../../../core/errors.ts';
import { lazily } from '../../../core/lazily.ts';
import type { ClockSamples, ClockStore } from '../../../core/port/clock.ts';
import { acceptedSamples, afterSample } from '../../../core/time/steady-clock.ts';
import type { AppendAudit } from './audit.ts';
import type { Registry } from './registry.ts';

/** The samples of the machine's clock, kept as marks of the registry. */
export function createClockStore(registry: Registry, append: AppendAudit): ClockStore {
  const { connection } = registry;
  const marks = lazily(() =>
    connection.prepare<[], { name: string; value: number }>("select name, value from marks where name like 'clock%'"),
  );
  const mark = lazily(() =>
    connection.prepare<[string, number]>('insert or replace into marks (name, value) values (?, ?)'),
  );
  const read = (): ClockSamples => {
    const values = new Map(
      marks()
        .all()
        .map(({ name, value }) => [name, value]),
    );
    const markOf = (field: keyof ClockSamples) => values.get(names[field]) ?? 0;
    return requireInstants({
      seenMs: markOf('seenMs'),
      steadyStartMs: markOf('steadyStartMs'),
      candidateStartMs: markOf('candidateStartMs'),
      candidateUpMs: markOf('candidateUpMs'),
    });
  };
  const keep = (before: ClockSamples, after: ClockSamples) => {
    for (const field of fields) if (after[field] !== before[field]) mark().run(names[field], after[field]);
  };
  const change = (next: (stored: ClockSamples) => ClockSamples) =>
    withoutWaiting(registry, () =>
      registry.change(() => {
        const stored = read();
        keep(stored, next(stored));
      }),
    );

  return {
    read: () => registry.read(read),
    record: (sample) => change((stored) => afterSample(stored, sample)),
    merge: ({ fromMs, samples }) =>
      change((stored) => {
        // Only an acceptance moves the time back; samples from before it do not count.
        const counts = stored.seenMs >= fromMs;
        return counts ? { ...samples, seenMs: Math.max(stored.seenMs, samples.seenMs) } : stored;
      }),
    accept: (sample, audit) =>
      registry.change(() => {
        keep(read(), acceptedSamples(sample));
        append(audit);
      }),
  };
}

/** The name of each mark in the registry. */
const names: Readonly<Record<keyof ClockSamples, string>> = {
  seenMs: 'clock_seen_ms',
  steadyStartMs: 'clock_steady_start_ms',
  candidateStartMs: 'clock_candidate_start_ms',
  candidateUpMs: 'clock_candidate_up_ms',
};
const fields = Object.keys(names) as (keyof ClockSamples)[]; // Object.keys loses the names

/** The last instant that a Date can be. */
const latestMs = 8.64e15;

function requireInstants(samples: ClockSamples): ClockSamples {
  if (Object.values(samples).every((ms) => Math.abs(ms) <= latestMs)) return samples;
  throw new HkctlError('store_corrupt', 'The store is damaged: what it has seen of the clock is no time.', {
    hint: 'Keep the files as they are and go back to your last backup.',
  });
}

/** A sample is not worth the seconds that a change may wait for another writer; the next one follows soon. */
function withoutWaiting(registry: Registry, work: () => void): void {
  const { connection } = registry;
  const busyTimeoutMs = registry.read(() => Number(connection.pragma('busy_timeout', { simple: true })));
  connection.pragma('busy_timeout = 0');
  try {
    work();
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
