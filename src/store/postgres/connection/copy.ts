import type { Client, Connection } from 'pg';

/**
 * Sends a COPY with all its rows, without waiting for the server to ask for them: if it refuses the statement, it skips them. A
 * stream would have to wait twice.
 */
export function sendRows(client: Client, text: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const nothing = () => {};
    const query = {
      submit(connection: Connection) {
        connection.query(text);
        const copying = connection as Connection & CopyMethods; // see there
        copying.sendCopyFromChunk(rows);
        copying.endCopyFrom();
      },
      handleCopyInResponse: nothing,
      handleCommandComplete: nothing,
      handleReadyForQuery: resolve,
      handleError: reject,
    };
    client.query(query);
  });
}

/** What the types of the driver leave out. */
interface CopyMethods {
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
}

interface CopySession {
  copy(text: string, rows: Buffer): Promise<void>;
}

/**
 * Sends rows piece by piece, each by a statement such as `copy TABLE from stdin`. One piece is on its way while the caller makes
 * the next one, so that the server never waits. `end` waits for the last.
 */
export function createCopy(session: CopySession, statement: string) {
  let sent: Promise<void> = Promise.resolve();
  return {
    async write(rows: string): Promise<void> {
      const before = sent;
      sent = session.copy(statement, Buffer.from(rows));
      // It may fail before it is awaited, and is reported then.
      sent.catch(() => {});
      await before;
    },
    end: () => sent,
  };
}

/** Sends all rows of a source, in pieces. */
export async function copyRowsToServer(
  session: CopySession,
  statement: string,
  rows: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const copy = createCopy(session, statement);
  for await (const text of rows) await copy.write(text);
  await copy.end();
}
