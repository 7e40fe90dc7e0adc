import { createColumns } from '../../../../core/readings/columns.ts';
import type { Chunks } from '../../../sqlite-file/chunks/chunks.ts';
import type { LogMemory } from '../log/memory.ts';
import type { StoredReadings } from '../stored.ts';

/** Readings in the log, 25 bytes of memory each: beyond so many each commit compacts some. */
const compactFrom = 500_000;
/** Readings that a commit then compacts for each one that it adds: more than one, so that the log does not grow any more. */
const compactedForAdded = 1.5;
/** Readings that are compacted at once, of a series and of all of them while nothing else is written: some milliseconds. */
const atOnce = { ofSeries: 16_384, ofAll: 8192 } as const;
/** Compacted readings that are summed up at once while nothing else is written: some milliseconds. */
const summedUpAtOnce = 200_000;

export function compactAfter(stored: StoredReadings, added: number): void {
  if (stored.log.memory.count <= compactFrom) return;
  const compacted = added * compactedForAdded;
  compactSeries(stored, compacted, { isUrgent: true });
  stored.chunks.keepUpDays(compacted);
  stored.log.trim();
}

/** Compacts some of the log while nothing else is written, or sums up days that were compacted; returns whether there is more. */
export function compactWhileIdle(
  stored: StoredReadings,
  { ofSeries, ofAll }: Readonly<Record<keyof typeof atOnce, number>> = atOnce,
): boolean {
  return stored.writing(() => {
    compactSeries(stored, ofAll, { ofSeries });
    stored.log.trim();
    return stored.log.memory.first !== undefined || stored.chunks.sumUpDays(summedUpAtOnce);
  });
}

const reused = createColumns(atOnce.ofSeries);

interface Compactable {
  log: { memory: LogMemory };
  chunks: Chunks;
}

/** Moves about a number of readings from the log into chunks, series by series: those that wait longest first. */
export function compactSeries(
  { log, chunks }: Compactable,
  readings: number,
  { ofSeries = atOnce.ofSeries as number, isUrgent = false } = {},
): void {
  const { memory } = log;
  for (let remaining = readings; remaining > 0; ) {
    const [series, logged] = memory.first ?? [];
    if (series === undefined || !logged) return;
    const compacted = logged.range(
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      ofSeries,
      reused,
    );
    if (compacted.count > 0) {
      chunks.add(series, compacted, { lastUs: logged.compactedUs, isUrgent });
    }
    logged.compactedUs = undefined;
    memory.removeRange(
      series,
      Number.NEGATIVE_INFINITY,
      (compacted.atUs[compacted.count - 1] ?? 0) + 1,
    );
    remaining -= compacted.count + 1;
  }
}
