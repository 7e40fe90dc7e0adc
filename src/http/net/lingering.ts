import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BodyPace } from '../fairness/body-pace.ts';
import { connectionOf } from './connections/table.ts';

/**
 * Sends the body of an answer whose head says how long it is. The answer ends with its request, whose body still comes and is
 * dropped. Many clients read nothing while they write: closing the connection earlier would cost them the answer, since unread
 * bytes reset it (RFC 9112, section 9.6). See `lingerMs` and `lingerIdleMs`.
 */
export function endWithBody(
  pace: Pick<BodyPace, 'discard'>,
  req: IncomingMessage,
  res: ServerResponse,
  body: Buffer | string,
  encoding: BufferEncoding,
): void {
  pace.discard(req);
  if (body.length === 0) res.flushHeaders();
  else res.write(body, encoding);

  const connection = connectionOf(req.socket);
  if (connection) {
    const nowMs = performance.now();
    connection.lingering = { since: nowMs, readAt: nowMs, bytesRead: connection.socket.bytesRead };
  }
  req.once('end', () => {
    if (connection) connection.lingering = undefined;
    res.end();
  });
}

/** The time that a client has to read its last answer. */
export const lastAnswerMs = 1000;

/** Closes a connection a moment later, since closing it while more bytes come would take the answer away from the client. */
export function closeSoon(socket: Duplex, lastBytes = ''): void {
  socket.end(lastBytes);
  const closeTimer = setTimeout(() => socket.destroy(), lastAnswerMs).unref();
  socket.once('close', () => clearTimeout(closeTimer));
}
