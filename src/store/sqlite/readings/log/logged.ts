import { type Columns, createColumns, partOf, placeOf } from '../../../../core/readings/columns.ts';
import type { BackwardRequest } from '../../../../core/readings/reads/newest.ts';
import { rangeOfSlice, type SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import type { LogMemory } from './memory.ts';
import type { SeriesMemory, TimedReading } from './series-memory.ts';

/** The parts of the log that the reader thread needs; only the writer thread of a daemon has the log in memory. */
export const loggedFor = {
  /** The readings of its range. If it reads its bucket anew, all before its range is in summaries. */
  slice(memory: LogMemory, request: SliceRequest): Columns {
    const { series, fromUs, toUs, limit } = rangeOfSlice(request);
    const columns = memory.get(series)?.range(fromUs, toUs, limit);
    return columns ?? createColumns(0);
  },
  /** The same of several series, up to the readings of one slice in total. */
  slices(memory: LogMemory, requests: readonly SliceRequest[]): Columns[] {
    const loggedColumns: Columns[] = [];
    let unreadCount = requests[0]?.most ?? 0;
    for (const request of requests) {
      if (unreadCount <= 0) break;

      const columns = loggedFor.slice(memory, request);
      loggedColumns.push(columns);
      unreadCount -= columns.count;
    }
    return loggedColumns;
  },
  /** The newest instants of a step. */
  newest(memory: LogMemory, request: BackwardRequest): Float64Array {
    const { series, fromUs, beforeUs, limit } = request;
    const instants = memory.get(series)?.instantsBefore(fromUs, beforeUs, limit);
    return instants ?? new Float64Array(0);
  },
  /** The last reading of each series that has one. */
  states(memory: LogMemory, seriesNumbers: readonly number[]): ReadonlyMap<number, TimedReading> {
    const lastReadings = new Map<number, TimedReading>();
    for (const series of seriesNumbers) {
      const lastReading = memory.get(series)?.last;
      if (lastReading) lastReadings.set(series, lastReading);
    }
    return lastReadings;
  },
};

type LoggedFor = typeof loggedFor;

export type Logged = { [Kind in keyof LoggedFor]: ReturnType<LoggedFor[Kind]> };

/** The readings of one series that another thread has found in the log. */
export function seriesOf(columns: Columns): Pick<SeriesMemory, 'range'> {
  return {
    range(fromUs, toUs, limit = Number.POSITIVE_INFINITY) {
      const fromIndex = placeOf(columns, fromUs);
      const toIndex = Math.min(placeOf(columns, toUs), fromIndex + limit);
      return partOf(columns, fromIndex, toIndex);
    },
  };
}
