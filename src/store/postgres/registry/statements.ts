import type { PgTable } from 'drizzle-orm/pg-core';
import { stateLine } from '../../engine/journal-lines.ts';
import type { Change, Runner, Statements, Steps } from '../../registry/statements.ts';
import type { Session } from '../connection/session.ts';
import { appendAudit } from './audit.ts';
import { addToJournal } from './journal.ts';
import { drizzleOn, type Registry } from './registry.ts';
import { entities, keys, tenants, users } from './tables.ts';

const tables = { tenants, users, entities, keys };

export function createRunner({ database, change }: Registry): Runner {
  return {
    ...statementsOf(database),
    each: 'json_array_elements_text($1::json)',
    run: (work) => run(work()),
    change: (work) => change((session) => run(work(changeIn(session)))),
  };
}

/** Runs statements on a session. */
export function statementsOf(session: Pick<Session, 'query'>): Statements {
  return {
    query: (name, text, values) => session.query(name, text, values),
    first: <Row>(name: string, text: string, values?: readonly unknown[]) =>
      session.query<Row>(name, text, values).then(([row]) => row),
  };
}

function changeIn(session: Session): Change {
  return {
    ...statementsOf(session),
    insert: (table, row) => drizzleOn(session).insert<PgTable>(tables[table]).values(row),
    append: (audit) => appendAudit(session, audit),
    // Rows say themselves what is stopped; a restore of an older backup finds no row of what was removed.
    stop: (entries) => addToJournal(session, entries.filter(({ event }) => event === 'removed').map(stateLine)),
    revoke() {},
    start() {},
  };
}

async function run<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) {
    step = await Promise.resolve(step.value).then(
      (result) => steps.next(result),
      (thrown) => steps.throw(thrown),
    );
  }
  return step.value;
}
