import { setTimeout } from 'node:timers/promises';
import { type BenchRow, median } from '../harness.ts';

const sizes = [10, 100, 1000] as const;
const rounds = 3;
const readsPerSecond = 20;
/** Readings of one read. */
const page = 1000;

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
  const next = () => {
    start += 2_000_000;
    return start;
  };
  for (const size of sizes) {
    const pairs: { alone: number; reading: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const alone = (await measure(size, next())).perSecond;
      next();
      const from = `from=${new Date(start * 1000).toISOString()}&limit=${page}`;
      const reader = startReader((n) => `${sensorsUrl}/S-${n % sensors}/readings?${from}`, secret, waitsMs);
      const reading = (await measure(size, start)).perSecond;
      await reader.stop();
      pairs.push({ alone, reading });
    }
    const shown = (of: (pair: (typeof pairs)[number]) => number) =>
      Math.round(median(pairs.map(of))).toLocaleString('en');
    rows.push({
      name: `${size} a POST next to ${readsPerSecond} reads a second, against without`,
      ours: shown(({ reading }) => reading),
      baseline: shown(({ alone }) => alone),
      ratio: median(pairs.map(({ alone, reading }) => reading / alone)),
      bound: '>= 0.9',
    });
  }
  const sorted = waitsMs.sort((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  rows.push({ name: 'p99 of these reads, ms', ours: p99.toFixed(0), baseline: '', ratio: null, bound: null });
  return rows;
}

function startReader(urlOf: (n: number) => string, secret: string, waitsMs: number[]): { stop(): Promise<void> } {
  const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' };
  let isStopped = false;
  const one = async (n: number) => {
    const before = performance.now();
    const answer = await fetch(urlOf(n), { headers });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    waitsMs.push(performance.now() - before);
  };
  const all = (async () => {
    const reads: Promise<void>[] = [];
    for (let n = 0; !isStopped; n++) {
      reads.push(one(n));
      await setTimeout(1000 / readsPerSecond);
    }
    await Promise.all(reads);
  })();
  return {
    async stop() {
      isStopped = true;
      await all;
    },
  };
}
