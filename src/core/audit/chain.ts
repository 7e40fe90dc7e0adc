import { sha256 } from '../digest.ts';
import { withoutSecrets } from '../keys/secrets.ts';
import { cutText, wellFormed } from '../text/bounded-text.ts';
import { isCutInHalf } from './damage.ts';
import type { AuditDraft, AuditRecord } from './events.ts';

/**
 * An event as it is kept: without secrets, since people give a whole one where its prefix was asked for, no longer than what
 * it is about, and such that a store gives back every text as it was hashed. Whatever merely begins like a secret stays: a
 * login or a path must be told from another later.
 */
export function fitForTrail(draft: AuditDraft): AuditDraft {
  const { actor } = draft;
  const detail = Object.entries(draft.detail)
    // JSON drops these, while the hash would know them as null.
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
  return cutText(withoutSecrets(wellFormed(text)), longestText);
}

/** The longest path of a file. */
const longestText = 4096;

/** The hash that stands before the first record. */
export const genesisHash = '0'.repeat(64);

/** Gives an event its place after the record with `previous`: SHA-256, hex, over a canonical JSON array of all fields. */
export function chainRecord(draft: AuditDraft, previous: { seq: number; hash: string } | undefined): AuditRecord {
  const seq = (previous?.seq ?? 0) + 1;
  const previousHash = previous?.hash ?? genesisHash;
  return { ...draft, seq, previousHash, hash: hashRecord(draft, seq, previousHash) };
}

/** What a walk over the chain found. */
export interface ChainReport {
  records: number;
  headHash: string;
  /** The first record that does not fit, and why; null where the chain is whole. */
  broken: { seq: number; reason: string } | null;
  /** Records that fit the chain, though an earlier hkctl kept less of their text than it had hashed; see `isCutInHalf`. */
  damaged: readonly number[];
}

/** Walks the chain and names the first record that was altered, removed, put in or moved; the first one is of `store.init`. */
export async function verifyChain(records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>): Promise<ChainReport> {
  let previous: { seq: number; hash: string } | undefined;
  let count = 0;
  const damaged: number[] = [];
  const report = (broken: ChainReport['broken']) => ({
    records: count,
    headHash: previous?.hash ?? genesisHash,
    broken,
    damaged,
  });
  for await (const record of records) {
    const broken = misplacement(record, previous);
    if (broken) return report(broken);
    if (hashRecord(record, record.seq, record.previousHash) !== record.hash) {
      const fits = (as: AuditRecord) => hashRecord(as, as.seq, as.previousHash) === as.hash;
      if (!isCutInHalf(record, fits)) return report({ seq: record.seq, reason: 'its content was altered' });
      damaged.push(record.seq);
    }
    previous = record;
    count++;
  }
  return report(null);
}

function misplacement(
  { seq, previousHash, action }: AuditRecord,
  previous: { seq: number; hash: string } | undefined,
): ChainReport['broken'] {
  const wanted = (previous?.seq ?? 0) + 1;
  if (seq > wanted) return { seq: wanted, reason: `it was removed, and record ${seq} follows` };
  if (seq < wanted) return { seq, reason: 'it stands twice or out of order' };
  if (previousHash !== (previous?.hash ?? genesisHash))
    return { seq, reason: 'it does not follow the record before it' };
  // Whoever empties a trail and lets hkctl write on has a chain that fits in itself.
  if (seq === 1 && action !== 'store.init') {
    return { seq, reason: 'it is not the store.init with which every trail begins: the chain was made anew' };
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
