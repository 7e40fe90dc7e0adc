import type { Client, Connection } from 'pg';

/**
 * Sends a COPY with all its rows, without waiting for the server to ask for them: if it refuses the statement, it skips them. A
 * stream would have to wait twice.
 */
export function sendRows(
  client: Client,
  statement: string,
  rowBytes: Buffer,
  timeoutMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const doNothing = () => {};
    const copyQuery = {
      query_timeout: timeoutMs,
      // The driver replaces it by one that ends the time.
      callback: (thrown?: Error) => (thrown ? reject(thrown) : resolve()),
      submit(connection: Connection) {
        connection.query(statement);
        const copyConnection = connection as Connection & CopyMethods; // see there
        copyConnection.sendCopyFromChunk(rowBytes);
        copyConnection.endCopyFrom();
      },
      handleCopyInResponse: doNothing,
      handleCommandComplete: doNothing,
      handleReadyForQuery: () => copyQuery.callback(),
      handleError: (thrown: Error) => copyQuery.callback(thrown),
    };
    client.query(copyQuery);
  });
}

/** Methods that the types of the driver leave out. */
interface CopyMethods {
  sendCopyFromChunk(rows: Buffer): void;
  endCopyFrom(): void;
}

interface CopySession {
  copy(text: string, rows: Buffer): Promise<void>;
}

/**
 * Sends rows piece by piece, each by a statement such as `copy TABLE from stdin`. A piece is on its way while the caller makes
 * the next one, so that the server never waits. `end` waits for the last.
 */
export function createCopy(session: CopySession, statement: string) {
  let lastSending: Promise<void> = Promise.resolve();
  return {
    async write(rowsText: string): Promise<void> {
      const previousSending = lastSending;
      lastSending = session.copy(statement, Buffer.from(rowsText));
      // If it fails before it is awaited, the error is reported then.
      lastSending.catch(() => {});
      await previousSending;
    },
    end: () => lastSending,
  };
}

/** Sends all rows of a source, in pieces. */
export async function copyRowsToServer(
  session: CopySession,
  statement: string,
  rowTexts: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const copy = createCopy(session, statement);
  for await (const rowsText of rowTexts) {
    await copy.write(rowsText);
  }
  await copy.end();
}
