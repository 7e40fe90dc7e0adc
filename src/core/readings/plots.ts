import type { Domain } from '../domain/domain.ts';
import {
  type ReadingBucket,
  type ReadingClient,
  type Sensor,
  summaryWidthUs,
} from '../port/readings.ts';
import { parseInstantUs } from '../time/instants.ts';

export type PlotBucket = Omit<ReadingBucket, 'last'>;

/** The readings of a span in equal parts; those without readings are left out. */
export interface PlotData {
  /** Inclusive, a multiple of `widthUs` since the epoch. */
  fromUs: number;
  /** Exclusive. */
  toUs: number;
  widthUs: number;
  buckets: readonly PlotBucket[];
}

/** Reads what a plot of a sensor needs. If readings were replaced by summaries, the parts are whole hours. */
export async function readPlot(
  domain: Domain,
  entityId: string,
  sensor: Pick<Sensor, 'series'>,
  { fromUs, toUs, parts }: { fromUs: number; toUs: number; parts: number },
): Promise<PlotData> {
  const { readings } = domain.store;
  const { untilUs } = await readings.retention(entityId);
  const unitUs = untilUs !== null && fromUs < untilUs ? summaryWidthUs : 1;
  const widthUs = Math.max(1, Math.ceil((toUs - fromUs) / parts / unitUs)) * unitUs;
  const firstUs = Math.floor(fromUs / widthUs) * widthUs;
  const buckets: PlotBucket[] = [];
  for (let nextUs: number | null = firstUs; nextUs !== null; ) {
    const page = await readings.text(
      {
        ...{ series: sensor.series, fromUs: nextUs, toUs, limit: parts + 1, format: 'json' },
        buckets: { widthUs, aggregates: ['avg', 'min', 'max', 'count'] },
      },
      client,
    );
    const rows: (PlotBucket & { at: string })[] = JSON.parse(
      `[${Buffer.from(page.text).toString()}]`,
    );
    buckets.push(
      ...rows.map(({ at, ...bucket }) => ({ ...bucket, atUs: parseInstantUs(at) ?? 0 })),
    );
    nextUs = page.nextUs;
  }
  return { fromUs: firstUs, toUs, widthUs, buckets };
}

/** No other client waits for a command's own reads. */
const client: ReadingClient = { owner: 'hkctl', charge() {} };

export function summaryOf({ buckets }: PlotData): Omit<PlotBucket, 'atUs'> | undefined {
  const [first] = buckets;
  if (!first) return undefined;
  let { min, max } = first;
  let count = 0;
  for (const bucket of buckets) {
    count += bucket.count;
    min = Math.min(min, bucket.min);
    max = Math.max(max, bucket.max);
  }
  const avg = buckets.reduce((mean, bucket) => mean + bucket.avg * (bucket.count / count), 0);
  return { count, min, max, avg: Math.min(Math.max(avg, min), max) };
}

/** A time without readings between two parts that have some; `toUs` is exclusive. */
export interface Gap {
  fromUs: number;
  toUs: number;
}

/** The times without readings that are much longer than the usual distance of readings, the longest first. */
export function gapsOf({ buckets, widthUs, toUs }: PlotData): Gap[] {
  const starts = buckets.map(({ atUs }) => atUs);
  const distances = starts.slice(1).map((atUs, before) => atUs - (starts[before] ?? atUs));
  const usualUs = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? widthUs;
  return [...starts.slice(1), toUs]
    .map((nextUs, at) => ({ fromUs: (starts[at] ?? nextUs) + widthUs, toUs: nextUs }))
    .filter((gap) => gap.toUs - gap.fromUs >= 2 * usualUs)
    .sort((a, b) => b.toUs - b.fromUs - (a.toUs - a.fromUs));
}
