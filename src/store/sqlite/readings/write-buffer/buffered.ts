import type { BackwardRequest } from '../../../../core/readings/reads/newest.ts';
import { rangeOfSlice, type SliceRequest } from '../../../../core/readings/reads/slice-request.ts';
import { wantsIncrease } from '../../../../core/readings/reads/slices.ts';
import {
  createReadings,
  indexAt,
  partOf,
  type SeriesReadings,
  type TimedReading,
} from '../../../../core/readings/series-readings.ts';
import type { BufferMemory } from './memory.ts';
import type { SeriesMemory } from './series-memory.ts';

/** What a slice needs of the write buffer: the readings of its range, and the last one before. */
interface BufferedSlice {
  readings: SeriesReadings;
  before?: TimedReading | undefined;
}

/** The parts of the write buffer that the reader thread needs; in a daemon only the writer thread has it in memory. */
export const bufferedFor = {
  /** The readings of its range. If it reads its bucket anew, all before its range was dropped. */
  slice(memory: BufferMemory, request: SliceRequest): BufferedSlice {
    const { series, fromUs, toUs, limit } = rangeOfSlice(request);
    const seriesMemory = memory.get(series);
    if (!seriesMemory) return { readings: createReadings(0) };
    return {
      readings: seriesMemory.range(fromUs, toUs, limit),
      before: wantsIncrease(request) ? seriesMemory.lastBefore(fromUs) : undefined,
    };
  },
  /** The same of several series, up to the readings of one slice in total. */
  slices(memory: BufferMemory, requests: readonly SliceRequest[]): BufferedSlice[] {
    const bufferedSlices: BufferedSlice[] = [];
    let unreadCount = requests[0]?.most ?? 0;
    for (const request of requests) {
      if (unreadCount <= 0) break;

      const bufferedSlice = bufferedFor.slice(memory, request);
      bufferedSlices.push(bufferedSlice);
      unreadCount -= bufferedSlice.readings.count;
    }
    return bufferedSlices;
  },
  /** The newest instants of a step. */
  newest(memory: BufferMemory, request: BackwardRequest): Float64Array {
    const { series, fromUs, beforeUs, limit } = request;
    const instants = memory.get(series)?.instantsBefore(fromUs, beforeUs, limit);
    return instants ?? new Float64Array(0);
  },
  /** The last reading of each series that has one. */
  states(
    memory: BufferMemory,
    seriesNumbers: readonly number[],
  ): ReadonlyMap<number, TimedReading> {
    const lastReadings = new Map<number, TimedReading>();
    for (const series of seriesNumbers) {
      const lastReading = memory.get(series)?.last;
      if (lastReading) lastReadings.set(series, lastReading);
    }
    return lastReadings;
  },
};

type BufferedFor = typeof bufferedFor;

export type Buffered = { [Kind in keyof BufferedFor]: ReturnType<BufferedFor[Kind]> };

/** The readings of one series that another thread has found in the write buffer. */
export function seriesOf(readings: SeriesReadings): Pick<SeriesMemory, 'range'> {
  return {
    range(fromUs, toUs, limit = Number.POSITIVE_INFINITY) {
      const fromIndex = indexAt(readings, fromUs);
      const toIndex = Math.min(indexAt(readings, toUs), fromIndex + limit);
      return partOf(readings, fromIndex, toIndex);
    },
  };
}
