import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../../core/operations/settings.ts';
import { redactSecrets } from '../../core/secrets.ts';
import type { Exchange } from '../request/exchange.ts';
import { jsonLines, type LogForm, timeText } from './log-forms.ts';

/**
 * The lines that clients without a valid key may cause in a second: with the one of a service that is unavailable, ten
 * (contract, section 6). Warnings have some of their own, since a flood of requests would take all.
 */
const mostLines = { requests: 7, warnings: 2 };
const secondMs = 1000;

type Kind = keyof typeof mostLines;

/** Bounds what anybody can write to the log: some lines a second, and one with the number of those that were left out. */
function createUnkeyedLines(report: (leftOut: Record<Kind, number>) => void) {
  let asked = { requests: 0, warnings: 0 };
  let timer: NodeJS.Timeout | undefined;
  function end(): void {
    clearTimeout(timer);
    timer = undefined;
    const requests = Math.max(0, asked.requests - mostLines.requests);
    const warnings = Math.max(0, asked.warnings - mostLines.warnings);
    asked = { requests: 0, warnings: 0 };
    if (requests + warnings > 0) report({ requests, warnings });
  }
  return {
    end,
    /** Whether a line may be written; otherwise it is counted. */
    mayWrite(kind: Kind): boolean {
      timer ??= setTimeout(end, secondMs).unref();
      return ++asked[kind] <= mostLines[kind];
    },
  };
}

export interface Log extends Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'fatal'> {
  /** Logs an answered request at level `info`; its line is buffered and written with others. */
  request(exchange: Exchange, status: number, ms: number): void;
  /** Logs what a client without a valid key has caused; see {@link createUnkeyedLines}. */
  unkeyed(level: 'warn' | 'debug', fields: object, message: string): void;
  /** Writes the buffered lines, and how many were left out. */
  flush(): void;
}

/** Lines of requests are buffered for this time at most, and up to this size. */
const flushMs = 100;
const flushBytes = 64 * 1024;
/** No line is longer: Node refuses requests whose head is. */
const longestLine = 128 * 1024;

/** Builds the daemon's log: one JSON object a line by default. Everything shaped like a secret is redacted, whatever its origin. */
export function createLog(level: LogLevel, stream: DestinationStream, form: LogForm = jsonLines): Log {
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
      stream.write(form.line(line));
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
  const unkeyed = createUnkeyedLines(({ requests, warnings }) => {
    logger[warnings > 0 ? 'warn' : 'info']({ requests, warnings }, 'more requests without a valid key than are logged');
  });
  let timer: NodeJS.Timeout | undefined;
  const flushLater = (): void => {
    timer = undefined;
    flush();
  };
  return Object.assign(logger, {
    flush(): void {
      unkeyed.end();
      flush();
    },
    unkeyed(level: 'warn' | 'debug', fields: object, message: string): void {
      if (!logger.isLevelEnabled(level)) return;
      if (unkeyed.mayWrite(level === 'warn' ? 'warnings' : 'requests')) logger[level](fields, message);
    },
    request(exchange: Exchange, status: number, ms: number): void {
      if (!isOn) return;
      if (exchange.keyPrefix === undefined && !unkeyed.mayWrite('requests')) return;
      // Writing each line by itself would cost as much as the rest of the answer; writing many at once costs a fifth of that.
      if (timer === undefined) timer = setTimeout(flushLater, flushMs).unref();
      length += waiting.write(form.request(exchange, status, ms), length);
      if (length >= flushBytes) flush();
    },
  });
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
