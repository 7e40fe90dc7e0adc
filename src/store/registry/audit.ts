import { chainRecord, fitForTrail, genesisHash } from '../../core/audit/chain.ts';
import type { AuditDraft, AuditRecord } from '../../core/audit/events.ts';

/** The row of an audit record: the actor is two columns. */
type AuditRow = Omit<AuditRecord, 'actor'> & { actorId: string | null; actorLogin: string | null };

/** Rows of the trail that are read at once. */
export const walkedAtOnce = 1000;

/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** Whether an event reports a written backup. */
export function isBackup({ action, outcome }: AuditDraft): boolean {
  return action === 'store.backup' && outcome === 'done';
}

/**
 * The row that continues the chain. `given` is the highest number ever assigned, so that a cut tail stays a gap whatever is
 * appended afterwards; where somebody has set it back, the trail continues all the same, and verification reports it.
 */
export function nextRow(draft: AuditDraft, given: number, last: { seq: number; hash: string } | undefined): AuditRow {
  const seq = Math.max(given, last?.seq ?? 0);
  const before = seq === 0 ? undefined : { seq, hash: last?.hash ?? genesisHash };
  const { actor, ...row } = chainRecord(fitForTrail(draft), before);
  return { ...row, actorId: actor?.id ?? null, actorLogin: actor?.login ?? null };
}

/** The record of a row. */
export function toRecord({ actorId, actorLogin, ...row }: AuditRow): AuditRecord {
  return { ...row, actor: actorId === null || actorLogin === null ? null : { id: actorId, login: actorLogin } };
}
