import { write, writeSync } from 'node:fs';
import { errnoOf } from '../../core/errno.ts';
import { type LogLevel, logLevels } from '../../core/operations/settings.ts';
import { redactSecrets } from '../../core/secrets.ts';
import { textOfAny } from '../../core/text/shown-text.ts';
import type { Exchange } from '../request/exchange.ts';
import { type ErrorFacts, jsonLines, type Level, type LogForm } from './log-forms.ts';

/**
 * The lines that clients without a valid key may cause in a second: with the one of a service that is unavailable, ten
 * (promise 6.5). Warnings have some of their own, since a flood of requests would take all.
 */
const mostLines = { requests: 7, warnings: 2 };
const secondMs = 1000;

type Kind = keyof typeof mostLines;

/** Bounds what anybody can write to the log: some lines a second, and one with the number of those that were left out. */
function createUnkeyedLines(report: (leftOut: Record<Kind, number>) => void) {
  let asked = { requests: 0, warnings: 0 };
  let timer: NodeJS.Timeout | undefined;
  function closeSecond(): void {
    clearTimeout(timer);
    timer = undefined;
    const requests = Math.max(0, asked.requests - mostLines.requests);
    const warnings = Math.max(0, asked.warnings - mostLines.warnings);
    asked = { requests: 0, warnings: 0 };
    if (requests + warnings > 0) report({ requests, warnings });
  }
  return {
    end: closeSecond,
    /** Whether a line may be written; otherwise it is counted. */
    mayWrite(kind: Kind): boolean {
      timer ??= setTimeout(closeSecond, secondMs).unref();
      return ++asked[kind] <= mostLines[kind];
    },
  };
}

/** Writes a line, unless the level is off; `err` among its facts is an error, whatever was thrown. */
type Write = (facts: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log extends Record<Level, Write> {
  /** Logs an answered request at level `info`; its line is buffered and written with others. */
  request(exchange: Exchange, status: number, ms: number): void;
  /** Logs what a client without a valid key has caused; see {@link createUnkeyedLines}. */
  unkeyed(level: 'warn' | 'debug', ...line: Parameters<Write>): void;
  /** Writes the buffered lines, and how many were left out. */
  flush(): void;
}

/** Lines of requests are buffered for this time at most, and up to this size. */
const flushMs = 100;
const flushBytes = 64 * 1024;
/** No line is longer: Node refuses requests whose head is. */
const longestLine = 128 * 1024;

/** Builds the daemon's log: one JSON object a line by default. Everything shaped like a secret is redacted, whatever its origin. */
export function createLog(
  maxLevel: LogLevel,
  stream: Pick<LogStream, 'write'>,
  form: LogForm = jsonLines,
): Log {
  // Bytes and no string: every garbage collection would move a string of thousands of pieces until it is written.
  const waiting = Buffer.allocUnsafeSlow(flushBytes + longestLine);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    const lines = waiting.toString('utf8', 0, length);
    length = 0;
    stream.write(lines);
  };
  const levels = maxLevel === 'silent' ? [] : logLevels.slice(0, logLevels.indexOf(maxLevel) + 1);
  const writer =
    (level: Level): Write =>
    ({ err, ...facts }, message) => {
      if (!levels.includes(level)) return;
      flush();
      stream.write(
        form.line(level, message, facts, err === undefined ? undefined : errorFacts(err)),
      );
    };
  const unkeyed = createUnkeyedLines((leftOut) =>
    log[leftOut.warnings > 0 ? 'warn' : 'info'](
      leftOut,
      'more requests without a valid key than are logged',
    ),
  );
  let timer: NodeJS.Timeout | undefined;
  const flushLater = (): void => {
    timer = undefined;
    flush();
  };
  const writesRequests = levels.includes('info');
  const log: Log = {
    fatal: writer('fatal'),
    error: writer('error'),
    warn: writer('warn'),
    info: writer('info'),
    debug: writer('debug'),
    flush(): void {
      unkeyed.end();
      flush();
    },
    unkeyed(level, ...line): void {
      if (!levels.includes(level)) return;
      if (unkeyed.mayWrite(level === 'warn' ? 'warnings' : 'requests')) log[level](...line);
    },
    request(exchange, status, ms): void {
      if (!writesRequests) return;
      if (exchange.keyPrefix === undefined && !unkeyed.mayWrite('requests')) return;
      // Writing each line by itself would cost as much as the rest of the answer; writing many at once costs a fifth of that.
      if (timer === undefined) timer = setTimeout(flushLater, flushMs).unref();
      length += waiting.write(form.request(exchange, status, ms), length);
      if (length >= flushBytes) flush();
    },
  };
  return log;
}

/**
 * Logs an uncaught error that ends the process, and writes the buffered lines when the process exits for any reason. Returns
 * a function that removes both listeners.
 */
export function logProcessEnd(log: Log, close: () => void): () => void {
  const onCrash = (thrown: unknown): void => log.fatal({ err: thrown }, 'crashed');
  const onExit = (): void => {
    log.flush();
    close();
  };
  process.on('uncaughtExceptionMonitor', onCrash);
  process.on('exit', onExit);
  return () => {
    process.off('uncaughtExceptionMonitor', onCrash);
    process.off('exit', onExit);
  };
}

/** The logged properties of an error: a message of other code may contain anything, so that it is redacted. */
function errorFacts(thrown: unknown): ErrorFacts {
  if (!(thrown instanceof Error)) return { message: redactSecrets(textOfAny(thrown)) };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown ? textOfAny(thrown.code) : undefined;
  const texts = { message: redactSecrets(message), stack: redactSecrets(stack ?? '') };
  return { type: name, code, ...texts, cause: cause === undefined ? undefined : errorFacts(cause) };
}

// --- the destination of the log

/** A reader that takes nothing, such as a stopped terminal, may cost this much memory; what is beyond it is left out, and counted. */
const mostWaiting = 16 * 1024 * 1024;
/** A pipe whose reader is slow is tried again after this time, and a full disk after the longer one. */
const againMs = 100;
const fullDiskAgainMs = 1000;
/** The last lines wait for a slow reader for this long. */
const mostLastMs = 2000;

export interface LogStream {
  write(lines: string): void;
  /** Writes the rest before the process exits, unless nothing reads the log. */
  close?(): void;
}

/**
 * Standard output or error as the destination of a log: it is written without waiting, so that a slow reader delays no request.
 * `onLeftOut` receives the number of dropped pieces, once the reader takes something again. A daemon serves on without a log
 * (promise 6.5): once the reader is gone, as that of a pipe or a closed terminal, all further lines are dropped.
 */
export function createLogStream(fd: number, onLeftOut: (pieces: number) => void): LogStream {
  let waiting: Buffer[] = [];
  let bytesWaiting = 0;
  let leftOut = 0;
  /** The text being written or, unless `isSending`, will be tried again. */
  let writing: Buffer = Buffer.alloc(0);
  let isSending = false;
  let isGone = false;

  function take(): Buffer {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    bytesWaiting = 0;
    return bytes;
  }

  function writeNext(): void {
    writing = take();
    if (writing.length > 0) send();
  }

  function send(): void {
    isSending = true;
    write(fd, writing, (thrown, written) => {
      isSending = false;
      const retryMs = thrown ? retryAfterMs(thrown) : 0;
      if (retryMs === undefined) {
        isGone = true;
        take();
        writing = Buffer.alloc(0);
        return;
      }
      writing = writing.subarray(written);
      if (writing.length > 0) {
        setTimeout(send, retryMs);
        return;
      }
      const pieces = leftOut;
      leftOut = 0;
      writeNext();
      if (pieces > 0) onLeftOut(pieces);
    });
  }

  return {
    write(lines) {
      if (isGone) return;
      if (bytesWaiting > mostWaiting) {
        leftOut++;
        return;
      }
      const bytes = Buffer.from(lines);
      waiting.push(bytes);
      bytesWaiting += bytes.length;
      if (writing.length === 0) writeNext();
    },
    close() {
      const untilMs = performance.now() + mostLastMs;
      let unwritten = isSending ? take() : Buffer.concat([writing, take()]);
      while (unwritten.length > 0 && !isGone) {
        try {
          unwritten = unwritten.subarray(writeSync(fd, unwritten));
        } catch (thrown) {
          isGone = retryAfterMs(thrown) !== againMs || performance.now() > untilMs;
          if (!isGone) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        }
      }
    },
  };
}

/** When to try a failed write again; undefined if the reader will not come back. */
function retryAfterMs(thrown: unknown): number | undefined {
  const code = errnoOf(thrown);
  if (code === 'EAGAIN') return againMs;
  return code === 'ENOSPC' || code === 'EDQUOT' ? fullDiskAgainMs : undefined;
}
