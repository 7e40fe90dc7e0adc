import { sha256 } from './digest.ts';
import { holdsSecret, redactSecrets } from './secrets.ts';

/** What can happen, as audit records name it. */
export type AuditAction =
  | 'store.init'
  | 'profile.use'
  | 'key.create'
  | 'key.rotate'
  | 'key.revoke'
  | 'key.list'
  | 'key.verify'
  | 'user.list'
  | 'user.add'
  | 'user.activate'
  | 'user.deactivate'
  | 'user.set_role'
  | 'entity.list'
  | 'entity.add'
  | 'entity.activate'
  | 'entity.deactivate'
  | 'entity.remove'
  | 'tenant.list'
  | 'tenant.add'
  | 'tenant.set'
  | 'records.import'
  | 'sensors.read'
  | 'audit.read'
  | 'store.migrate'
  | 'store.backup'
  | 'store.restore'
  | 'store.doctor'
  | 'store.accept_clock';

/** An event before the store gives it a place in the chain. Never holds a secret. */
export interface AuditDraft {
  tenantId: string | null;
  atMs: number;
  action: AuditAction;
  /** The profile that acted; null where there was none. */
  actor: { id: string; login: string } | null;
  /** The account of the operating system that acted. */
  osAccount: string;
  /** What it was done to: a key's prefix, a login, an entity's code, a resource. */
  target: string;
  outcome: 'done' | 'denied' | 'failed';
  /** Small, flat facts beside it. */
  detail: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * An event as it is kept: without secrets, since people give a whole one where its prefix was asked for, and no longer than
 * what it is about. Whatever merely begins like one stays: a login or a path must be told from another later.
 */
export function fitForTrail(draft: AuditDraft): AuditDraft {
  const tidy = (text: string) => {
    const safe = holdsSecret(text) ? redactSecrets(text) : text;
    return safe.length > longestText ? `${safe.slice(0, longestText)}…` : safe;
  };
  const detail = Object.entries(draft.detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? tidy(value) : value,
  ]);
  return { ...draft, target: tidy(draft.target), detail: Object.fromEntries(detail) };
}

/** The longest path of a file. */
const longestText = 4096;

/** An event in its place. `hash` covers all of it and the hash before. */
export interface AuditRecord extends AuditDraft {
  seq: number;
  previousHash: string;
  hash: string;
}

/** The hash that stands before the first record. */
export const genesisHash = '0'.repeat(64);

/** Where a chain ends: how many records it holds, and the hash of the last one. Kept elsewhere, it is an anchor. */
export interface AuditHead {
  count: number;
  hash: string;
}

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
}

/** Walks the chain and names the first record that was altered, removed, put in or moved. */
export async function verifyChain(records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>): Promise<ChainReport> {
  let previous: { seq: number; hash: string } | undefined;
  let count = 0;
  for await (const record of records) {
    const expected = chainRecord(record, previous);
    const broken = mismatch(record, expected);
    if (broken) return { records: count, headHash: previous?.hash ?? genesisHash, broken };
    previous = record;
    count++;
  }
  return { records: count, headHash: previous?.hash ?? genesisHash, broken: null };
}

function mismatch({ seq, previousHash, hash }: AuditRecord, expected: AuditRecord): ChainReport['broken'] {
  if (seq > expected.seq) return { seq: expected.seq, reason: `it was removed, and record ${seq} follows` };
  if (seq < expected.seq) return { seq, reason: 'it stands twice or out of order' };
  if (previousHash !== expected.previousHash) return { seq, reason: 'it does not follow the record before it' };
  return hash === expected.hash ? null : { seq, reason: 'its content was altered' };
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
