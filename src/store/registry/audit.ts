import { and, type Column, eq, gte, isNull, lt, lte, or, type SQL } from 'drizzle-orm';
import { chainRecord, fitForTrail, genesisHash } from '../../core/audit/chain.ts';
import type { AuditDraft, AuditRecord, AuditStore } from '../../core/port/audit.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';

/** The row of an audit record: the actor is two columns. */
type AuditRow = Omit<AuditRecord, 'actor'> & { actorId: string | null; actorLogin: string | null };

export const walkedAtOnce = 1000;

/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

export function isBackup({ action, outcome }: AuditDraft): boolean {
  return action === 'store.backup' && outcome === 'done';
}

/**
 * The row that continues the chain. `given` is the highest number ever assigned, so that a cut tail stays a gap whatever is
 * appended afterwards; if it was set back, the trail continues all the same, and verification reports it.
 */
export function nextRow(draft: AuditDraft, given: number, last: { seq: number; hash: string } | undefined): AuditRow {
  const seq = Math.max(given, last?.seq ?? 0);
  const before = seq === 0 ? undefined : { seq, hash: last?.hash ?? genesisHash };
  const { actor, ...row } = chainRecord(fitForTrail(draft), before);
  return { ...row, actorId: actor?.id ?? null, actorLogin: actor?.login ?? null };
}

export function toRecord({ actorId, actorLogin, ...row }: AuditRow): AuditRecord {
  return { ...row, actor: actorId === null || actorLogin === null ? null : { id: actorId, login: actorLogin } };
}

/** Records that one statement of a search looks at, which takes some milliseconds. */
const searchedAtOnce = 20_000;

/** How an engine searches the trail piece by piece: records from a number on and before another. */
interface TrailReader {
  /** Whether the target has a part in small letters, see {@link smallLetters}. */
  hasTarget(part: string): SQL;
  /** The lowest number of the `count` records before a number; undefined if there are fewer. */
  lowest(before: number, count: number): MaybePromise<number | undefined>;
  read(condition: SQL | undefined, limit: number): MaybePromise<AuditRow[]>;
}

/** Searches the trail from its end until `limit` records are found. */
export async function searchTrail(
  audit: AuditColumns & Record<'seq', Column>,
  tenantId: string,
  filter: Parameters<AuditStore['list']>[1],
  reader: TrailReader,
): Promise<AuditRecord[]> {
  const { seq } = audit;
  const { limit } = filter;
  const condition = filterCondition(audit, tenantId, filter, reader.hasTarget);
  const found: AuditRecord[] = [];
  let before: number | undefined;
  do {
    const from: number | undefined = await reader.lowest(before ?? highestSeq, searchedAtOnce);
    const piece = and(
      before === undefined ? undefined : lt(seq, before),
      from === undefined ? undefined : gte(seq, from),
    );
    for (const row of await reader.read(and(piece, condition), limit - found.length)) found.push(toRecord(row));
    before = from;
  } while (before !== undefined && found.length < limit);
  return found;
}

/** Above every number that hkctl assigns. */
const highestSeq = Number.MAX_SAFE_INTEGER;

type AuditColumns = Record<'tenantId' | 'atMs' | 'action' | 'actorLogin' | 'osAccount' | 'outcome', Column>;

function filterCondition(
  audit: AuditColumns,
  tenantId: string,
  { sinceMs, untilMs, actor, action, target, outcome, ofStore = false }: Parameters<AuditStore['list']>[1],
  hasTarget: (part: string) => SQL,
): SQL | undefined {
  const ofTenant = eq(audit.tenantId, tenantId);
  return and(
    ofStore ? or(ofTenant, isNull(audit.tenantId)) : ofTenant,
    sinceMs === undefined ? undefined : gte(audit.atMs, sinceMs),
    untilMs === undefined ? undefined : lte(audit.atMs, untilMs),
    actor === undefined
      ? undefined
      : or(eq(audit.actorLogin, actor), and(isNull(audit.actorLogin), eq(audit.osAccount, actor))),
    action === undefined ? undefined : eq(audit.action, action),
    outcome === undefined ? undefined : eq(audit.outcome, outcome),
    target === undefined ? undefined : hasTarget(smallLetters(target)),
  );
}

/** A text with the letters A to Z made small, as both engines do it. */
function smallLetters(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
