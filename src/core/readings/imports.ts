import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { requireEntity } from '../organization/entities.ts';
import { type BatchResult, type ReadingBatch, readingColumns } from '../port/readings.ts';
import type { ImportTable } from '../records/columns.ts';
import type { ReadOptions } from '../records/imports.ts';
import { ReadingValidator } from './readings.ts';
import { addRefused, type Fault } from './rejections.ts';
import { retainedFromUs } from './retention.ts';
import { ReadingTrial } from './trial.ts';

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

/** Reads a file of readings in bounded pieces; throws `bad_input` if nothing after it can be read. */
export type ReadingReader = (
  source: AsyncIterable<Uint8Array>,
  options: ReadOptions,
) => AsyncIterable<ReadingRows>;

interface RejectedLine extends Fault {
  line: number;
}

export interface ReadingsSummary {
  accepted: number;
  duplicates: number;
  /** The first rejected ones, at most {@link mostNamed}. */
  rejected: RejectedLine[];
  rejectedCount: number;
  rejectedCodes: Record<string, number>;
}

/** For each series of a piece its first and its last instant. */
type Spans = ReadonlyMap<number, readonly [fromUs: number, toUs: number]>;

interface StoredPiece {
  spans: Spans;
  /** Resolves once it is committed and in the summary, after those before it. */
  counted: Promise<void>;
}

/** Rejected readings that are named one by one; the others are counted. */
const mostNamed = 1000;

/**
 * Stores the readings of a file piece by piece, each validated by itself as in a request (promise 5.6): what was stored
 * stays, also if the file ends with an error, and is a duplicate in the next run. Needs `records.import`. The trail names it before
 * the first reading is stored, since what a crash or a full disk ends has stored readings, too; and its counts at the end. A dry
 * run counts the same and stores nothing.
 */
export async function importReadings(
  domain: Domain,
  actor: Actor,
  input: { entity: string; rows: AsyncIterable<ReadingRows>; dryRun: boolean },
): Promise<ReadingsSummary> {
  const { entity: code, rows, dryRun } = input;
  const action = 'readings.import';
  await requirePermissions(domain, actor, action, code);
  const entity = await requireEntity(domain, actor, code);
  const { readings, tenants, audit } = domain.store;
  const days = (await tenants.find(actor.user.tenantId))?.retainReadingsDays ?? null;
  const sensors = await readings.directory(entity.id);
  const summary: ReadingsSummary = {
    accepted: 0,
    duplicates: 0,
    rejected: [],
    rejectedCount: 0,
    rejectedCodes: {},
  };
  const mark = dryRun && { dry_run: true };
  const target = dryRun ? new ReadingTrial(readings) : readings;
  const record = (outcome: 'done' | 'failed') => {
    const { accepted, duplicates, rejectedCount: rejected } = summary;
    return audit.append({
      ...auditDraft(domain, actor, action, code, { accepted, duplicates, rejected, ...mark }),
      outcome,
    });
  };
  const count = (
    { lines, faults }: ReadingRows,
    { positions, rejected }: ReadingValidator,
    result: BatchResult,
  ) => {
    summary.accepted += result.accepted;
    summary.duplicates += result.duplicates;
    const refused = addRefused(rejected, result, positions).map(
      ({ index, code, detail }): RejectedLine => {
        return { line: lines[index] ?? 0, code, detail };
      },
    );
    const all = [...refused, ...faults].sort((a, b) => a.line - b.line);
    summary.rejectedCount += all.length;
    for (const { code } of all)
      summary.rejectedCodes[code] = (summary.rejectedCodes[code] ?? 0) + 1;
    summary.rejected.push(...all.slice(0, mostNamed - summary.rejected.length));
  };
  await audit.append(auditDraft(domain, actor, action, code, { begins: true, ...mark }));
  let before: StoredPiece | undefined;
  let last: StoredPiece | undefined;
  try {
    // Two pieces are stored while a third one is read; one after the other if they could have the same reading.
    for await (const piece of rows) {
      const time = {
        nowUs: domain.clock() * 1000,
        retainedFromUs: retainedFromUs(days, domain.steady),
      };
      const validator = new ReadingValidator(piece.items.length, sensors, time);
      for (const [index, item] of piece.items.entries()) validator.add(item, index);
      const spans = spansOf(validator.batch);
      await (last && overlap(spans, last.spans) ? last : before)?.counted;
      const counted: Promise<void> = Promise.all([validator.store(target), last?.counted]).then(
        ([result]) => count(piece, validator, result),
      );
      // It is awaited later, perhaps after another error.
      counted.catch(() => {});
      [before, last] = [last, { spans, counted }];
    }
    await last?.counted;
  } catch (thrown) {
    await Promise.allSettled([last?.counted]);
    await record('failed');
    throw thrown;
  }
  await record('done');
  return summary;
}

function spansOf({ count, rows }: ReadingBatch): Spans {
  const spans = new Map<number, [number, number]>();
  for (let place = 0; place < count * readingColumns; place += readingColumns) {
    const [series = 0, atUs = 0] = [rows[place], rows[place + 1]];
    const span = spans.get(series);
    if (!span) spans.set(series, [atUs, atUs]);
    else if (atUs < span[0]) span[0] = atUs;
    else if (atUs > span[1]) span[1] = atUs;
  }
  return spans;
}

function overlap(spans: Spans, others: Spans): boolean {
  for (const [series, [fromUs, toUs]] of spans) {
    const other = others.get(series);
    if (other && fromUs <= other[1] && toUs >= other[0]) return true;
  }
  return false;
}
