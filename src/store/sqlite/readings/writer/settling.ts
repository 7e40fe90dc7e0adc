import { HkctlError } from '../../../../core/errors.ts';
import type { StoredReadings } from '../stored.ts';
import type { IngestGroup } from './ingest-writer.ts';

/** Readings in the log: beyond the first number each commit settles some, beyond the second one none is accepted. */
const loggedReadings = { settleFrom: 500_000, most: 1_000_000 } as const;
/** Readings that a commit settles for each one that it adds: more than one, so that the log cannot grow without end. */
const settledForAdded = 1.5;
/** Readings that are settled at once, of a series and of all of them while nothing else is written: some milliseconds. */
const atOnce = { ofSeries: 16_384, ofAll: 8192 } as const;

/** Throws `unavailable` if the log would take too much memory. */
export function requireSpace({ log }: StoredReadings, groups: readonly IngestGroup[]): void {
  let added = 0;
  for (const { sizes } of groups) for (const size of sizes) added += size;
  if (added === 0 || log.memory.count + added <= Math.max(loggedReadings.most, added)) return;
  throw new HkctlError('unavailable', 'Too many readings wait for the disk.', { hint: 'Try again in a few seconds.' });
}

/** Settles as much as a commit has to, inside its transaction. */
export function settleAfter(stored: StoredReadings, added: number): void {
  if (stored.log.memory.count <= loggedReadings.settleFrom) return;
  settle(stored, added * settledForAdded);
  stored.log.trim();
}

/** Settles some of the log while nothing else is written; returns whether there is more. */
export function settleIdle(
  stored: StoredReadings,
  { ofSeries, ofAll }: Readonly<Record<keyof typeof atOnce, number>> = atOnce,
): boolean {
  return stored.writing(() => {
    settle(stored, ofAll, ofSeries);
    stored.log.trim();
    return stored.log.memory.first !== undefined;
  });
}

/** Moves about a number of readings from the log into chunks, series by series: those that wait longest first. */
function settle({ log, chunks }: StoredReadings, readings: number, ofSeries: number = atOnce.ofSeries): void {
  const { memory } = log;
  for (let left = readings; left > 0; ) {
    const [series, logged] = memory.first ?? [];
    if (series === undefined || !logged) return;
    const settled = logged.range(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, ofSeries);
    if (settled.count > 0) chunks.add(series, settled, logged.settledUs);
    logged.settledUs = undefined;
    memory.removeRange(series, Number.NEGATIVE_INFINITY, (settled.atUs[settled.count - 1] ?? 0) + 1);
    left -= settled.count + 1;
  }
}
