import { asc, desc, gt, sql } from 'drizzle-orm';
import { genesisHash } from '../../../core/audit/chain.ts';
import type { AuditDraft, AuditStore } from '../../../core/port/audit.ts';
import { isBackup, lastBackupMark, nextRow, searchTrail, toRecord, walkedAtOnce } from '../../registry/audit.ts';
import type { Session } from '../connection/session.ts';
import { unwrap } from '../connection/unwrapped.ts';
import { drizzleOn, type Registry } from './registry.ts';
import { audit } from './tables.ts';

/**
 * Appends an event to the chain, inside the transaction of a session. The head row is locked until the commit, so that processes
 * append one after the other, and gives the number.
 */
export async function appendAudit(session: Session, draft: AuditDraft): Promise<void> {
  const [head] = await session.query<{ given: number }>(
    'audit.lock',
    'select last_seq as given from audit_head for update',
  );
  const [last] = await session.query<{ seq: number; hash: string }>(
    'audit.last',
    'select seq, hash from audit order by seq desc limit 1',
  );
  const row = nextRow(draft, head?.given ?? 0, last);
  await drizzleOn(session).insert(audit).values(row);
  await session.query(
    'audit.head',
    'insert into audit_head (one, last_seq) values (true, $1) on conflict (one) do update set last_seq = excluded.last_seq',
    [row.seq],
  );
  session.audit = { seq: row.seq, hash: row.hash };
  if (!isBackup(draft)) return;
  await session.query(
    'audit.backup',
    'insert into marks (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [lastBackupMark, draft.atMs],
  );
}

const lowestOfPiece = 'select seq from audit where seq < $1 order by seq desc limit 1 offset $2';

export function createAuditStore({ database, db }: Registry): AuditStore {
  const after = db
    .select()
    .from(audit)
    .where(gt(audit.seq, sql.placeholder('seq')))
    .orderBy(asc(audit.seq))
    .limit(walkedAtOnce)
    .prepare('audit.after');
  return {
    append: (draft) => database.transaction((session) => appendAudit(session, draft)),
    list(tenantId, filter) {
      return searchTrail(audit, tenantId, filter, {
        // Targets are kept as JSON, and the collation makes `lower` the same on every server.
        hasTarget: (part) =>
          sql`position(${JSON.stringify(part).slice(1, -1)} in lower(${audit.target} collate "C")) > 0`,
        async lowest(before, count) {
          const [last] = await database.query<{ seq: number }>('audit.piece', lowestOfPiece, [before, count - 1]);
          return last?.seq;
        },
        read: (condition, limit) => db.select().from(audit).where(condition).orderBy(desc(audit.seq)).limit(limit),
      });
    },
    async lastSeq() {
      const [head] = await database.query<{ given: number }>('audit.given', 'select last_seq as given from audit_head');
      return head?.given ?? 0;
    },
    async head() {
      const [last] = await database.query<{ count: number; hash: string }>(
        'audit.count',
        'select seq as count, hash from audit order by seq desc limit 1',
      );
      // An intact chain has no gaps, so that the last number is the count.
      return last ?? { count: 0, hash: genesisHash };
    },
    async lastDoneMs(action) {
      const [last] = await database.query<{ atMs: number }>(
        'audit.done',
        `select at_ms as "atMs" from audit where action = $1 and outcome = 'done' order by seq desc limit 1`,
        [action],
      );
      return last?.atMs;
    },
    async *walk() {
      // Below every number, so that a record inserted before the first one is found as well.
      for (let seq = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = await after.execute({ seq }).catch((thrown: unknown) => {
          throw unwrap(thrown);
        });
        const last = rows.at(-1)?.seq ?? seq;
        // Numbers beyond the precision of a double, which only a forger writes, could repeat for ever.
        if (last <= seq) return;
        yield* rows.map(toRecord);
        seq = last;
      }
    },
  };
}
