import { createReadings } from '../../../../core/readings/series-readings.ts';
import type { Chunks } from '../../../sqlite-file/chunks/chunks.ts';
import type { StoredReadings } from '../stored.ts';
import type { BufferMemory } from '../write-buffer/write-buffer.ts';

/** Readings in the write buffer, 25 bytes of memory each: beyond so many each commit compacts some. */
const compactFrom = 500_000;
/** Readings that a commit then compacts for each one that it adds: more than one, so that the write buffer does not grow any more. */
const compactedForAdded = 1.5;
/** Readings that are compacted at once, of a series and of all of them while nothing else is written: some milliseconds. */
const atOnce = { ofSeries: 16_384, ofAll: 8192 } as const;
/** Compacted readings that are summed up at once while nothing else is written: some milliseconds. */
const summedUpAtOnce = 200_000;

export function compactAfter(stored: StoredReadings, added: number): void {
  if (stored.buffer.memory.count <= compactFrom) return;
  const compacted = added * compactedForAdded;
  compactSeries(stored, compacted, { isUrgent: true });
  stored.chunks.keepUpDays(compacted);
  stored.buffer.trim();
}

/** Compacts some of the write buffer while ingest is idle, or sums up compacted days; returns whether there is more. */
export function compactWhileIdle(
  stored: StoredReadings,
  { ofSeries, ofAll }: Readonly<Record<keyof typeof atOnce, number>> = atOnce,
): boolean {
  return stored.writing(() => {
    compactSeries(stored, ofAll, { ofSeries });
    stored.buffer.trim();
    return stored.buffer.memory.first !== undefined || stored.chunks.sumUpDays(summedUpAtOnce);
  });
}

const reused = createReadings(atOnce.ofSeries);

interface Compactable {
  buffer: { memory: BufferMemory };
  chunks: Chunks;
}

/** Moves about a number of readings from the write buffer into chunks, series by series: those that wait longest first. */
export function compactSeries(
  { buffer, chunks }: Compactable,
  readings: number,
  { ofSeries = atOnce.ofSeries as number, isUrgent = false } = {},
): void {
  const { memory } = buffer;
  for (let remaining = readings; remaining > 0; ) {
    const [series, buffered] = memory.first ?? [];
    if (series === undefined || !buffered) return;
    const compacted = buffered.range(
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      ofSeries,
      reused,
    );
    if (compacted.count > 0) {
      chunks.add(series, compacted, { lastUs: buffered.compactedUs, isUrgent });
    }
    buffered.compactedUs = undefined;
    memory.removeRange(
      series,
      Number.NEGATIVE_INFINITY,
      (compacted.atUs[compacted.count - 1] ?? 0) + 1,
    );
    remaining -= compacted.count + 1;
  }
}

/** No row leaves the write buffer sooner while ingest is idle: `sensors tail` looks ten times meanwhile. */
export const shortestPauseMs = 5000;
/** The write buffer is compacted after a pause of at most this time. */
const longestPauseMs = 600_000;
/** A pause this many times as long as the usual one counts as idle. */
const idleFactor = 3;
/** The weight of the usual pause at the next commit. */
const decay = 0.99;
/** How long to wait after a failure, such as a full disk, and for another process that writes. */
const retryMs = 10_000;

/**
 * Compacts the write buffer in small steps while ingest is idle. Sensors that send once a minute are no reason to begin: each time, many
 * chunks would be rewritten for one reading each.
 */
export class IdleCompactor {
  readonly #compact: () => boolean | undefined;
  #usualPauseMs = 0;
  #writtenAtMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** `compact` does one step and returns whether there is more; it returns undefined if it must wait. */
  constructor(compact: () => boolean | undefined) {
    this.#compact = compact;
  }

  /** Must be called when the thread has started and after each commit; begins to wait. */
  written(): void {
    const nowMs = performance.now();
    this.#usualPauseMs = Math.max(nowMs - this.#writtenAtMs, decay * this.#usualPauseMs);
    this.#writtenAtMs = nowMs;
    if (!this.#timer) this.#wait(this.#pauseMs());
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #pauseMs(): number {
    return Math.min(Math.max(idleFactor * this.#usualPauseMs, shortestPauseMs), longestPauseMs);
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const remainingMs = this.#writtenAtMs + this.#pauseMs() - performance.now();
      if (remainingMs > 0) {
        this.#wait(remainingMs);
        return;
      }

      const hasMore = this.#compact();
      if (hasMore !== false) this.#wait(hasMore ? 0 : retryMs);
    }, delayMs);
  }
}
