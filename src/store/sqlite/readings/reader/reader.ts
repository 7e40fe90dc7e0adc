import type { BucketSpan, Heartbeat, SensorState } from '../../../../core/port/readings.ts';
import type { Piece, TimedReading } from '../../../../core/readings/columns.ts';
import { type BackwardRequest, newestOf } from '../../../../core/readings/reads/newest.ts';
import { quartersFromUs, type SummedPiece } from '../../../../core/readings/reads/quarters.ts';
import {
  rangeOfSlice,
  type Slice,
  type SliceRequest,
} from '../../../../core/readings/reads/slice-request.ts';
import {
  slicesInOrder,
  sumUp,
  toSlice,
  type ValueBefore,
  wantsIncrease,
} from '../../../../core/readings/reads/slices.ts';
import {
  type HourRow,
  hoursOfSlice,
  resume,
  usesSummaries,
} from '../../../../core/readings/reads/summaries.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { newerOf, type StoredReadings } from '../stored.ts';
import { type Buffered, seriesOf } from '../write-buffer/buffered.ts';

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

type SummedPiecesOf = (
  request: SliceRequest,
  summedFromUs: number,
) => Iterable<Piece | SummedPiece>;

/** Series, the range of hours, the range of readings, and the limit. */
type HourParameters = [number, number, number, number, number, number];

/** Creates the reader of a connection; each slice is a transaction of its own, so that no checkpoint waits for it. */
export function createReader(connection: Connection, stored: StoredReadings): Reader {
  const selectLastSummary = connection.prepare<[number], TimedReading>(
    `select last_at_us as atUs, last as value
     from summaries
     where series = ?
     order by hour_us desc
     limit 1`,
  );
  const selectSummaryBefore = connection.prepare<[number, number, number], TimedReading>(
    `select last_at_us as atUs, last as value
     from summaries
     where series = ? and hour_us < ? and last_at_us < ?
     order by hour_us desc
     limit 1`,
  );
  const selectLastHeartbeat = connection.prepare<[number], Heartbeat>(
    `select series, at_us as atUs, status, battery, signal, firmware
     from heartbeats
     where series = ?
     order by at_us desc
     limit 1`,
  );
  const wholeHours = `series = ?
       and hour_us >= ? and hour_us < ?
       and first_at_us >= ? and last_at_us < ?`;
  const selectHours = connection.prepare<HourParameters, HourRow>(
    `select hour_us as hourUs, count, min, max, mean, first, last, fallen, last_at_us as lastAtUs
     from summaries
     where ${wholeHours}
     order by hour_us
     limit ?`,
  );
  const selectHoursBefore = connection
    .prepare<HourParameters, number>(
      `select hour_us
       from summaries
       where ${wholeHours}
       order by hour_us desc
       limit ?`,
    )
    .pluck();

  const instantsBefore = (request: BackwardRequest, buffered?: Float64Array): Float64Array => {
    const { series, fromUs, toUs, beforeUs, firstHourUs, limit } = request;
    const instants = stored.instantsBefore(request, buffered);
    if (firstHourUs === undefined) return instants;

    const hours = selectHoursBefore
      .all(series, firstHourUs, beforeUs, fromUs, toUs, limit)
      .reverse();
    return newestOf(instants, Float64Array.from(hours), limit);
  };

  const readBuckets = (
    request: SliceRequest,
    buckets: BucketSpan,
    piecesOf: SummedPiecesOf,
    valueBeforeOf: (resumed: SliceRequest) => ValueBefore | undefined,
  ): Slice => {
    const summarisedUs = selectLastSummary.get(request.series)?.atUs ?? null;
    if (summarisedUs === null) {
      const pieces = piecesOf(request, quartersFromUs(buckets));
      const dropped = { hours: [], summarisedUs };
      return sumUp(request, buckets, pieces, { dropped, valueBefore: valueBeforeOf(request) });
    }

    const resumed = { ...request, ...resume(request, summarisedUs) };
    const { series, firstHourUs, fromUs, toUs, limit } = hoursOfSlice(resumed);
    const hours = selectHours.all(series, firstHourUs, toUs, fromUs, toUs, limit);
    // Readings that arrived after the summary of their hour are not counted there, but are in the sums of days.
    const summedFromUs = Math.max(quartersFromUs(buckets), summarisedUs + 1);
    const pieces = piecesOf(resumed, summedFromUs);
    const dropped = { hours, summarisedUs };
    return sumUp(resumed, buckets, pieces, { dropped, valueBefore: valueBeforeOf(resumed) });
  };

  const stateOf = (series: number, lastReading: TimedReading | undefined): SensorState => {
    const summary = selectLastSummary.get(series);
    const summarisedUs = summary?.atUs ?? Number.NEGATIVE_INFINITY;
    const isNewer = lastReading !== undefined && lastReading.atUs > summarisedUs;
    return {
      reading: isNewer ? lastReading : summary,
      heartbeat: selectLastHeartbeat.get(series),
    };
  };

  /** Must be called in a transaction, or hours that are dropped between two statements would be missing. */
  const readSlice = (
    request: SliceRequest,
    buffered: Buffered['slice'] | undefined,
    memory?: ArrayBuffer,
  ): Slice => {
    const bufferedSeries = buffered && seriesOf(buffered.columns);
    const summedPiecesOf: SummedPiecesOf = (sliceRequest, summedFromUs) => {
      const { series, ...range } = rangeOfSlice(sliceRequest);
      return stored.readSummed(series, { ...range, summedFromUs }, bufferedSeries);
    };

    /** Hours that narrower buckets leave out count here, up to the first reading. */
    const valueBeforeOf = (sliceRequest: SliceRequest): ValueBefore | undefined => {
      if (!wantsIncrease(sliceRequest)) return undefined;
      const { series, fromUs } = rangeOfSlice(sliceRequest);
      return (firstUs) => {
        const summaryUs = usesSummaries(sliceRequest) ? fromUs : Math.max(firstUs, fromUs);
        const summary = selectSummaryBefore.get(series, summaryUs, summaryUs);
        const reading = buffered
          ? newerOf(buffered.before, stored.chunks.lastBefore(series, fromUs))
          : stored.lastBefore(series, fromUs);
        return newerOf(reading, summary)?.value;
      };
    };

    const { buckets } = request;
    if (buckets && usesSummaries(request)) {
      return readBuckets(request, buckets, summedPiecesOf, valueBeforeOf);
    }
    const { series, fromUs, toUs } = rangeOfSlice(request);
    const pieces = stored.read(series, fromUs, toUs, bufferedSeries);
    return toSlice(request, pieces, { memory, valueBefore: valueBeforeOf(request) });
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
