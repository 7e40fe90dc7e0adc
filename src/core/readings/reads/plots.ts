import type { Domain } from '../../domain/domain.ts';
import type { Entity } from '../../port/entities.ts';
import type {
  BucketSpan,
  ReadingBucket,
  ReadingClient,
  ReadingText,
  Sensor,
} from '../../port/readings.ts';
import { isTimezone } from '../../time/calendar.ts';
import { parseInstantUs } from '../../time/instants.ts';
import { dayMs } from '../../time/spans.ts';
import { daysOf } from '../../time/zone-days.ts';
import { quarterUs } from './quarters.ts';

export type PlotBucket = Omit<ReadingBucket, 'first' | 'last' | 'increase'>;

/** The readings of a span in equal parts; those without readings are left out. */
export interface PlotData {
  /** Inclusive; the first part may begin earlier, but holds only readings from here on. */
  fromUs: number;
  /** Exclusive. */
  toUs: number;
  /** The usual length of a part: days of a zone may be an hour shorter or longer. */
  widthUs: number;
  buckets: readonly PlotBucket[];
}

/**
 * Reads what a plot of a sensor needs. Parts of a day and more are whole days of the entity; if readings were replaced by
 * sums, they are at least whole quarters of an hour.
 */
export async function readPlot(
  domain: Domain,
  entity: Pick<Entity, 'id' | 'timezone'>,
  sensor: Pick<Sensor, 'series'>,
  plotRange: { fromUs: number; toUs: number; parts: number },
): Promise<PlotData> {
  const { fromUs, toUs, parts } = plotRange;
  const { readings } = domain.store;
  const { untilUs } = await readings.retention(entity.id);
  const hasDropped = untilUs !== null && fromUs < untilUs;
  const unitUs = hasDropped ? quarterUs : 1;
  const exactWidthUs = (toUs - fromUs) / parts;
  const widthUs = Math.max(1, Math.ceil(exactWidthUs / unitUs)) * unitUs;
  const span = partsOf({ fromUs, widthUs, unitUs }, entity.timezone);
  const buckets: PlotBucket[] = [];
  for (let nextUs: number | null = fromUs; nextUs !== null; ) {
    const request = {
      series: sensor.series,
      fromUs: nextUs,
      toUs,
      limit: parts + 1,
      format: 'json' as const,
      buckets: { ...span, aggregates: plotted },
    };
    const page: ReadingText = await readings.text(request, client);
    buckets.push(...bucketsIn(page));
    nextUs = page.nextUs;
  }

  const lengthUs = 'days' in span ? span.days * dayUs : widthUs;
  return { fromUs, toUs, widthUs: lengthUs, buckets };
}

const plotted = ['avg', 'min', 'max', 'count'] as const;

function bucketsIn({ text }: ReadingText): PlotBucket[] {
  // The objects that the request asks for.
  const rows = JSON.parse(`[${new TextDecoder().decode(text)}]`) as (PlotBucket & { at: string })[];
  return rows.map(({ at, ...aggregates }) => ({ ...aggregates, atUs: parseInstantUs(at) ?? 0 }));
}

const dayUs = dayMs * 1000;

/** The parts of a width, counted from the first instant, or from the quarter of an hour in which it lies. */
function partsOf(
  plotWidth: { fromUs: number; widthUs: number; unitUs: number },
  zoneName: string,
): BucketSpan {
  const { fromUs, widthUs, unitUs } = plotWidth;
  if (widthUs < dayUs) {
    return { widthUs, originUs: Math.floor(fromUs / unitUs) * unitUs };
  }
  const timezone = isTimezone(zoneName) ? zoneName : 'UTC';

  const firstDay = daysOf(timezone).dayOf(Math.floor(fromUs / 1000));
  return {
    days: Math.ceil(widthUs / dayUs),
    firstDay,
    timezone,
  };
}

/** No other client waits for a command's own reads. */
const client: ReadingClient = { owner: 'hkctl', charge() {} };

export function summaryOf({ buckets }: PlotData): Omit<PlotBucket, 'atUs'> | undefined {
  const [firstBucket] = buckets;
  if (!firstBucket) return undefined;
  let { min, max } = firstBucket;
  let count = 0;
  for (const bucket of buckets) {
    count += bucket.count;
    min = Math.min(min, bucket.min);
    max = Math.max(max, bucket.max);
  }
  let avg = 0;
  for (const bucket of buckets) {
    avg += bucket.avg * (bucket.count / count);
  }
  return {
    count,
    min,
    max,
    avg: Math.min(Math.max(avg, min), max),
  };
}

/** A time without readings between two parts that have some; `toUs` is exclusive. */
export interface Gap {
  fromUs: number;
  toUs: number;
}

/** The times without readings that are much longer than the usual distance of readings, the longest first. */
export function gapsOf({ buckets, widthUs, toUs }: PlotData): Gap[] {
  const starts = buckets.map(({ atUs }) => atUs);
  const laterStarts = starts.slice(1);
  const distances = laterStarts.map((atUs, index) => atUs - (starts[index] ?? atUs));
  const sortedDistances = distances.toSorted((a, b) => a - b);
  const usualUs = sortedDistances[distances.length >> 1] ?? widthUs;

  const gaps = [...laterStarts, toUs].map((nextUs, index) => ({
    fromUs: (starts[index] ?? nextUs) + widthUs,
    toUs: nextUs,
  }));
  const lengthOf = (gap: Gap) => gap.toUs - gap.fromUs;
  return gaps
    .filter((gap) => lengthOf(gap) >= 2 * usualUs)
    .sort((a, b) => lengthOf(b) - lengthOf(a));
}
