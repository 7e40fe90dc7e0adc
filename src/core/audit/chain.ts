import { sha256 } from '../digest.ts';
import type { AuditDraft, AuditRecord, AuditStore } from '../port/audit.ts';
import { withoutSecrets } from '../secrets.ts';
import { cutText } from '../text/shown-text.ts';

/**
 * An event as the trail stores it. Secrets are removed, since people type a whole secret in place of a prefix; texts
 * are cut to 4,096 characters and made well-formed, so that a store returns every text exactly as it was hashed. A text that
 * only begins like a secret stays, so that one login or path can be distinguished from another later.
 */
export function fitForTrail(draft: AuditDraft): AuditDraft {
  const { actor } = draft;
  const fittedDetail = Object.entries(draft.detail)
    // JSON drops undefined values, while the hash would include them as null.
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const fittedValue = typeof value === 'string' ? fitText(value) : value;
      return [fitText(name), fittedValue];
    });
  return {
    ...draft,
    tenantId: draft.tenantId === null ? null : fitText(draft.tenantId),
    actor: actor === null ? null : { id: fitText(actor.id), login: fitText(actor.login) },
    osAccount: fitText(draft.osAccount),
    target: fitText(draft.target),
    detail: Object.fromEntries(fittedDetail),
  };
}

function fitText(text: string): string {
  return cutText(withoutSecrets(text.toWellFormed()), textLimit);
}

/** PATH_MAX of Linux: the longest target is a path. */
const textLimit = 4096;

export const genesisHash = '0'.repeat(64);

/** Appends an event after `previous`; its hash is SHA-256, in hex, over a canonical JSON array of all fields. */
export function chainRecord(
  draft: AuditDraft,
  previous: { seq: number; hash: string } | undefined,
): AuditRecord {
  const seq = (previous?.seq ?? 0) + 1;
  const previousHash = previous?.hash ?? genesisHash;
  const hash = hashRecord(draft, seq, previousHash);
  return { ...draft, seq, previousHash, hash };
}

export interface ChainReport {
  records: number;
  headHash: string;
  broken: { seq: number; reason: string } | null;
}

/** Verifies a chain, whose first record must be a `store.init`; calls `watch` with each record that is read. */
export async function verifyChain(
  records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>,
  watch: (record: AuditRecord) => void = () => {},
): Promise<ChainReport> {
  let previous: { seq: number; hash: string } | undefined;
  let recordCount = 0;
  const reportOf = (broken: ChainReport['broken']) => ({
    records: recordCount,
    headHash: previous?.hash ?? genesisHash,
    broken,
  });
  for await (const record of records) {
    watch(record);
    const orderBreak = orderFault(record, previous);
    if (orderBreak) return reportOf(orderBreak);

    const expectedHash = hashRecord(record, record.seq, record.previousHash);
    if (expectedHash !== record.hash) {
      return reportOf({ seq: record.seq, reason: 'its content was altered' });
    }

    previous = record;
    recordCount++;
  }
  return reportOf(null);
}

function orderFault(
  { seq, previousHash, action }: AuditRecord,
  previous: { seq: number; hash: string } | undefined,
): ChainReport['broken'] {
  const expectedSeq = (previous?.seq ?? 0) + 1;
  if (seq > expectedSeq) {
    return { seq: expectedSeq, reason: `it was removed, and record ${seq} follows` };
  }
  if (seq < expectedSeq) return { seq, reason: 'it is repeated or out of order' };
  if (previousHash !== (previous?.hash ?? genesisHash)) {
    return { seq, reason: 'it does not follow the record before it' };
  }
  // A trail that was emptied and then written on is a consistent chain; only its first action shows the loss.
  if (seq === 1 && action !== 'store.init') {
    return {
      seq,
      reason: 'it is not the store.init with which every trail begins: the chain was made anew',
    };
  }
  return null;
}

function hashRecord(draft: AuditDraft, seq: number, previousHash: string): string {
  const canonical = JSON.stringify([
    previousHash,
    seq,
    draft.tenantId,
    draft.atMs,
    draft.action,
    draft.actor === null ? null : [draft.actor.id, draft.actor.login],
    draft.osAccount,
    draft.target,
    draft.outcome,
    Object.keys(draft.detail)
      .sort()
      .map((key) => [key, draft.detail[key]]),
  ]);
  return sha256(canonical, 'hex');
}

/** Verifies a whole trail, from its first record to the last sequence number that its store ever assigned. */
export async function verifyTrail(
  audit: Pick<AuditStore, 'walk' | 'lastSeq'>,
  watch?: (record: AuditRecord) => void,
): Promise<ChainReport> {
  // Other processes append meanwhile: the walk must include all records counted before it, and at most those counted after it.
  const seqBefore = await audit.lastSeq();
  const report = await verifyChain(audit.walk(), watch);
  if (report.broken) return report;

  const seqAfter = await audit.lastSeq();
  return { ...report, broken: missingTail(report.records, seqBefore, seqAfter) };
}

/** The break at the end of a consistent chain of `records`, if later records are missing. */
function missingTail(records: number, seqBefore: number, seqAfter: number): ChainReport['broken'] {
  const missingSeq = records + 1;
  if (seqBefore > records) {
    return {
      seq: missingSeq,
      reason: `the records ${missingSeq} to ${seqBefore} at the end were removed`,
    };
  }
  if (records === 0) {
    return { seq: missingSeq, reason: 'it was removed, and all that followed' };
  }
  if (seqAfter >= records) return null;
  return {
    seq: missingSeq,
    reason: `the store's own count of records was set back to ${seqAfter}: some may have been removed here`,
  };
}
