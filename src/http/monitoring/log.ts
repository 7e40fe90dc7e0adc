import { write, writeSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';
import { type LogLevel, logLevels } from '../../core/operations/settings.ts';
import type { Credential } from '../../core/port/keys.ts';
import { redactSecrets } from '../../core/secrets.ts';
import { printable, textOfAny } from '../../core/text/shown-text.ts';
import type { Exchange } from '../request/exchange.ts';
import { type ErrorFacts, jsonLines, type Level, type LogForm } from './log-forms.ts';

/**
 * The lines that clients without a valid key may cause in a second: ten, including the warning of an unavailable service
 * (promise 6.5). Warnings are counted separately, since a flood of requests would take all lines.
 */
const maxLines = { requests: 7, warnings: 2 };
const secondMs = 1000;

type LineKind = keyof typeof maxLines;

/** Bounds the lines that anybody can cause in the log: some a second, and a line with the number of those that were left out. */
function createUnkeyedLines(report: (leftOut: Record<LineKind, number>) => void) {
  let lineCounts = { requests: 0, warnings: 0 };
  let secondTimer: NodeJS.Timeout | undefined;
  function closeSecond(): void {
    clearTimeout(secondTimer);
    secondTimer = undefined;
    const requests = Math.max(0, lineCounts.requests - maxLines.requests);
    const warnings = Math.max(0, lineCounts.warnings - maxLines.warnings);
    lineCounts = { requests: 0, warnings: 0 };
    if (requests + warnings > 0) report({ requests, warnings });
  }
  return {
    end: closeSecond,
    /** Whether a line may be written; otherwise it is counted. */
    mayWrite(kind: LineKind): boolean {
      secondTimer ??= setTimeout(closeSecond, secondMs).unref();
      return ++lineCounts[kind] <= maxLines[kind];
    },
  };
}

/** Writes a line, unless the level is off; `err` among its facts is any thrown value. */
type Write = (facts: Readonly<Record<string, unknown>>, message: string) => void;

export interface Log extends Record<Level, Write> {
  /** Logs an answered request at level `info`; its line is buffered and written with others. */
  request(exchange: Exchange, status: number, ms: number): void;
  /** Logs an event that a client without a valid key has caused; see {@link createUnkeyedLines}. */
  unkeyed(level: 'warn' | 'debug', ...line: Parameters<Write>): void;
  /** Writes the buffered lines, and how many were left out. */
  flush(): void;
}

/** Lines of requests are buffered for this time at most, and up to this size. */
const flushMs = 100;
const flushBytes = 64 * 1024;
/** No line is longer: Node refuses requests whose head is. */
const maxLineBytes = 128 * 1024;

/** Builds the daemon's log: one JSON object a line by default. Everything shaped like a secret is redacted, whatever its origin. */
export function createLog(
  maxLevel: LogLevel,
  stream: Pick<LogStream, 'write'>,
  form: LogForm = jsonLines,
): Log {
  const lineBuffer = Buffer.allocUnsafeSlow(flushBytes + maxLineBytes);
  let bufferedBytes = 0;

  const flush = (): void => {
    if (bufferedBytes === 0) return;
    const lines = lineBuffer.toString('utf8', 0, bufferedBytes);
    bufferedBytes = 0;
    stream.write(lines);
  };

  const enabledLevels =
    maxLevel === 'silent' ? [] : logLevels.slice(0, logLevels.indexOf(maxLevel) + 1);
  const writerFor =
    (level: Level): Write =>
    ({ err, ...facts }, message) => {
      if (!enabledLevels.includes(level)) return;
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

  let flushTimer: NodeJS.Timeout | undefined;
  const flushLater = (): void => {
    flushTimer = undefined;
    flush();
  };

  const writesRequests = enabledLevels.includes('info');
  const log: Log = {
    fatal: writerFor('fatal'),
    error: writerFor('error'),
    warn: writerFor('warn'),
    info: writerFor('info'),
    debug: writerFor('debug'),
    flush(): void {
      unkeyed.end();
      flush();
    },
    unkeyed(level, ...line): void {
      if (!enabledLevels.includes(level)) return;
      if (unkeyed.mayWrite(level === 'warn' ? 'warnings' : 'requests')) log[level](...line);
    },
    request(exchange, status, ms): void {
      if (!writesRequests) return;
      if (exchange.keyPrefix === undefined && !unkeyed.mayWrite('requests')) return;
      if (flushTimer === undefined) flushTimer = setTimeout(flushLater, flushMs).unref();
      bufferedBytes += lineBuffer.write(form.request(exchange, status, ms), bufferedBytes);
      if (bufferedBytes >= flushBytes) flush();
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
  const causeFacts = cause === undefined ? undefined : errorFacts(cause);
  return { type: name, code, ...texts, cause: causeFacts };
}

// --- the destination of the log

/** A reader that takes nothing, such as a stopped terminal, may cost this much memory; further lines are left out, and counted. */
const maxWaitingBytes = 16 * 1024 * 1024;
/** A pipe whose reader is slow is tried again after this time, and a full disk after the longer one. */
const retryMs = 100;
const fullDiskRetryMs = 1000;
/** The last lines wait for a slow reader for this long. */
const maxCloseMs = 2000;

export interface LogStream {
  write(lines: string): void;
  /** Writes the rest before the process exits, unless nothing reads the log. */
  close?(): void;
}

/**
 * Standard output or error as the destination of a log: it is written without waiting, so that a slow reader delays no request.
 * `onLeftOut` receives the number of dropped pieces, once the reader takes something again. A daemon serves on without a log
 * (promise 6.5): once the reader of the log is gone, all further lines are dropped.
 */
export function createLogStream(fd: number, onLeftOut: (pieces: number) => void): LogStream {
  let waitingChunks: Buffer[] = [];
  let waitingBytes = 0;
  let leftOutPieces = 0;
  /** The text being written or, unless `isSending`, will be tried again. */
  let writeBuffer: Buffer = Buffer.alloc(0);
  let isSending = false;
  let isGone = false;

  function takeWaiting(): Buffer {
    const chunk = Buffer.concat(waitingChunks);
    waitingChunks = [];
    waitingBytes = 0;
    return chunk;
  }

  function writeNext(): void {
    writeBuffer = takeWaiting();
    if (writeBuffer.length > 0) send();
  }

  function send(): void {
    isSending = true;
    write(fd, writeBuffer, (thrown, written) => {
      isSending = false;
      const delayMs = thrown ? retryAfterMs(thrown) : 0;
      if (delayMs === undefined) {
        isGone = true;
        takeWaiting();
        writeBuffer = Buffer.alloc(0);
        return;
      }
      writeBuffer = writeBuffer.subarray(written);
      if (writeBuffer.length > 0) {
        setTimeout(send, delayMs);
        return;
      }
      const leftOutBefore = leftOutPieces;
      leftOutPieces = 0;
      writeNext();
      if (leftOutBefore > 0) onLeftOut(leftOutBefore);
    });
  }

  return {
    write(lines) {
      if (isGone) return;
      if (waitingBytes > maxWaitingBytes) {
        leftOutPieces++;
        return;
      }
      const chunk = Buffer.from(lines);
      waitingChunks.push(chunk);
      waitingBytes += chunk.length;
      if (writeBuffer.length === 0) writeNext();
    },
    close() {
      const deadlineMs = performance.now() + maxCloseMs;
      let unwritten = isSending ? takeWaiting() : Buffer.concat([writeBuffer, takeWaiting()]);
      while (unwritten.length > 0 && !isGone) {
        try {
          unwritten = unwritten.subarray(writeSync(fd, unwritten));
        } catch (thrown) {
          isGone = retryAfterMs(thrown) !== retryMs || performance.now() > deadlineMs;
          if (!isGone) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
        }
      }
    },
  };
}

/** When to try a failed write again; undefined if the reader will not come back. */
function retryAfterMs(thrown: unknown): number | undefined {
  const code = errnoOf(thrown);
  if (code === 'EAGAIN') return retryMs;
  return code === 'ENOSPC' || code === 'EDQUOT' ? fullDiskRetryMs : undefined;
}

/**
 * Builds the function that writes a line at the first call of each key since the daemon started. The person who connects a
 * gateway watches for it. `writeLine` must not wait, since a terminal may be stopped.
 */
export function createFirstCalls(writeLine: (line: string) => void) {
  const calledKeys = new Set<string>();
  return (
    { keyId, prefix, name }: Pick<Credential, 'keyId' | 'prefix' | 'name'>,
    address: string,
  ): void => {
    if (calledKeys.has(keyId)) return;
    calledKeys.add(keyId);
    writeLine(`First call of ${printable(redactSecrets(name))} (${prefix}) from ${address}\n`);
  };
}
