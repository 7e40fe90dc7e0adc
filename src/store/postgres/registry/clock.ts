import type { ClockSamples, ClockStore } from '../../../core/port/clock.ts';
import { acceptedSamples, afterSample } from '../../../core/time/steady-clock.ts';
import type { Session } from '../connection/session.ts';
import { appendAudit } from './audit.ts';
import type { Registry } from './registry.ts';

/**
 * The samples of the clock, kept as marks. All machines share the latest time that was seen; how a clock relates to the
 * uptime is kept for each machine by its name, since each has started at another time.
 */
export function createClockStore({ database, change }: Registry, machine: string): ClockStore {
  const nameOf = (field: keyof ClockSamples) => (field === 'seenMs' ? names.seenMs : `${names[field]}@${machine}`);

  const read = async (session: Pick<Session, 'query'>, locking = ''): Promise<ClockSamples> => {
    const rows = await session.query<{ name: string; value: number }>(
      `clock.read${locking}`,
      `select name, value from marks where name = any($1) order by name ${locking}`,
      [fields.map(nameOf)],
    );
    const values = new Map(rows.map(({ name, value }) => [name, value]));
    const markOf = (field: keyof ClockSamples) => values.get(nameOf(field)) ?? 0;
    return {
      seenMs: markOf('seenMs'),
      steadyStartMs: markOf('steadyStartMs'),
      candidateStartMs: markOf('candidateStartMs'),
      candidateUpMs: markOf('candidateUpMs'),
    };
  };
  const update = async (session: Session, next: (stored: ClockSamples) => ClockSamples) => {
    const before = await read(session, 'for update');
    const after = next(before);
    for (const field of fields) {
      if (after[field] === before[field]) continue;
      await session.query(
        'clock.keep',
        'insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
        [nameOf(field), after[field]],
      );
    }
  };

  return {
    read: () => read(database),
    record: (sample) => change(({ session }) => update(session, (stored) => afterSample(stored, sample))),
    // Other daemons need not notice what one of them has sampled: each samples by itself.
    merge: ({ fromMs, samples }) =>
      database.transaction((session) =>
        update(session, (stored) => {
          // Only an acceptance moves the time back; samples from before it do not count.
          const counts = stored.seenMs >= fromMs;
          return counts ? { ...samples, seenMs: Math.max(stored.seenMs, samples.seenMs) } : stored;
        }),
      ),
    accept: (sample, audit) =>
      change(async ({ session }) => {
        await update(session, () => acceptedSamples(sample));
        await appendAudit(session, audit);
      }),
  };
}

/** The name of each mark. */
const names: Readonly<Record<keyof ClockSamples, string>> = {
  seenMs: 'clock_seen_ms',
  steadyStartMs: 'clock_steady_start_ms',
  candidateStartMs: 'clock_candidate_start_ms',
  candidateUpMs: 'clock_candidate_up_ms',
};
const fields = Object.keys(names) as (keyof ClockSamples)[]; // Object.keys loses the names
