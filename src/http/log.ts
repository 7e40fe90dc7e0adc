import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { redactSecrets } from '../core/secrets.ts';
import type { LogLevel } from '../core/settings.ts';

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'debug' | 'isLevelEnabled'>;

/** Builds the daemon's log: one JSON object a line. Nothing shaped like a secret gets into it, whoever wrote it. */
export function createLog(level: LogLevel, stream: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      serializers: { err: errorFacts },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
    },
    stream,
  );
}

/** Standard output, written in pieces: a write for each request would cost more than the request. */
export function createLogStream(): { stream: DestinationStream; close(): void } {
  const stream = destination({ fd: 1, sync: false, minLength: 8 * 1024 });
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
