import { lastBackupMark } from '../registry/audit.ts';
import { clockMarks } from '../registry/clock.ts';
import type { Connection } from '../sqlite-database/driver.ts';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

/** A number of a store under a name. */
interface Mark {
  name: string;
  value: number;
}

/**
 * The marks that a restore takes from a backup. Any other mark counts rows of a table that starts anew, or is of one machine.
 */
export function carriedMarks(backup: Connection): Mark[] {
  return backup
    .prepare<[string, string, string], Mark>(
      `select name, value from marks where name = ?
        union all select * from (select ?, at_ms from audit where action = ? and outcome = 'done' order by seq desc limit 1)`,
    )
    .all(clockMarks.seenMs, lastBackupMark, 'store.backup');
}

/** Events of imports, as JSON, in a backup that were not moved into the trail yet. */
export function waitingDrafts(backup: Connection): string[] {
  const moved = backup.prepare<[string], number>('select value from marks where name = ?').pluck().get(outboxMark) ?? 0;
  return backup.prepare<[number], string>('select draft from audit_outbox where id > ? order by id').pluck().all(moved);
}
