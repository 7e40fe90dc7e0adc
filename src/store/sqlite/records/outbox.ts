import { asc, eq, gt, lte, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { AuditDraft } from '../../../core/port/audit.ts';
import { outboxMark } from '../../registry/audit.ts';
import type { Connection } from '../../sqlite-database/driver.ts';
import type { AppendAudit } from '../registry/audit.ts';
import type { Registry } from '../registry/registry.ts';
import { marks } from '../registry/tables.ts';
import { outbox } from './tables.ts';

/** Puts an event into the outbox, inside the running transaction. */
export function putInOutbox(records: Connection, draft: AuditDraft): void {
  drizzle(records).insert(outbox).values({ draft }).run();
}

/**
 * Moves the events in the outbox into the audit chain, each event once: the id of the last one is kept in the same commit
 * as the events, so that a crash before the deletion repeats nothing.
 */
export function emptyOutbox(registry: Registry, records: Connection, append: AppendAudit): void {
  const recordsDb = drizzle(records);
  if (recordsDb.select({ id: outbox.id }).from(outbox).limit(1).get() === undefined) return;
  const settled = registry.change(() => {
    const mark = registry.db.select().from(marks).where(eq(marks.name, outboxMark)).get()?.value ?? 0;
    // Earlier versions have restored a mark together with an outbox that started at 1 again: it does not describe what waits there.
    const before = mark > madeIn(records) ? 0 : mark;
    const waiting = recordsDb.select().from(outbox).where(gt(outbox.id, before)).orderBy(asc(outbox.id)).all();
    for (const { draft } of waiting) append(draft);
    const value = waiting.at(-1)?.id ?? before;
    registry.db
      .insert(marks)
      .values({ name: outboxMark, value })
      .onConflictDoUpdate({ target: marks.name, set: { value: sql`excluded.value` } })
      .run();
    return value;
  });
  recordsDb.delete(outbox).where(lte(outbox.id, settled)).run();
}

/** How many events were ever put into the outbox. */
export function madeIn(records: Connection): number {
  const sql = "select seq from sqlite_sequence where name = 'audit_outbox'";
  return Number(records.prepare<[], unknown>(sql).pluck().get() ?? 0);
}
