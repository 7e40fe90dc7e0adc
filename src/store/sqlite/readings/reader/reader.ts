import type { BucketSpan, SensorState } from '../../../../core/port/readings.ts';
import type { Piece } from '../../../../core/readings/columns.ts';
import { type BackwardRequest, newestOf } from '../../../../core/readings/reads/newest.ts';
import { quartersFromUs, type SummedPiece } from '../../../../core/readings/reads/quarters.ts';
import {
  rangeOfSlice,
  type Slice,
  type SliceRequest,
} from '../../../../core/readings/reads/slice-request.ts';
import { slicesInOrder, sumUp, toSlice } from '../../../../core/readings/reads/slices.ts';
import {
  type HourRow,
  hoursOfSlice,
  resume,
  usesSummaries,
} from '../../../../core/readings/reads/summaries.ts';
import type { Connection } from '../../../sqlite-file/driver.ts';
import { type Logged, seriesOf } from '../log/logged.ts';
import type { TimedReading } from '../log/series-memory.ts';
import type { StoredReadings } from '../stored.ts';

/** What a daemon reads in a thread. Without `logged`, its part of the log, all readings of the log are taken into memory. */
export interface Reader {
  slice(request: SliceRequest, logged?: Logged['slice'], memory?: ArrayBuffer): Slice;
  /** The slices of several series, in order, in one transaction; `logged` may be of fewer series. */
  slices(requests: readonly SliceRequest[], logged?: Logged['slices']): Slice[];
  newest(request: BackwardRequest, logged?: Logged['newest']): Float64Array;
  states(series: readonly number[], logged?: Logged['states']): ReadonlyMap<number, SensorState>;
}

interface LastHeartbeat {
  atUs: number;
  status: string | null;
  battery: number | null;
}

/** Creates what reads readings on a connection; each slice is a transaction of its own, so that no checkpoint waits for it. */
export function createReader(connection: Connection, stored: StoredReadings): Reader {
  const selectLastSummary = connection.prepare<[number], TimedReading>(
    'select last_at_us as atUs, last as value from summaries where series = ? order by hour_us desc limit 1',
  );
  const selectLastHeartbeat = connection.prepare<[number], LastHeartbeat>(
    'select at_us as atUs, status, battery from heartbeats where series = ? order by at_us desc limit 1',
  );
  const selectHours = connection.prepare<[number, number, number, number, number, number], HourRow>(
    `select hour_us as hourUs, count, min, max, mean, last, last_at_us as lastAtUs from summaries
     where series = ? and hour_us >= ? and hour_us < ? and first_at_us >= ? and last_at_us < ? order by hour_us limit ?`,
  );
  const selectHoursBefore = connection
    .prepare<[number, number, number, number, number, number], number>(
      `select hour_us from summaries
       where series = ? and hour_us >= ? and hour_us < ? and first_at_us >= ? and last_at_us < ? order by hour_us desc limit ?`,
    )
    .pluck();
  const instantsBefore = (request: BackwardRequest, logged?: Float64Array): Float64Array => {
    const { series, fromUs, toUs, beforeUs, firstHourUs, limit } = request;
    const instants = stored.instantsBefore(request, logged);
    if (firstHourUs === undefined) return instants;
    const hours = selectHoursBefore
      .all(series, firstHourUs, beforeUs, fromUs, toUs, limit)
      .reverse();
    return newestOf(instants, Float64Array.from(hours), limit);
  };
  const readBuckets = (
    request: SliceRequest,
    buckets: BucketSpan,
    piecesOf: (request: SliceRequest, summedFromUs: number) => Iterable<Piece | SummedPiece>,
  ): Slice => {
    const summarisedUs = selectLastSummary.get(request.series)?.atUs ?? null;
    if (summarisedUs === null) {
      const pieces = piecesOf(request, quartersFromUs(buckets));
      return sumUp(request, buckets, pieces, { hours: [], summarisedUs });
    }
    const resumed = { ...request, ...resume(request, summarisedUs) };
    const { series, firstHourUs, fromUs, toUs, limit } = hoursOfSlice(resumed);
    const hours = selectHours.all(series, firstHourUs, toUs, fromUs, toUs, limit);
    // Where summaries are, readings that arrived after them are not counted, but are in the sums of days.
    const pieces = piecesOf(resumed, Math.max(quartersFromUs(buckets), summarisedUs + 1));
    return sumUp(resumed, buckets, pieces, { hours, summarisedUs });
  };
  const stateOf = (series: number, lastReading: TimedReading | undefined): SensorState => {
    const summary = selectLastSummary.get(series);
    const reading =
      lastReading && lastReading.atUs > (summary?.atUs ?? Number.NEGATIVE_INFINITY)
        ? lastReading
        : summary;
    const heartbeat = selectLastHeartbeat.get(series);
    return {
      lastReadingAtUs: reading?.atUs ?? null,
      lastValue: reading?.value ?? null,
      lastHeartbeatAtUs: heartbeat?.atUs ?? null,
      lastStatus: heartbeat?.status ?? null,
      lastBattery: heartbeat?.battery ?? null,
    };
  };
  /** Must be called in a transaction, or hours that are dropped between two statements would be missing. */
  const readSlice = (
    request: SliceRequest,
    logged: Logged['slice'] | undefined,
    memory?: ArrayBuffer,
  ): Slice => {
    const loggedSeries = logged && seriesOf(logged);
    const summedPiecesOf = (sliceRequest: SliceRequest, summedFromUs: number) => {
      const { series, ...range } = rangeOfSlice(sliceRequest);
      return stored.readSummed(series, { ...range, summedFromUs }, loggedSeries);
    };
    const { buckets } = request;
    if (buckets && usesSummaries(request)) return readBuckets(request, buckets, summedPiecesOf);

    const { series, fromUs, toUs } = rangeOfSlice(request);
    return toSlice(request, stored.read(series, fromUs, toUs, loggedSeries), undefined, memory);
  };

  return {
    slice(request, logged, memory) {
      const read = () => readSlice(request, logged, memory);
      return logged ? stored.readingChunks(read) : stored.reading(read);
    },
    slices(requests, logged) {
      const read = () =>
        slicesInOrder(requests.slice(0, logged?.length), (request, requestIndex) =>
          readSlice(request, logged?.[requestIndex]),
        );
      return logged ? stored.readingChunks(read) : stored.reading(read);
    },
    newest(request, logged) {
      const read = () => instantsBefore(request, logged);
      return logged ? stored.readingChunks(read) : stored.reading(read);
    },
    states: (seriesNumbers, logged) =>
      stored.readingLast(
        (lastOf) =>
          new Map(seriesNumbers.map((series) => [series, stateOf(series, lastOf(series))])),
        logged,
      ),
  };
}
