import type { Read } from '../api/api.ts';
import type { ListedSensor, Point } from '../api/models.ts';
import { readPoints } from './points.ts';
import { barBucketFor, bucketFor, type PlotSpan } from './ranges.ts';

/** The points of one sensor in a plot. */
export interface Curve {
  sensor: ListedSensor;
  points: readonly Point[];
}

/** The curves of a plot; without `bucket` they are single readings. */
export interface Curves {
  curves: readonly Curve[];
  bucket: string | undefined;
  /** Whether the points say what a counter has grown by. */
  isIncrease: boolean;
  /** The longest distance of points that belong together, by curve, in milliseconds. */
  gapsMs: readonly number[];
}

/** The columns of a curve over the times of all curves; `null` breaks its line. */
export interface CurveColumns {
  value: (number | null | undefined)[];
  min: (number | null | undefined)[];
  max: (number | null | undefined)[];
  uncertain: (number | null | undefined)[];
  bad: (number | null | undefined)[];
}

const maxReadings = 2000;
const gapFactor = 2.5;

/** Reads what counters have grown by, in the buckets of bars. */
export async function readIncreases(
  read: Read,
  sensors: readonly ListedSensor[],
  range: PlotSpan,
): Promise<Curves> {
  const bucket = barBucketFor(range).text;
  const query = { bucket, agg: 'increase', limit: 100_000 };
  const allCurves = (await readGroups(read, sensors, range, query)) ?? [];
  // The first bucket may begin before the span: its part would look like a whole one.
  const isWhole = ({ at }: Point) => Date.parse(at) >= range.fromMs;
  const curves = allCurves.map(({ sensor, points }) => {
    return { sensor, points: points.filter(isWhole) };
  });
  const gapsMs = curves.map(() => Number.POSITIVE_INFINITY);
  return { curves, bucket, isIncrease: true, gapsMs };
}

/** Reads the curves of sensors: single readings if the range has few, else buckets. */
export async function readCurves(
  read: Read,
  sensors: readonly ListedSensor[],
  range: PlotSpan,
): Promise<Curves> {
  const rawQuery = { limit: maxReadings * sensors.length };
  const rawCurves = await readGroups(read, sensors, range, rawQuery);
  if (rawCurves !== undefined) {
    const gapsMs = rawCurves.map(({ points }) => gapOf(points));
    return { curves: rawCurves, bucket: undefined, isIncrease: false, gapsMs };
  }

  const { text, ms } = bucketFor(range);
  const query = { bucket: text, agg: 'avg,min,max,count', limit: 100_000 };
  const curves = (await readGroups(read, sensors, range, query)) ?? [];
  return {
    curves,
    bucket: text,
    isIncrease: false,
    gapsMs: curves.map(({ points }) => Math.max(gapFactor * ms, gapOf(points))),
  };
}

/** The points of each sensor; undefined if they do not fit into one answer. */
async function readGroups(
  read: Read,
  sensors: readonly ListedSensor[],
  { fromMs, toMs }: PlotSpan,
  parameters: Readonly<Record<string, string | number>>,
): Promise<Curve[] | undefined> {
  const sensorIds = sensors.map(({ id }) => id);
  const pointsById = await readPoints(read, sensorIds, {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    ...parameters,
  });
  return (
    pointsById &&
    sensors.map((sensor) => {
      return { sensor, points: pointsById.get(sensor.id) ?? [] };
    })
  );
}

/** Points further apart than this are not joined: some times the usual distance. */
export function gapOf(points: readonly Pick<Point, 'at'>[]): number {
  const timesMs = points.map(({ at }) => Date.parse(at));
  const distances = timesMs
    .slice(1)
    .map((time, index) => time - (timesMs[index] ?? time))
    .sort((a, b) => a - b);
  const medianMs = distances[Math.floor(distances.length / 2)];
  if (medianMs === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(1000, gapFactor * medianMs);
}

/**
 * Aligns curves on one axis of times, in seconds as uPlot takes them. A gap gets a time of its
 * own with `null`, so that the line breaks there; `undefined` is no point of that curve.
 */
export function toColumns({ curves, gapsMs }: Curves): {
  seconds: number[];
  columns: CurveColumns[];
} {
  const gappedCurves = curves.map(({ points }, index) => withGaps(points, gapsMs[index] ?? 0));
  const allSeconds = gappedCurves.flatMap((points) => [...points.keys()]);
  const seconds = [...new Set(allSeconds)].sort((a, b) => a - b);
  for (const points of gappedCurves) {
    widenGaps(points, seconds);
  }
  return {
    seconds,
    columns: gappedCurves.map((points) => columnsOf(points, seconds)),
  };
}

function columnsOf(
  points: ReadonlyMap<number, Point | null>,
  seconds: readonly number[],
): CurveColumns {
  const columnOf = (fieldOf: (point: Point) => number | null | undefined) =>
    seconds.map((second) => {
      const point = points.get(second);
      if (!point) return point;
      return fieldOf(point) ?? null;
    });
  const qualityColumn = (quality: string) =>
    seconds.map((second) => {
      const point = points.get(second);
      return point?.quality === quality ? pointValue(point) : null;
    });

  return {
    value: columnOf(pointValue),
    min: columnOf(({ min }) => min),
    max: columnOf(({ max }) => max),
    uncertain: qualityColumn('uncertain'),
    bad: qualityColumn('bad'),
  };
}

/** The value of a reading, the mean of a bucket, or what it has grown by. */
export function pointValue(point: Point): number | null {
  return point.value ?? point.avg ?? point.increase ?? null;
}

/** Breaks a line at the times of other curves inside its gaps, too: uPlot leaves out the line next to a `null` alone. */
function widenGaps(points: Map<number, Point | null>, seconds: readonly number[]): void {
  let previousPoint: Point | null | undefined;
  let secondsBetween: number[] = [];

  for (const second of seconds) {
    const point = points.get(second);
    if (point === undefined) {
      if (previousPoint === null) points.set(second, null);
      else secondsBetween.push(second);
      continue;
    }
    if (point === null) {
      for (const secondBetween of secondsBetween) {
        points.set(secondBetween, null);
      }
    }
    secondsBetween = [];
    previousPoint = point;
  }
}

function withGaps(points: readonly Point[], gapMs: number): Map<number, Point | null> {
  const bySecond = new Map<number, Point | null>();
  let previousMs: number | undefined;

  for (const point of points) {
    const atMs = Date.parse(point.at);
    if (previousMs !== undefined && atMs - previousMs > gapMs) {
      bySecond.set((previousMs + atMs) / 2000, null);
    }
    bySecond.set(atMs / 1000, point);
    previousMs = atMs;
  }
  return bySecond;
}
