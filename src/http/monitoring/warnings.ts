import { keepNewest } from '../../core/newest-entries.ts';
import type { Log } from './log.ts';

const minuteMs = 60_000;
const secondMs = 1000;

interface Warner {
  warn(fields: object, message: string): void;
}

/**
 * Builds a function that logs requests for which the service was unavailable: one line a second with the cause, and the number
 * of those left out since. While a disk or a database is away, every request fails. `clock` returns monotonic milliseconds.
 */
export function createUnavailableWarning(log: Warner, clock: () => number) {
  let endsMs = Number.NEGATIVE_INFINITY;
  let more = 0;
  return (id: string, thrown: unknown): void => {
    const nowMs = clock();
    if (nowMs < endsMs) {
      more++;
      return;
    }
    endsMs = nowMs + secondMs;
    log.warn({ id, err: thrown, ...(more > 0 && { more }) }, 'unavailable');
    more = 0;
  };
}

/**
 * The same log for work that is tried again every second or so: the warning that it failed is logged at once, and then once a
 * minute with the number of those left out. `clock` returns monotonic milliseconds.
 */
export function createRetryLog(log: Log, clock: () => number): Log {
  const last = new Map<string, { endsMs: number; more: number }>();
  const warn = (fields: object, message: string): void => {
    const nowMs = clock();
    const before = last.get(message);
    if (before && nowMs < before.endsMs) {
      before.more++;
      return;
    }
    last.set(message, { endsMs: nowMs + minuteMs, more: 0 });
    const more = before?.more ?? 0;
    log.warn({ ...fields, ...(more > 0 && { more }) }, message);
  };
  const retryLog: Log = Object.create(log, { warn: { value: warn } });
  return retryLog;
}

/** Keys of which the last warning is remembered. */
const mostKeys = 10_000;

/** Receives what of a body was rejected: the key, the number by code, and the sensor that the last one names. */
export type WarnRejected = (
  kind: 'readings' | 'heartbeats',
  key: string,
  codes: Readonly<Record<string, number>>,
  sensor: string | null,
) => void;

/**
 * Builds a function that warns of rejected readings and heartbeats of a key: at once, and then once a minute with all since then.
 * `clock` returns monotonic milliseconds.
 */
export function createRejectionWarning(log: Warner, clock: () => number): WarnRejected {
  const last = new Map<string, { endsMs: number; since: Record<string, number> }>();
  return (kind, key, codes, sensor) => {
    const nowMs = clock();
    const name = `${kind} ${key}`;
    const before = last.get(name);
    const rejected = { ...before?.since };
    for (const [code, count] of Object.entries(codes)) rejected[code] = (rejected[code] ?? 0) + count;
    if (before && nowMs < before.endsMs) {
      before.since = rejected;
      return;
    }
    last.delete(name);
    last.set(name, { endsMs: nowMs + minuteMs, since: {} });
    keepNewest(last, mostKeys);
    log.warn({ key, rejected, ...(sensor !== null && { sensor }) }, `${kind} rejected`);
  };
}
