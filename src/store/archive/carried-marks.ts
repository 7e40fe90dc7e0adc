import { lastBackupMark } from '../registry/audit.ts';
import { clockMarks } from '../registry/clock.ts';
import type { Connection } from '../sqlite/connection/driver.ts';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

/** A number of a store under a name. */
interface Mark {
  name: string;
  value: number;
}

/**
 * The marks that a copy of a registry takes into another store. Every other mark counts rows of a table that starts anew there,
 * or is of one machine.
 */
export function carriedMarks(registry: Connection): Mark[] {
  return registry
    .prepare<[string, string, string], Mark>(
      `select name, value from marks where name = ?
        union all select * from (select ?, at_ms from audit where action = ? and outcome = 'done' order by seq desc limit 1)`,
    )
    .all(clockMarks.seenMs, lastBackupMark, 'store.backup');
}

/** Events of imports, as JSON, that were not moved into the trail yet. Both databases may be one backup. */
export function waitingDrafts(registry: Connection, records: Connection): string[] {
  const moved =
    registry.prepare<[string], number>('select value from marks where name = ?').pluck().get(outboxMark) ?? 0;
  return records
    .prepare<[number], string>('select draft from audit_outbox where id > ? order by id')
    .pluck()
    .all(moved);
}

/**
 * Gives a copied store marks of its own: the outbox of its records starts at 1 again, with what still waits in it. Runs before
 * anybody uses the copy.
 */
export function startMarksAnew(registry: Connection, records: Connection): void {
  const waiting = waitingDrafts(registry, records);
  records
    .transaction(() => {
      records.exec("delete from audit_outbox; delete from sqlite_sequence where name = 'audit_outbox'");
      const put = records.prepare<[string]>('insert into audit_outbox (draft) values (?)');
      for (const draft of waiting) put.run(draft);
    })
    .immediate();
  registry
    .transaction(() => {
      const carried = carriedMarks(registry);
      registry.exec('delete from marks');
      const put = registry.prepare<[string, number]>('insert into marks (name, value) values (?, ?)');
      for (const { name, value } of carried) put.run(name, value);
    })
    .immediate();
}
