import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { requireEntity } from '../organization/entities.ts';
import {
  type BatchResult,
  type ReadingBatch,
  type ReadingStore,
  readingColumns,
  type SensorDirectory,
  sensorNamed,
} from '../port/readings.ts';
import type { ImportTable } from '../records/columns.ts';
import type { ReadOptions } from '../records/imports.ts';
import { withoutApostrophe } from '../text/spreadsheets.ts';
import { instantsShowing } from '../time/calendar.ts';
import { formatInstantUs, parseInstantUs } from '../time/instants.ts';
import { ReadingValidator } from './readings.ts';
import { addRefused, type Fault, fault, isJsonObject, shown } from './rejections.ts';
import { retainedFromUs } from './retention.ts';

/** The columns of a file of readings. */
export const readingTable: ImportTable = {
  name: 'readings',
  fields: {
    sensor: { required: true },
    at: { required: true },
    value: { required: true },
    quality: {},
    unit: {},
  },
  leftOut: [],
};

/** Some readings of a file, as a gateway would send them, each with its line; a line that is no reading has its fault. */
export interface ReadingRows {
  items: unknown[];
  lines: number[];
  faults: RejectedLine[];
}

export interface ReadingReadOptions extends ReadOptions {
  /** The code or id of the sensor of every reading, in a file that names none. */
  sensor?: string;
}

/** Reads a file of readings in bounded pieces; throws `bad_input` if nothing after it can be read. */
export type ReadingReader = (
  source: AsyncIterable<Uint8Array>,
  options: ReadingReadOptions,
) => AsyncIterable<ReadingRows>;

interface RejectedLine extends Fault {
  line: number;
}

export interface ReadingsSummary {
  accepted: number;
  duplicates: number;
  /** The first rejected ones, at most {@link maxListed}. */
  rejected: RejectedLine[];
  rejectedCount: number;
  rejectedCodes: Record<string, number>;
}

/** Rejected readings that are listed one by one; any further ones are only counted. */
const maxListed = 1000;

/**
 * Stores the readings of a file piece by piece, each validated by itself as in a request (promise 5.6). Stored readings stay,
 * also if the file ends with an error, and are duplicates in the next run. Needs `records.import`. The audit trail names the
 * import before the first reading is stored, in case a crash or a full disk ends it. At the end come its counts. A dry run
 * counts the same and stores nothing.
 */
export async function importReadings(
  domain: Domain,
  actor: Actor,
  input: {
    entity: string;
    rows: AsyncIterable<ReadingRows>;
    dryRun: boolean;
    /** Times without an offset are those of the entity's clocks. */
    local: boolean;
  },
): Promise<ReadingsSummary> {
  const { entity: code, rows, dryRun, local } = input;
  const action = 'readings.import';
  await requirePermissions(domain, actor, action, code);
  const entity = await requireEntity(domain, actor, code);

  const { readings, tenants, audit } = domain.store;
  const tenant = await tenants.find(actor.user.tenantId);
  const retentionDays = tenant?.retainReadingsDays ?? null;
  const sensors = await readings.directory(entity.id);
  const target = dryRun ? new ReadingTrial(readings) : readings;
  const summary: ReadingsSummary = {
    accepted: 0,
    duplicates: 0,
    rejected: [],
    rejectedCount: 0,
    rejectedCodes: {},
  };

  const dryRunDetail = dryRun && { dry_run: true };
  const auditOutcome = (outcome: 'done' | 'failed') => {
    const { accepted, duplicates, rejectedCount: rejected } = summary;
    const detail = { accepted, duplicates, rejected, ...dryRunDetail };
    return audit.append({ ...auditDraft(domain, actor, action, code, detail), outcome });
  };

  const startDetail = { begins: true, ...dryRunDetail };
  await audit.append(auditDraft(domain, actor, action, code, startDetail));
  let lastStored = Promise.resolve();
  try {
    // A piece is stored while the next one is read.
    for await (const piece of rows) {
      const acceptedTime = {
        nowUs: domain.clock() * 1000,
        retainedFromUs: retainedFromUs(retentionDays, domain.steady),
      };
      const validator = new ReadingValidator(piece.items.length, sensors, acceptedTime);
      for (const [index, item] of piece.items.entries()) {
        const reading = readingOf(item, sensors, local ? entity.timezone : undefined);
        if ('code' in reading) validator.refuse(index, reading, item);
        else validator.add(reading.item, index);
      }

      await lastStored;
      lastStored = validator.store(target).then((result) => {
        addToSummary(summary, piece, validator, result);
      });
      // The promise is awaited later, perhaps after another error.
      lastStored.catch(() => {});
    }
    await lastStored;
  } catch (thrown) {
    await Promise.allSettled([lastStored]);
    await auditOutcome('failed');
    throw thrown;
  }
  await auditOutcome('done');
  return summary;
}

/** The reading of a row: its sensor without the apostrophe of a spreadsheet, and its time in a zone, if one is given. */
function readingOf(
  item: unknown,
  sensors: SensorDirectory,
  timezone: string | undefined,
): { item: unknown } | Fault {
  if (!isJsonObject(item)) return { item };

  const { sensor } = item;
  if (typeof sensor === 'string' && sensorNamed(sensors, sensor) === undefined) {
    item.sensor = withoutApostrophe(sensor);
  }
  if (timezone === undefined) return { item };

  const instant = instantOfLocal(item.at, timezone);
  if ('code' in instant) return instant;
  return { item: item.at === instant.at ? item : { ...item, at: instant.at } };
}

/** Adds the result of a piece to the summary, with its rejected readings in order of their lines. */
function addToSummary(
  summary: ReadingsSummary,
  { lines, faults }: ReadingRows,
  { positions, rejected }: ReadingValidator,
  result: BatchResult,
): void {
  summary.accepted += result.accepted;
  summary.duplicates += result.duplicates;

  const refusedLines = addRefused(rejected, result, positions).map(
    ({ index, code, detail }): RejectedLine => {
      return { line: lines[index] ?? 0, code, detail };
    },
  );
  const rejectedLines = [...refusedLines, ...faults];
  rejectedLines.sort((a, b) => a.line - b.line);
  summary.rejectedCount += rejectedLines.length;
  for (const { code } of rejectedLines) {
    summary.rejectedCodes[code] = (summary.rejectedCodes[code] ?? 0) + 1;
  }
  const freePlaces = maxListed - summary.rejected.length;
  summary.rejected.push(...rejectedLines.slice(0, freePlaces));
}

const localPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?$/i;

/**
 * The instant in RFC 3339 of a time without an offset, by the clocks of a zone; or why it has none. Anything else stays as it is.
 */
function instantOfLocal(at: unknown, timezone: string): { at: unknown } | Fault {
  const [, date, minutes, seconds = ':00', fraction = '0'] =
    typeof at === 'string' ? (localPattern.exec(at) ?? []) : [];
  const wallUs = date && parseInstantUs(`${date}T${minutes}${seconds}.${fraction}Z`);
  if (!wallUs || !Number.isFinite(wallUs)) return { at };

  const wallMs = Math.floor(wallUs / 1000);
  const [instantMs, laterMs] = instantsShowing(wallMs, timezone);
  if (instantMs === undefined) {
    const detail = `${shown(at)} does not exist in ${timezone}: clocks are set forward past it.`;
    return fault('invalid_at', detail);
  }
  if (laterMs !== undefined) {
    const detail = `${shown(at)} exists twice in ${timezone}: clocks are set back over it. Give it with its offset.`;
    return fault('invalid_at', detail);
  }
  return { at: formatInstantUs(wallUs - (wallMs - instantMs) * 1000) };
}

/** Counts what a store would do with batches, one after the other, and stores nothing. */
export class ReadingTrial {
  readonly #readings: Pick<ReadingStore, 'valuesAt'>;
  /** The values of earlier rows by series and instant, of which a later one is a duplicate or a conflict. */
  readonly #earlier = new Map<number, Map<number, number>>();

  constructor(readings: Pick<ReadingStore, 'valuesAt'>) {
    this.#readings = readings;
  }

  async append(batch: ReadingBatch): Promise<BatchResult> {
    const storedValues = await this.#readings.valuesAt(batch);
    const conflicts: number[] = [];
    let duplicates = 0;

    for (let readingIndex = 0; readingIndex < batch.count; readingIndex++) {
      const [series = 0, atUs = 0, value = 0] = batch.rows.subarray(
        readingIndex * readingColumns,
        readingIndex * readingColumns + 3,
      );

      const storedValue = storedValues[readingIndex] ?? Number.NaN;
      const earlierValue = Number.isNaN(storedValue)
        ? this.#putOnce(series, atUs, value)
        : storedValue;

      if (earlierValue === undefined) continue;
      if (earlierValue === value) duplicates++;
      else conflicts.push(readingIndex);
    }
    const accepted = batch.count - duplicates - conflicts.length;
    return { accepted, duplicates, conflicts };
  }

  /** The value of an earlier row; undefined if this one is the first, which is then kept. */
  #putOnce(series: number, atUs: number, value: number): number | undefined {
    const values = this.#earlier.get(series) ?? new Map<number, number>();
    this.#earlier.set(series, values);

    const earlierValue = values.get(atUs);
    if (earlierValue === undefined) values.set(atUs, value);
    return earlierValue;
  }
}
