import { isSilence } from '../errors/errors.ts';
import type { Session } from './session.ts';

/** A million records are written by one statement, and the readings of a plant removed by one. */
const longestMs = 3_600_000;

/** How long work finds out whether the server still answers. */
interface Probing {
  everyMs: number;
  /** Asks the server for an answer on another connection; rejects if none comes. */
  probe(): Promise<unknown>;
}

/**
 * Runs work whose statements may take up to an hour, also a COPY, which takes as long as its rows. A server that hangs
 * is noticed by another connection, on which it must answer meanwhile: then the session ends with `store_unreachable`.
 */
export async function runLong<T>(session: Session, { everyMs, probe }: Probing, work: () => Promise<T>): Promise<T> {
  const usualMs = session.allowSilence(longestMs);
  let isProbing = false;
  const timer = setInterval(() => {
    if (isProbing) return;
    isProbing = true;
    // Twice, since the other connection may have been lost by itself; the second time it is a new one.
    probe()
      .catch(probe)
      .catch((thrown: unknown) => {
        // A server that refuses one more connection does answer.
        if (isSilence(thrown)) session.destroy('it does not answer', thrown);
      })
      .finally(() => {
        isProbing = false;
      });
  }, everyMs);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    session.allowSilence(usualMs);
  }
}
