import { type Columns, createColumns, partOf, placeOf } from '../../../../core/readings/columns.ts';
import { rangeOfSlice, type SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import type { LogMemory, SeriesMemory, TimedReading } from './memory.ts';

/**
 * What the reader's thread needs of the log for a read. The writer's thread has the log in memory anyway, so that nothing else in
 * a daemon reads it. Flat, since it crosses from one thread to another.
 */
export interface Logged {
  /** Of a slice: the readings of its range. Of states: the last reading of each series, NaN without one. */
  slice: Columns;
  states: Pick<Columns, 'atUs' | 'values'>;
}

/** What a slice needs. If it reads its bucket anew, all before its range is in summaries. */
export function loggedForSlice(memory: LogMemory, request: SliceRequest): Logged['slice'] {
  const { series, fromUs, toUs, limit } = rangeOfSlice(request);
  return memory.get(series)?.range(fromUs, toUs, limit) ?? createColumns(0);
}

export function loggedForStates(memory: LogMemory, numbers: readonly number[]): Logged['states'] {
  const lasts = numbers.map((series) => memory.get(series)?.last);
  return {
    atUs: Float64Array.from(lasts, (last) => last?.atUs ?? Number.NaN),
    values: Float64Array.from(lasts, (last) => last?.value ?? Number.NaN),
  };
}

/** The readings of one series that another thread has found in the log. */
export function seriesOf(columns: Columns): Pick<SeriesMemory, 'range'> {
  return {
    range(fromUs, toUs, most = Number.POSITIVE_INFINITY) {
      const from = placeOf(columns, fromUs);
      return partOf(columns, from, Math.min(placeOf(columns, toUs), from + most));
    },
  };
}

/** The last readings of series that another thread has found in the log. */
export function lastsOf(numbers: readonly number[], { atUs, values }: Logged['states']): Map<number, TimedReading> {
  const lasts = new Map<number, TimedReading>();
  for (const [place, series] of numbers.entries()) {
    const us = atUs[place] ?? Number.NaN;
    if (!Number.isNaN(us)) lasts.set(series, { atUs: us, value: values[place] ?? 0 });
  }
  return lasts;
}
