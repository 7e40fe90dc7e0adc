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
  const detail = Object.entries(draft.detail)
    // JSON drops undefined values, while the hash would include them as null.
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [tidy(name), typeof value === 'string' ? tidy(value) : value]);
  return {
    ...draft,
    tenantId: draft.tenantId === null ? null : tidy(draft.tenantId),
    actor: actor === null ? null : { id: tidy(actor.id), login: tidy(actor.login) },
    osAccount: tidy(draft.osAccount),
    target: tidy(draft.target),
    detail: Object.fromEntries(detail),
  };
}

function tidy(text: string): string {
  return cutText(withoutSecrets(text.toWellFormed()), longestText);
}

/** PATH_MAX of Linux: the longest target is a path. */
const longestText = 4096;

export const genesisHash = '0'.repeat(64);

/** Appends an event after `previous`; its hash is SHA-256, in hex, over a canonical JSON array of all fields. */
export function chainRecord(
  draft: AuditDraft,
  previous: { seq: number; hash: string } | undefined,
): AuditRecord {
  const seq = (previous?.seq ?? 0) + 1;
  const previousHash = previous?.hash ?? genesisHash;
  return { ...draft, seq, previousHash, hash: hashRecord(draft, seq, previousHash) };
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
  let count = 0;
  const report = (broken: ChainReport['broken']) => ({
    records: count,
    headHash: previous?.hash ?? genesisHash,
    broken,
  });
  for await (const record of records) {
    watch(record);
    const broken = orderFault(record, previous);
    if (broken) return report(broken);
    if (hashRecord(record, record.seq, record.previousHash) !== record.hash)
      return report({ seq: record.seq, reason: 'its content was altered' });
    previous = record;
    count++;
  }
  return report(null);
}

function orderFault(
  { seq, previousHash, action }: AuditRecord,
  previous: { seq: number; hash: string } | undefined,
): ChainReport['broken'] {
  const wanted = (previous?.seq ?? 0) + 1;
  if (seq > wanted) return { seq: wanted, reason: `it was removed, and record ${seq} follows` };
  if (seq < wanted) return { seq, reason: 'it is repeated or out of order' };
  if (previousHash !== (previous?.hash ?? genesisHash))
    return { seq, reason: 'it does not follow the record before it' };
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
  // Other processes append meanwhile: the walk must include all records counted before it, and none beyond those counted after.
  const before = await audit.lastSeq();
  const report = await verifyChain(audit.walk(), watch);
  return {
    ...report,
    broken: report.broken ?? cutOff(report.records, before, await audit.lastSeq()),
  };
}

/** The records that are missing at the end of a consistent chain of `records`. */
function cutOff(records: number, before: number, after: number): ChainReport['broken'] {
  const seq = records + 1;
  if (before > records)
    return { seq, reason: `the records ${seq} to ${before} at the end were removed` };
  if (records === 0) return { seq, reason: 'it was removed, and all that followed' };
  if (after >= records) return null;
  return {
    seq,
    reason: `the store's own count of records was set back to ${after}: some may have been removed here`,
  };
}
