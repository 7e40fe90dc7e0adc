import type { Heartbeat, SensorState } from '../../../../core/port/readings.ts';
import {
  endOfRead,
  isDropped,
  newestStarts,
  resume,
} from '../../../../core/readings/reads/day-sums.ts';
import { type BackwardRequest, newestOf } from '../../../../core/readings/reads/newest.ts';
import { isOfQuarters } from '../../../../core/readings/reads/quarters.ts';
import {
  rangeOfSlice,
  type Slice,
  type SliceRequest,
  slicesInOrder,
  sumUp,
  toSlice,
  type ValueBefore,
  wantsIncrease,
} from '../../../../core/readings/reads/slices.ts';
import type { TimedReading } from '../../../../core/readings/series-readings.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { newerOf, type StoredReadings } from '../stored.ts';
import { type Buffered, seriesOf } from '../write-buffer/write-buffer.ts';

/** The reads of a daemon's thread. `buffered` is the part of the write buffer that one needs; without it, all of it is read. */
export interface Reader {
  slice(request: SliceRequest, buffered?: Buffered['slice'], memory?: ArrayBuffer): Slice;
  /** The slices of several series, in order, in one transaction; `buffered` may be of fewer series. */
  slices(requests: readonly SliceRequest[], buffered?: Buffered['slices']): Slice[];
  newest(request: BackwardRequest, buffered?: Buffered['newest']): Float64Array;
  states(
    series: readonly number[],
    buffered?: Buffered['states'],
  ): ReadonlyMap<number, SensorState>;
}

/** Creates the reader of a connection; each slice is a transaction of its own, so that no checkpoint waits for it. */
export function createReader(connection: Connection, stored: StoredReadings): Reader {
  const selectLastHeartbeat = connection.prepare<[number], Omit<Heartbeat, 'series'>>(
    `select at_us as atUs, status, battery, signal, firmware
     from heartbeats
     where series = ?
     order by at_us desc
     limit 1`,
  );
  const instantsBefore = (request: BackwardRequest, buffered?: Float64Array): Float64Array => {
    const instants = stored.instantsBefore(request, buffered);
    if (!request.isOfQuarters) return instants;
    const days = stored.droppedBackward(request.series, request.beforeUs);
    return newestOf(instants, newestStarts(days, request), request.limit);
  };

  const stateOf = (series: number, lastReading: TimedReading | undefined): SensorState => {
    return {
      reading: newerOf(lastReading, stored.lastDropped(series, Number.POSITIVE_INFINITY)),
      heartbeat: selectLastHeartbeat.get(series),
    };
  };

  /** Must be called in a transaction, or quarters that are dropped between two statements would be missing. */
  const readSlice = (
    request: SliceRequest,
    buffered: Buffered['slice'] | undefined,
    memory?: ArrayBuffer,
  ): Slice => {
    const bufferedSeries = buffered && seriesOf(buffered.readings);

    /** Quarters that narrower buckets leave out count here, up to the first reading. */
    const valueBeforeOf = (sliceRequest: SliceRequest): ValueBefore | undefined => {
      if (!wantsIncrease(sliceRequest)) return undefined;
      const { series, fromUs } = rangeOfSlice(sliceRequest);
      return (firstUs) => {
        const droppedUs = isOfQuarters(sliceRequest) ? fromUs : Math.max(firstUs, fromUs);
        const dropped = stored.lastDropped(series, droppedUs);
        const reading = buffered
          ? newerOf(buffered.before, stored.chunks.lastBefore(series, fromUs))
          : stored.lastBefore(series, fromUs);
        return newerOf(reading, dropped)?.value;
      };
    };

    const { buckets } = request;
    if (buckets && isOfQuarters(request)) {
      const hasDropped = (us: number) => isDropped(stored.droppedAt(request.series, us), us);
      const resumed = { ...request, ...resume(request, hasDropped) };
      const { series, ...range } = rangeOfSlice(resumed);
      const endUs = buffered ? endOfRead(buffered.readings, range, hasDropped) : null;
      const parts = stored.readSummed(
        series,
        { ...range, toUs: endUs ?? range.toUs },
        bufferedSeries,
      );
      return sumUp(resumed, buckets, parts, { valueBefore: valueBeforeOf(resumed), endUs });
    }
    const { series, fromUs, toUs } = rangeOfSlice(request);
    const parts = stored.read(series, fromUs, toUs, bufferedSeries);
    return toSlice(request, parts, { memory, valueBefore: valueBeforeOf(request) });
  };

  return {
    slice(request, buffered, memory) {
      const read = () => readSlice(request, buffered, memory);
      return buffered ? stored.readingChunks(read) : stored.reading(read);
    },
    slices(requests, buffered) {
      const readRequests = requests.slice(0, buffered?.length);
      const read = () =>
        slicesInOrder(readRequests, (request, requestIndex) =>
          readSlice(request, buffered?.[requestIndex]),
        );
      return buffered ? stored.readingChunks(read) : stored.reading(read);
    },
    newest(request, buffered) {
      const read = () => instantsBefore(request, buffered);
      return buffered ? stored.readingChunks(read) : stored.reading(read);
    },
    states: (seriesNumbers, buffered) =>
      stored.readingLast((lastOf) => {
        const states = new Map<number, SensorState>();
        for (const series of seriesNumbers) {
          states.set(series, stateOf(series, lastOf(series)));
        }
        return states;
      }, buffered),
  };
}
