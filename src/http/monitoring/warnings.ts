import { dropOldest } from '../../core/memoize.ts';
import type { Log } from './log.ts';

const minuteMs = 60_000;
const secondMs = 1000;

interface Warner {
  warn(fields: object, message: string): void;
}

/** Names of which the last warning is remembered. */
const mostNames = 10_000;

type Counts = Readonly<Record<string, number>>;

/**
 * Builds a function that lets the first event of a name through, and others once a time is over since the last one: it then returns
 * all that were held back and this one, added up, else undefined. `clock` returns monotonic milliseconds.
 */
export function createSparingCounts(gapMs: number, clock: () => number) {
  const last = new Map<string, { endsMs: number; heldBack?: Counts }>();
  return (name: string, event: Counts): Counts | undefined => {
    const nowMs = clock();
    const before = last.get(name);
    const all = { ...before?.heldBack };
    for (const [code, count] of Object.entries(event)) all[code] = (all[code] ?? 0) + count;
    if (before && nowMs < before.endsMs) {
      before.heldBack = all;
      return undefined;
    }
    last.delete(name);
    last.set(name, { endsMs: nowMs + gapMs });
    dropOldest(last, mostNames);
    return all;
  };
}

/** Writes a warning once in a time, with the number (`more`) of those of the same message that were held back since. */
function createSparingWarner(log: Warner, gapMs: number, clock: () => number): Warner['warn'] {
  const spare = createSparingCounts(gapMs, clock);
  return (fields, message) => {
    const times = spare(message, { times: 1 })?.times;
    if (times !== undefined)
      log.warn({ ...fields, ...(times > 1 && { more: times - 1 }) }, message);
  };
}

/** Logs requests for which the service was unavailable, once a second: while a disk or a database is away, every request fails. */
export function createUnavailableWarning(log: Warner, clock: () => number) {
  const warn = createSparingWarner(log, secondMs, clock);
  return (id: string, thrown: unknown): void => warn({ id, err: thrown }, 'unavailable');
}

/** The same log for work that is tried again every second or so: it warns once a minute that it failed. */
export function createRetryLog(log: Log, clock: () => number): Log {
  const retryLog: Log = Object.create(log, {
    warn: { value: createSparingWarner(log, minuteMs, clock) },
  });
  return retryLog;
}

/** Receives what of a body was rejected: the key, the number by code, and the sensor that the last one names. */
export type WarnRejected = (
  kind: 'readings' | 'heartbeats',
  key: string,
  codes: Counts,
  sensor: string | null,
) => void;

/** Builds a function that warns of rejected readings and heartbeats of a key: at once, and then once a minute with all since then. */
export function createRejectionWarning(log: Warner, clock: () => number): WarnRejected {
  const spare = createSparingCounts(minuteMs, clock);
  return (kind, key, codes, sensor) => {
    const rejected = spare(`${kind} ${key}`, codes);
    if (rejected)
      log.warn({ key, rejected, ...(sensor !== null && { sensor }) }, `${kind} rejected`);
  };
}
