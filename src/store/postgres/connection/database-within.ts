import type { Database } from './database.ts';
import { Lane } from './lane.ts';
import type { Session } from './session.ts';

/** The database of a store that is being created: everything is part of the transaction of one session. */
export function databaseWithin(session: Session): Database {
  return {
    location: session.location,
    epoch: 1,
    query: (name, text, values) => session.query(name, text, values),
    session: async () => session,
    transaction: (work) => work(session),
    exclusively: (work) => work(session),
    lane: () => new Lane(async () => session),
    startDaemon: async () => {},
    reconnect: () => {},
    close: async () => {},
  };
}
