import type { Answer } from '../answers/answer.ts';
import { Budget } from '../fairness/budget.ts';
import { type Exchange, whenOver } from './exchange.ts';

const MiB = 1024 * 1024;

/** Memory that slow clients and clients that request large pages may hold at once; a request beyond it gets 503. */
export const memoryLimits = {
  /** Large answers, from the first byte written until the client has received all of them. */
  answerBytes: 256 * MiB,
  /** Bodies, as received and decompressed, until they are answered. */
  bodyBytes: 128 * MiB,
  waitMs: 2_000,
  /** The same for readings that wait behind others of their key: `idleMs` would close their connections without an answer. */
  readMs: 25_000,
} as const;

export type MemoryLimits = { [name in keyof typeof memoryLimits]: number };

/** The two budgets of a daemon, for the answers and the bodies of its requests. */
export function createMemory({ answerBytes, bodyBytes, waitMs, readMs }: MemoryLimits) {
  const answers = new Budget(answerBytes, waitMs);
  return {
    answers,
    bodies: new Budget(bodyBytes, waitMs),
    readMs,
    /**
     * Releases the body of an exchange whose answer is known, and keeps a large answer reserved until it is sent. Throws
     * `too_many_requests` if the answer was not reserved before and its key's share is used up by answers not yet received.
     */
    reserveAnswer(exchange: Exchange, { body }: Answer): void {
      exchange.bodyReservation?.release();
      const answerBytes = body === null || exchange.method === 'HEAD' ? 0 : body.length;
      if (answerBytes < countedBytes) {
        exchange.answerReservation?.release();
        return;
      }
      const reservation =
        exchange.answerReservation ?? answers.holdShare(answerBytes, exchange.keyPrefix);
      exchange.answerReservation = reservation;
      reservation.resize(answerBytes);
      whenOver(exchange.node, () => reservation.release());
    },
  };
}

export type Memory = ReturnType<typeof createMemory>;

/** Smaller answers are not counted: Node and the system hold as much for any connection. */
const countedBytes = 64 * 1024;
