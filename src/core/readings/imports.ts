import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { requireEntity } from '../organization/entities.ts';
import type { ReadOptions } from '../records/imports.ts';
import { ReadingValidator } from './readings.ts';
import { addRefused, type Fault } from './rejections.ts';
import { retainedFromUs } from './retention.ts';

/** The columns of a file of readings; those with true must be there. */
export const readingColumns: Readonly<Record<string, boolean>> = {
  sensor: true,
  at: true,
  value: true,
  quality: false,
  unit: false,
};

/** Some readings of a file, as a gateway would send them, each with its line; a line that is no reading has its fault. */
export interface ReadingRows {
  items: unknown[];
  lines: number[];
  faults: ({ line: number } & Fault)[];
}

/** Reads a file of readings in bounded pieces; throws `bad_input` if nothing after it can be read. */
export type ReadingReader = (source: AsyncIterable<Uint8Array>, options: ReadOptions) => AsyncIterable<ReadingRows>;

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

/** Rejected readings that are named one by one; the others are counted. */
const mostNamed = 1000;

/**
 * Stores the readings of a file piece by piece, each validated by itself as in a request (contract, section 5): what was stored
 * stays, also if the file ends with an error, and is a duplicate in the next run. Needs `records.import`. The trail names it before
 * the first reading is stored, since what a crash or a full disk ends has stored readings, too; and its counts at the end.
 */
export async function importReadings(
  domain: Domain,
  actor: Actor,
  { entity: code, rows }: { entity: string; rows: AsyncIterable<ReadingRows> },
): Promise<ReadingsSummary> {
  const action = 'readings.import';
  await requirePermissions(domain, actor, ['records.import'], { action, target: code });
  const entity = await requireEntity(domain, actor, code);
  const { readings, tenants, audit } = domain.store;
  const days = (await tenants.find(actor.user.tenantId))?.retainReadingsDays ?? null;
  const sensors = await readings.directory(entity.id);
  const summary: ReadingsSummary = { accepted: 0, duplicates: 0, rejected: [], rejectedCount: 0, rejectedCodes: {} };
  const reject = ({ line, code, detail }: RejectedLine) => {
    summary.rejectedCount++;
    summary.rejectedCodes[code] = (summary.rejectedCodes[code] ?? 0) + 1;
    if (summary.rejected.length < mostNamed) summary.rejected.push({ line, code, detail });
  };
  const record = (outcome: 'done' | 'failed') => {
    const { accepted, duplicates, rejectedCount: rejected } = summary;
    return audit.append({ ...auditDraft(domain, actor, action, code, { accepted, duplicates, rejected }), outcome });
  };
  await audit.append(auditDraft(domain, actor, action, code, { begins: true }));
  try {
    for await (const { items, lines, faults } of rows) {
      const time = { nowUs: domain.clock() * 1000, retainedFromUs: retainedFromUs(days, domain.steady) };
      const validator = new ReadingValidator(items.length, sensors, time);
      for (const [index, item] of items.entries()) validator.add(item, index);
      const { batch, positions, rejected } = validator;
      const result = batch.count === 0 ? { accepted: 0, duplicates: 0, conflicts: [] } : await readings.append(batch);
      summary.accepted += result.accepted;
      summary.duplicates += result.duplicates;
      const refused = addRefused(rejected, result, positions).map(({ index, ...fault }) => ({
        ...fault,
        line: lines[index] ?? 0,
      }));
      for (const one of [...refused, ...faults].sort((a, b) => a.line - b.line)) reject(one);
    }
  } catch (thrown) {
    await record('failed');
    throw thrown;
  }
  await record('done');
  return summary;
}
