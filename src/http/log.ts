import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { redactSecrets } from '../core/secrets.ts';
import type { LogLevel } from '../core/settings.ts';
import type { Exchange } from './exchange.ts';

/** The daemon's log. */
export interface Log extends Pick<Logger, 'info' | 'warn' | 'error' | 'debug'> {
  /** The line of an answered request, at level `info`. */
  request(exchange: Exchange, status: number, ms: number): void;
}

/** Builds the daemon's log: one JSON object a line. Nothing shaped like a secret gets into it, whoever wrote it. */
export function createLog(level: LogLevel, stream: DestinationStream): Log {
  const logger = pino(
    {
      level,
      base: null,
      serializers: { err: errorFacts },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${now()}"`,
    },
    stream,
  );
  const isOn = logger.isLevelEnabled('info');
  return Object.assign(logger, {
    request(exchange: Exchange, status: number, ms: number): void {
      if (isOn) stream.write(requestLine(exchange, status, ms));
    },
  });
}

/** Put together by hand: there is one for each request, and the logger's way costs as much as the rest of the answer. */
function requestLine({ id, method, path, query, keyPrefix, peer }: Exchange, status: number, ms: number): string {
  const url = JSON.stringify(redactSecrets(query === '' ? path : `${path}?${query}`));
  const key = keyPrefix === undefined ? '' : `,"key":"${keyPrefix}"`;
  const from = peer === undefined ? '' : `,"peer":"${peer}"`;
  const what = `"id":"${id}","method":"${method}","url":${url},"status":${status},"ms":${ms.toFixed(3)}`;
  return `{"level":"info","time":"${now()}",${what}${key}${from},"msg":"request"}\n`;
}

function now(): string {
  return new Date().toISOString();
}

/** Standard output, written in pieces: a write for each request would cost more than the request. */
export function createLogStream(): { stream: DestinationStream; close(): void } {
  const stream = destination({ fd: 1, sync: false, minLength: 32 * 1024, maxWrite: 64 * 1024 });
  const timer = setInterval(() => stream.flush(), 200);
  timer.unref();
  return {
    stream,
    close() {
      clearInterval(timer);
      stream.flushSync();
    },
  };
}

/** What is logged of a thrown thing: messages of others may hold anything, so that they are redacted. */
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
