import { acceptedSamples, afterSample, mergedSamples } from '../../../core/domain/steady-clock.ts';
import type { ClockSamples, ClockStore } from '../../../core/port/clock.ts';
import { clockFields, clockMarks, samplesIn } from '../../registry/clock.ts';
import { isShownMs } from '../connection/column-types.ts';
import type { Session } from '../connection/session.ts';
import { appendAudit } from './audit.ts';
import type { Registry } from './registry.ts';

/**
 * The samples of the clock, kept as marks. All machines share the latest time that was seen; how a clock relates to the
 * uptime is kept for each machine by its name, since each has started at another time.
 */
export function createClockStore({ database, change }: Registry, machine: string): ClockStore {
  const nameOf = (field: keyof ClockSamples) =>
    field === 'seenMs' ? clockMarks.seenMs : `${clockMarks[field]}@${machine}`;

  const read = async (session: Pick<Session, 'query'>, locking = ''): Promise<ClockSamples> => {
    const rows = await session.query<{ name: string; value: number }>(
      `clock.read${locking}`,
      `select name, value from marks where name = any($1) and ${isShownMs('value')} order by name ${locking}`,
      [clockFields.map(nameOf)],
    );
    return samplesIn(rows, nameOf);
  };
  const update = async (session: Session, next: (stored: ClockSamples) => ClockSamples) => {
    const before = await read(session, 'for update');
    const after = next(before);
    for (const field of clockFields) {
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
    record: (sample) => change((session) => update(session, (stored) => afterSample(stored, sample))),
    // Other daemons need not notice what one of them has sampled: each samples by itself.
    merge: (progress) =>
      database.transaction((session) => update(session, (stored) => mergedSamples(stored, progress))),
    accept: (sample, audit) =>
      change(async (session) => {
        await update(session, () => acceptedSamples(sample));
        await appendAudit(session, audit);
      }),
  };
}
