import type { AuditRecord, AuditStore } from '../port/audit.ts';
import { type ChainReport, verifyChain } from './chain.ts';

/**
 * Verifies the whole trail of a store or of a backup, from its first record to the last sequence number that the store ever
 * assigned. Calls `watch` with each record that is read.
 */
export async function verifyTrail(
  audit: Pick<AuditStore, 'walk' | 'lastSeq'>,
  watch: (record: AuditRecord) => void = () => {},
): Promise<ChainReport> {
  // Other processes append meanwhile: the walk must include all records counted before it, and none beyond those counted after.
  const before = await audit.lastSeq();
  const report = await verifyChain(watched(audit.walk(), watch));
  return { ...report, broken: report.broken ?? cutOff(report.records, before, await audit.lastSeq()) };
}

async function* watched(
  records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>,
  watch: (record: AuditRecord) => void,
): AsyncGenerator<AuditRecord> {
  for await (const record of records) {
    watch(record);
    yield record;
  }
}

/** The records that are missing at the end of a consistent chain of `records`. */
function cutOff(records: number, before: number, after: number): ChainReport['broken'] {
  const seq = records + 1;
  if (before > records) return { seq, reason: `the records ${seq} to ${before} at the end were removed` };
  if (records === 0) return { seq, reason: 'it was removed, and all that followed' };
  if (after >= records) return null;
  return { seq, reason: `the store's own count of records was set back to ${after}: some may have been removed here` };
}
