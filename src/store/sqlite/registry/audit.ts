import { asc, desc, gt, sql } from 'drizzle-orm';
import { genesisHash } from '../../../core/audit/chain.ts';
import { lazily } from '../../../core/lazily.ts';
import type { AuditDraft, AuditStore } from '../../../core/port/audit.ts';
import { isBackup, lastBackupMark, nextRow, searchTrail, toRecord, walkedAtOnce } from '../../registry/audit.ts';
import type { Registry } from './registry.ts';
import { audit } from './tables.ts';

/** Appends an event to the chain, inside the running transaction. */
export type AppendAudit = (draft: AuditDraft) => void;

/**
 * Creates the append of the audit chain: one indexed read of its head and one insert.
 */
export function createAppendAudit({ db, connection }: Registry): AppendAudit {
  const head = lazily(() =>
    connection.prepare<[], { given: number | null; seq: number | null; hash: string | null }>(
      `select (select seq from sqlite_sequence where name = 'audit') as given, last.seq, last.hash
        from (select 1) left join (select seq, hash from audit order by seq desc limit 1) as last`,
    ),
  );
  const insert = lazily(() =>
    db
      .insert(audit)
      .values({
        seq: sql.placeholder('seq'),
        tenantId: sql.placeholder('tenantId'),
        atMs: sql.placeholder('atMs'),
        action: sql.placeholder('action'),
        actorId: sql.placeholder('actorId'),
        actorLogin: sql.placeholder('actorLogin'),
        osAccount: sql.placeholder('osAccount'),
        target: sql.placeholder('target'),
        outcome: sql.placeholder('outcome'),
        detail: sql.placeholder('detail'),
        previousHash: sql.placeholder('previousHash'),
        hash: sql.placeholder('hash'),
      })
      .prepare(),
  );
  const markBackup = lazily(() =>
    connection.prepare<[string, number]>('insert or replace into marks (name, value) values (?, ?)'),
  );
  return (draft) => {
    const { given, seq, hash } = head().get() ?? {};
    const last = typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : undefined;
    insert().run({ ...nextRow(draft, given ?? 0, last) });
    if (isBackup(draft)) markBackup().run(lastBackupMark, draft.atMs);
  };
}

/** The audit trail. `settle` moves the events that wait in the records file into the chain. */
export function createAuditStore(registry: Registry, append: AppendAudit, settle: () => void): AuditStore {
  const { db } = registry;
  const lowest = lazily(() =>
    registry.connection
      .prepare<[number, number], number>('select seq from audit where seq < ? order by seq desc limit 1 offset ?')
      .pluck(),
  );
  const after = lazily(() =>
    db
      .select()
      .from(audit)
      .where(gt(audit.seq, sql.placeholder('seq')))
      .orderBy(asc(audit.seq))
      .limit(walkedAtOnce)
      .prepare(),
  );
  const lastGiven = lazily(() =>
    registry.connection.prepare<[], number>("select seq from sqlite_sequence where name = 'audit'").pluck(),
  );
  const head = lazily(() =>
    registry.connection.prepare<[], { count: number; hash: string }>(
      'select seq as count, hash from audit order by seq desc limit 1',
    ),
  );
  const lastDone = lazily(() =>
    registry.connection
      .prepare<[string], number>(
        "select at_ms from audit where action = ? and outcome = 'done' order by seq desc limit 1",
      )
      .pluck(),
  );
  return {
    append: (draft) => registry.change(() => append(draft)),
    list(tenantId, filter) {
      settle();
      return searchTrail(audit, tenantId, filter, {
        hasTarget: (part) => sql`instr(lower(${audit.target}), ${part}) > 0`,
        lowest: (before, count) => registry.read(() => lowest().get(before, count - 1)),
        read: (condition, limit) =>
          registry.read(() => db.select().from(audit).where(condition).orderBy(desc(audit.seq)).limit(limit).all()),
      });
    },
    lastSeq: () => registry.read(() => lastGiven().get() ?? 0),
    // An intact chain has no gaps, so that the last number is the count.
    head: () => registry.read(() => head().get() ?? { count: 0, hash: genesisHash }),
    lastDoneMs: (action) => registry.read(() => lastDone().get(action)),
    *walk() {
      settle();
      // Below every integer of SQLite, so that a record inserted before the first one is found as well.
      for (let seq = -1e19; ; ) {
        const rows = registry.read(() => after().all({ seq }));
        const last = rows.at(-1)?.seq ?? seq;
        // Numbers beyond the precision of a double, which only a forger writes, could repeat for ever.
        if (last <= seq) return;
        yield* rows.map(toRecord);
        seq = last;
      }
    },
  };
}
