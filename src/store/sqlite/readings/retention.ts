import { type DropRequest, type DropResult, summaryWidthUs } from '../../../core/port/readings.ts';
import type { Connection } from '../connection/driver.ts';
import {
  addSummarised,
  addToBucket,
  bucketStart,
  closeBucket,
  type OpenBucket,
  openBucket,
  openSummarised,
} from './reader/buckets.ts';

/** What one step handles: some milliseconds, for which ingest waits at most. */
const dropLimits = { readings: 2000, series: 500 } as const;

/** The summary of the readings of an hour. */
interface Summary {
  hourUs: number;
  count: number;
  min: number;
  max: number;
  mean: number;
  first: number;
  last: number;
  firstAtUs: number;
  lastAtUs: number;
}

type Row = [atUs: number, value: number];

/** Creates the step that replaces old readings by summaries; see the port. Each step is one transaction. */
export function createDrop(
  connection: Connection,
  limits: Readonly<Record<keyof typeof dropLimits, number>> = dropLimits,
): (request: DropRequest) => DropResult {
  const raiseBorder = connection.prepare<[string, number]>(
    `insert into drops (entity_id, until_us) values (?, ?)
     on conflict (entity_id) do update set until_us = excluded.until_us where excluded.until_us > until_us`,
  );
  const seriesFrom = connection
    .prepare<[string, number], number>(
      `select series from series where entity_id = ? and series >= ? order by series limit ${limits.series + 1}`,
    )
    .pluck();
  const oldest = connection
    .prepare<[number, number, number], Row>(
      'select at_us, value from readings where series = ? and at_us < ? order by at_us limit ?',
    )
    .raw();
  const remove = connection.prepare<[number, number]>('delete from readings where series = ? and at_us <= ?');
  const find = connection.prepare<[number, number], Summary>(
    `select hour_us as hourUs, count, min, max, mean, first, last, first_at_us as firstAtUs, last_at_us as lastAtUs
     from summaries where series = ? and hour_us = ?`,
  );
  const put = connection.prepare(
    `insert or replace into summaries (series, hour_us, count, min, max, mean, first, last, first_at_us, last_at_us)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );

  const dropOf = (series: number, rows: readonly Row[]) => {
    for (const summary of summarise(rows)) {
      // An hour with more readings than a step handles is summed up in parts.
      const before = find.get(series, summary.hourUs);
      const { hourUs, count, min, max, mean, first, last, firstAtUs, lastAtUs } = before
        ? joined(before, summary)
        : summary;
      put.run(series, hourUs, count, min, max, mean, first, last, firstAtUs, lastAtUs);
    }
    remove.run(series, rows.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY);
  };

  const step = connection.transaction(({ entityId, untilUs, position }: DropRequest): DropResult => {
    if (position === undefined) raiseBorder.run(entityId, untilUs);
    const numbers = seriesFrom.all(entityId, position ?? 0);
    let readings = 0;
    for (const series of numbers.slice(0, limits.series)) {
      const left = limits.readings - readings;
      const rows = oldest.all(series, untilUs, left + 1) as Row[]; // raw gives columns
      const isMore = rows.length > left;
      if (isMore) rows.length = left;
      if (rows.length > 0) dropOf(series, rows);
      readings += rows.length;
      if (isMore) return { readings, next: series };
    }
    return { readings, next: numbers[limits.series] ?? null };
  });
  return (request) => step.immediate(request);
}

function summarise(rows: readonly Row[]): Summary[] {
  const found: Summary[] = [];
  let open: { bucket: OpenBucket; first: number; firstAtUs: number; lastAtUs: number } | undefined;
  const close = () => {
    if (!open) return;
    const { bucket, first, firstAtUs, lastAtUs } = open;
    found.push({ ...toSummary(bucket), first, firstAtUs, lastAtUs });
  };
  for (const [atUs, value] of rows) {
    const hourUs = bucketStart(atUs, summaryWidthUs);
    if (open?.bucket.startUs === hourUs) {
      addToBucket(open.bucket, value);
      open.lastAtUs = atUs;
      continue;
    }
    close();
    open = { bucket: openBucket(hourUs, value), first: value, firstAtUs: atUs, lastAtUs: atUs };
  }
  close();
  return found;
}

function joined(before: Summary, later: Summary): Summary {
  const bucket = openSummarised(before.hourUs, before);
  addSummarised(bucket, later);
  return { ...toSummary(bucket), first: before.first, firstAtUs: before.firstAtUs, lastAtUs: later.lastAtUs };
}

function toSummary(bucket: OpenBucket): Omit<Summary, 'first' | 'firstAtUs' | 'lastAtUs'> {
  const { atUs: hourUs, count = 0, min = 0, max = 0, avg: mean = 0, last = 0 } = closeBucket(bucket);
  return { hourUs, count, min, max, mean, last };
}
