import { setTimeout } from 'node:timers/promises';
import { type BenchRow, paired } from '../harness.ts';

const sizes = [10, 100, 1000] as const;
const rounds = 3;
const readsPerSecond = 20;
/** Readings of one read. */
const page = 1000;
const longestReadMs = 10_000;

/** Ingest of some readings a POST from an instant on (epoch seconds), for some seconds. */
export type MeasureIngest = (size: number, start: number) => Promise<{ perSecond: number }>;

/**
 * Ingest while others read 20 pages of 1000 readings a second that are being written, against ingest alone. The reader is this
 * process, on the same cores.
 */
export async function nextToReads(
  measure: MeasureIngest,
  sensorsUrl: string,
  secret: string,
  sensors: number,
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const waitsMs: number[] = [];
  /** Another stretch of time for every run, as in the runs before. */
  let start = Date.UTC(2011, 0, 1) / 1000;
  const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' };
  const read = async (n: number) => {
    const before = performance.now();
    const url = `${sensorsUrl}/S-${n % sensors}/readings?from=${new Date(start * 1000).toISOString()}&limit=${page}`;
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(longestReadMs) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${text}`);
    waitsMs.push(performance.now() - before);
  };
  const ingest = async (size: number) => {
    start += 2_000_000;
    return (await measure(size, start)).perSecond;
  };
  for (const size of sizes) {
    const reading = () => whileReading(read, () => ingest(size));
    const { ours, baseline, ratio } = await paired(rounds, reading, () => ingest(size));
    rows.push({
      name: `${size} a POST next to ${readsPerSecond} reads a second, against without`,
      ours: Math.round(ours).toLocaleString('en'),
      baseline: Math.round(baseline).toLocaleString('en'),
      ratio,
      bound: '>= 0.9',
    });
  }
  const sorted = waitsMs.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  rows.push({
    name: 'p99 of these reads, ms',
    ours: p99.toFixed(0),
    baseline: '',
    ratio: null,
    bound: null,
  });
  return rows;
}

/** Reads at an even pace, however long each read takes, until the work is over; throws what a read throws. */
async function whileReading<T>(
  read: (n: number) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  const reads: Promise<void>[] = [];
  const startReads = async () => {
    for (let n = 0; !isOver; n++) {
      const one = read(n);
      reads.push(one);
      // One that fails is thrown below, when the work has ended; until then it is no unhandled rejection.
      one.catch(() => undefined);
      await setTimeout(1000 / readsPerSecond);
    }
  };
  const started = startReads();
  try {
    return await work();
  } finally {
    isOver = true;
    await started;
    await Promise.all(reads);
  }
}
