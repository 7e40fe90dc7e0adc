import { eq, sql } from 'drizzle-orm/sql';
import { type Dialect, placeholders, type RegistryStatement, statement } from './statements.ts';

/** The mark with the time of the last backup, which monitoring reads without a search through the trail. */
export const lastBackupMark = 'last_backup_ms';

/** The mark up to which the outbox of imports was moved into the trail. */
export const outboxMark = 'audit_outbox';

type MarkDialect = Pick<Dialect, 'builder' | 'tables'>;

/** The value of the mark `name`. */
export function selectMark({ builder, tables }: MarkDialect) {
  const { marks } = tables;
  const { name } = placeholders('name');
  return statement(() => {
    const selectValue = builder.select({ value: marks.value }).from(marks);
    return selectValue.where(eq(marks.name, name));
  });
}

/** Sets the mark `name` to `value`. */
export function setMark({ builder, tables }: MarkDialect): RegistryStatement {
  const { marks } = tables;
  return statement(() =>
    builder
      .insert(marks)
      .values(placeholders('name', 'value'))
      .onConflictDoUpdate({ target: marks.name, set: { value: sql`excluded.value` } }),
  );
}
