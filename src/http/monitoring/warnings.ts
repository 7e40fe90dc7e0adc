import { dropOldest } from '../../core/memoize.ts';
import type { Log } from './log.ts';

const minuteMs = 60_000;
const secondMs = 1000;

interface Warner {
  warn(fields: object, message: string): void;
}

/** The number of names whose last warning is remembered. */
const maxNames = 10_000;

type Counts = Readonly<Record<string, number>>;

/**
 * Builds a function that lets the first event of a name through, and later ones once `gapMs` is over. It returns the sum of
 * this event and all that were held back, else undefined. `clock` returns monotonic milliseconds.
 */
export function createSparingCounts(gapMs: number, clock: () => number) {
  const lastWarnings = new Map<string, { endsMs: number; heldBack?: Counts }>();
  return (name: string, event: Counts): Counts | undefined => {
    const nowMs = clock();
    const lastWarning = lastWarnings.get(name);

    const totals = { ...lastWarning?.heldBack };
    for (const [code, count] of Object.entries(event)) {
      totals[code] = (totals[code] ?? 0) + count;
    }

    if (lastWarning && nowMs < lastWarning.endsMs) {
      lastWarning.heldBack = totals;
      return undefined;
    }
    lastWarnings.delete(name);
    lastWarnings.set(name, { endsMs: nowMs + gapMs });
    dropOldest(lastWarnings, maxNames);
    return totals;
  };
}

/** Writes a warning once in `gapMs`, with the number (`more`) of warnings of the same message that were held back since. */
function createSparingWarner(log: Warner, gapMs: number, clock: () => number): Warner['warn'] {
  const sparingCounts = createSparingCounts(gapMs, clock);
  return (fields, message) => {
    const times = sparingCounts(message, { times: 1 })?.times;
    if (times === undefined) return;

    const heldBack = times > 1 && { more: times - 1 };
    log.warn({ ...fields, ...heldBack }, message);
  };
}

/** Logs requests for which the service was unavailable, once a second: while a disk or a database is away, every request fails. */
export function createUnavailableWarning(log: Warner, clock: () => number) {
  const warn = createSparingWarner(log, secondMs, clock);
  return (id: string, thrown: unknown): void => warn({ id, err: thrown }, 'unavailable');
}

/** The same log for work that is tried again every second or so: it warns once a minute that it failed. */
export function createRetryLog(log: Log, clock: () => number): Log {
  return { ...log, warn: createSparingWarner(log, minuteMs, clock) };
}

/** Receives the rejections of a body: the key, their number by code, and the sensor that the last one names. */
export type WarnRejected = (
  kind: 'readings' | 'heartbeats',
  key: string,
  codes: Counts,
  sensor: string | null,
) => void;

/** Builds a function that warns of rejected readings and heartbeats of a key: at once, and then once a minute with all since then. */
export function createRejectionWarning(log: Warner, clock: () => number): WarnRejected {
  const sparingCounts = createSparingCounts(minuteMs, clock);
  return (kind, key, codes, sensor) => {
    const rejected = sparingCounts(`${kind} ${key}`, codes);
    if (rejected)
      log.warn({ key, rejected, ...(sensor !== null && { sensor }) }, `${kind} rejected`);
  };
}
