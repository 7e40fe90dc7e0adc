import type { AuditDraft } from '../../../core/port/audit.ts';
import { outboxMark, setMark } from '../../shared/registry/statements.ts';
import type { Connection } from '../../sqlite-file/driver.ts';
import { dialect, type Registry } from '../registry/registry.ts';
import type { SqliteRunner } from '../registry/statements.ts';

/** Keeps an event with the records that it is about, in their commit. */
export function putInOutbox(records: Connection, draft: AuditDraft): void {
  records.prepare('insert into audit_outbox (draft) values (?)').run(JSON.stringify(draft));
}

const setOutboxMark = setMark(dialect);

/** Moves the events into the audit chain, each once: the id of the last one is kept in the same commit, in case of a crash. */
export function emptyOutbox(
  registry: Registry,
  records: Connection,
  { query, append }: SqliteRunner,
): void {
  if (records.prepare('select 1 from audit_outbox limit 1').get() === undefined) return;

  const lastAppendedId = registry.change(() => {
    const selectMark = registry.connection
      .prepare<[string], number>('select value from marks where name = ?')
      .pluck();
    const lastMovedId = selectMark.get(outboxMark) ?? 0;
    const waitingRows = records
      .prepare<[number], { id: number; draft: string }>(
        'select id, draft from audit_outbox where id > ? order by id',
      )
      .all(lastMovedId);
    for (const { draft } of waitingRows) append(JSON.parse(draft));

    const value = waitingRows.at(-1)?.id ?? lastMovedId;
    query(setOutboxMark, { name: outboxMark, value });
    return value;
  });
  records.prepare('delete from audit_outbox where id <= ?').run(lastAppendedId);
}
