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
