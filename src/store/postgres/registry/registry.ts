import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Client } from 'pg';
import type { Database } from '../connection/database.ts';
import type { Session } from '../connection/session.ts';

export interface Registry {
  readonly database: Database;
  readonly db: NodePgDatabase;
  /**
   * Runs a change in one transaction, one at a time over all processes: each begins by locking the generation of keys, and its
   * commit is what every daemon notices before it answers its next request.
   */
  change<T>(work: (session: Session) => Promise<T>): Promise<T>;
}

export function createRegistry(database: Database): Registry {
  return {
    database,
    db: drizzleOn({ send: async (config, values) => (await database.session()).send(config, values) }),
    change: (work) =>
      database.transaction(async (session) => {
        await session.query('generations.keys', "update generations set value = value + 1 where name = 'keys'");
        return work(session);
      }),
  };
}

/** drizzle on a session: of the driver's client it uses only `query`. */
export function drizzleOn(session: Pick<Session, 'send'>): NodePgDatabase {
  const client = { query: session.send.bind(session) };
  return drizzle({ client: client as unknown as Client }); // see above
}
