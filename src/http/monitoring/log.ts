import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { redactSecrets } from '../../core/keys/secrets.ts';
import type { LogLevel } from '../../core/operations/settings.ts';
import { cutText } from '../../core/text/bounded-text.ts';
import { createInstantText } from '../../core/time/instants.ts';
import type { Exchange } from '../request/exchange.ts';

/** The daemon's log. */
export interface Log extends Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'fatal'> {
  /** Logs an answered request at level `info`; its line is buffered and written with others. */
  request(exchange: Exchange, status: number, ms: number): void;
  /** Writes the buffered lines. */
  flush(): void;
}

/** Lines of requests are buffered for this time at most, and up to this size. */
const flushMs = 100;
const flushBytes = 64 * 1024;
/** No line is longer: Node refuses requests whose head is. */
const longestLine = 128 * 1024;

/** Builds the daemon's log: one JSON object a line. Everything shaped like a secret is redacted, whatever its origin. */
export function createLog(level: LogLevel, stream: DestinationStream): Log {
  // Bytes and no string: every garbage collection would move a string of thousands of pieces until it is written.
  const waiting = Buffer.allocUnsafeSlow(flushBytes + longestLine);
  let length = 0;
  const flush = (): void => {
    if (length === 0) return;
    const lines = waiting.toString('utf8', 0, length);
    length = 0;
    stream.write(lines);
  };
  const inOrder: DestinationStream = {
    write(line) {
      flush();
      stream.write(line);
    },
  };
  const logger = pino(
    {
      level,
      base: null,
      serializers: { err: errorFacts },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${timeText(Date.now())}"`,
    },
    inOrder,
  );
  const isOn = logger.isLevelEnabled('info');
  let willFlush = false;
  // Writing each line by itself would cost as much as the rest of the answer; writing many at once costs a fifth of that.
  const flushSoon = (): void => {
    willFlush = true;
    setTimeout(() => {
      willFlush = false;
      flush();
    }, flushMs).unref();
  };
  return Object.assign(logger, {
    flush,
    request(exchange: Exchange, status: number, ms: number): void {
      if (!isOn) return;
      if (!willFlush) flushSoon();
      length += waiting.write(requestLine(exchange, status, ms), length);
      if (length >= flushBytes) flush();
    },
  });
}

function requestLine({ id, method, path, query, keyPrefix, code, peer }: Exchange, status: number, ms: number): string {
  const url = quoted(query === '' ? path : `${path}?${query}`);
  const key = keyPrefix === undefined ? '' : `,"key":"${keyPrefix}"`;
  const why = code === undefined ? '' : `,"code":"${code}"`;
  const from = peer === undefined ? '' : `,"peer":"${peer}"`;
  const what = `"id":"${id}","method":"${method}","url":${url},"status":${status},"ms":${millis(ms)}`;
  return `{"level":"info","time":"${timeText(Date.now())}",${what}${why}${key}${from},"msg":"request"}\n`;
}

const timeText = createInstantText();

/** Formats a time with three decimals from whole numbers, which is quicker than `toFixed`. */
function millis(ms: number): string {
  const us = Math.round(ms * 1000);
  const rest = us % 1000;
  return `${(us - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}

/** A longer URL helps an operator no further, and costs time and disk space. */
const longestUrl = 2048;

/** Characters that JSON does not escape. */
const plain = /^[\w/?&=.,:%~*+-]*$/;

function quoted(url: string): string {
  // Redacted before it is cut, since half of a secret would not be recognised; twice the length is enough to see a whole one.
  const shown =
    url.length > longestUrl ? cutText(redactSecrets(url.slice(0, 2 * longestUrl)), longestUrl) : redactSecrets(url);
  return plain.test(shown) ? `"${shown}"` : JSON.stringify(shown);
}

/** Opens standard output or error for writing without waiting; `close` writes the rest synchronously. */
export function createLogStream(fd: 1 | 2): { stream: DestinationStream; close(): void } {
  const stream = destination({ fd, sync: false });
  return {
    stream,
    close: () => stream.flushSync(),
  };
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
function errorFacts(thrown: unknown): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { message: redactSecrets(String(thrown)) };
  const { name, message, stack, cause } = thrown;
  const code = 'code' in thrown ? String(thrown.code) : undefined;
  return {
    type: name,
    code,
    message: redactSecrets(message),
    stack: stack === undefined ? undefined : redactSecrets(stack),
    cause: cause === undefined ? undefined : errorFacts(cause),
  };
}
