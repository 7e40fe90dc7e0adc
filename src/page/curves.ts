import type { Api } from './api.ts';
import type { ListAnswer, ListedSensor, Point, SensorPoints } from './models.ts';
import { bucketFor, type PlotSpan } from './ranges.ts';

/** The points of one sensor in a plot. */
export interface Curve {
  sensor: ListedSensor;
  points: readonly Point[];
}

/** The curves of a plot; without `bucket` they are single readings. */
export interface Curves {
  curves: readonly Curve[];
  bucket: string | undefined;
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

const mostReadings = 2000;
const gapFactor = 2.5;

/** Reads the curves of sensors: single readings if the range has few, else buckets. */
export async function readCurves(
  api: Api,
  sensors: readonly ListedSensor[],
  range: PlotSpan,
): Promise<Curves> {
  const raw = await readGroups(api, sensors, range, { limit: mostReadings * sensors.length });
  if (raw !== undefined) {
    return { curves: raw, bucket: undefined, gapsMs: raw.map(({ points }) => gapOf(points)) };
  }

  const { text, ms } = bucketFor(range);
  const query = { bucket: text, agg: 'avg,min,max,count', limit: 100_000 };
  const curves = (await readGroups(api, sensors, range, query)) ?? [];
  return {
    curves,
    bucket: text,
    gapsMs: curves.map(({ points }) => Math.max(gapFactor * ms, gapOf(points))),
  };
}

/** The points of each sensor; undefined if they do not fit into one answer. */
async function readGroups(
  api: Api,
  sensors: readonly ListedSensor[],
  { fromMs, toMs }: PlotSpan,
  parameters: Readonly<Record<string, string | number>>,
): Promise<Curve[] | undefined> {
  const { body } = await api.read<ListAnswer<SensorPoints>>('readings', {
    sensor: sensors.map(({ id }) => id).join(','),
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    ...parameters,
  });
  if (body.next_cursor !== null) return undefined;

  return sensors.map((sensor) => ({
    sensor,
    points: body.data.find((group) => group.sensor.id === sensor.id)?.data ?? [],
  }));
}

/** Points further apart than this are not joined: some times the usual distance. */
function gapOf(points: readonly Point[]): number {
  const times = points.map(({ at }) => Date.parse(at));
  const distances = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .sort((a, b) => a - b);
  const median = distances[Math.floor(distances.length / 2)];
  return median === undefined ? Number.POSITIVE_INFINITY : Math.max(1000, gapFactor * median);
}

/**
 * Aligns curves on one axis of times, in seconds as uPlot takes them. A gap gets a time of its
 * own with `null`, so that the line breaks there; `undefined` is no point of that curve.
 */
export function toColumns({ curves, gapsMs }: Curves): {
  seconds: number[];
  columns: CurveColumns[];
} {
  const prepared = curves.map(({ points }, index) => withGaps(points, gapsMs[index] ?? 0));
  const times = prepared.flatMap((points) => [...points.keys()]);
  const seconds = [...new Set(times)].sort((a, b) => a - b);
  for (const points of prepared) widenGaps(points, seconds);

  const columns = prepared.map((points) => {
    const pick = (select: (point: Point) => number | null | undefined) =>
      seconds.map((second) => {
        const point = points.get(second);
        return point === null ? null : point && (select(point) ?? null);
      });
    const ofQuality = (quality: string) =>
      seconds.map((second) => {
        const point = points.get(second);
        return point?.quality === quality ? pointValue(point) : null;
      });

    return {
      value: pick(pointValue),
      min: pick(({ min }) => min),
      max: pick(({ max }) => max),
      uncertain: ofQuality('uncertain'),
      bad: ofQuality('bad'),
    };
  });
  return { seconds, columns };
}

/** The value of a reading, or the mean of a bucket. */
export function pointValue(point: Point): number | null {
  return point.value ?? point.avg ?? null;
}

/** Breaks a line at the times of other curves inside its gaps, too: uPlot leaves out the line next to a `null` alone. */
function widenGaps(points: Map<number, Point | null>, seconds: readonly number[]): void {
  let previous: Point | null | undefined;
  let between: number[] = [];

  for (const second of seconds) {
    const point = points.get(second);
    if (point === undefined) {
      if (previous === null) points.set(second, null);
      else between.push(second);
      continue;
    }
    if (point === null) for (const earlier of between) points.set(earlier, null);
    between = [];
    previous = point;
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
