import { sql } from 'drizzle-orm/sql';
import { placeholders, type Statement, statement } from './compiled-statements.ts';
import type { Dialect } from './statements.ts';

/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

/** Sets the mark `name` to `value`. */
export function setMark({
  builder,
  tables: { marks },
}: Pick<Dialect, 'builder' | 'tables'>): Statement {
  return statement(() =>
    builder
      .insert(marks)
      .values(placeholders('name', 'value'))
      .onConflictDoUpdate({ target: marks.name, set: { value: sql`excluded.value` } }),
  );
}
