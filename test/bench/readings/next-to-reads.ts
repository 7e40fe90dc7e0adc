import { type BenchRow, paired } from '../harness.ts';
import { pacedLoad } from '../load/load.ts';

const sizes = [10, 100, 1000] as const;
const rounds = 3;
const readsPerSecond = 20;
/** Readings of one read. */
const page = 1000;

/** Ingest of some readings a POST from an instant on (epoch seconds). */
export type MeasureIngest = (size: number, start: number) => Promise<{ perSecond: number }>;

interface Reader {
  sensorsUrl: string;
  secret: string;
  /** How long ingest is measured. */
  seconds: number;
}

/** Ingest while another client reads 20 pages of 1000 readings a second that are being written, against ingest alone. */
export async function nextToReads(
  measure: MeasureIngest,
  { sensorsUrl, secret, seconds }: Reader,
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const p99sMs: number[] = [];
  /** Another stretch of time for every run, as in the runs before. */
  let start = Date.UTC(2011, 0, 1) / 1000;
  const headers = { authorization: `Bearer ${secret}`, 'accept-encoding': 'identity' };
  const ingest = async (size: number) => {
    start += 2_000_000;
    return (await measure(size, start)).perSecond;
  };
  const ingestNextToReads = async (size: number) => {
    const ingesting = ingest(size);
    // Some minutes before the first reading, and no two alike.
    const from = `${Math.floor(start / 1000) - 1}@@@@@@`;
    const url = `${sensorsUrl}/S-${rows.length}/readings?from=${from}&limit=${page}`;
    const reading = pacedLoad({ url, headers, seconds }, readsPerSecond);
    const [perSecond, { p99Ms }] = await Promise.all([ingesting, reading]);
    p99sMs.push(p99Ms);
    return perSecond;
  };
  for (const size of sizes) {
    const { ours, baseline, ratio } = await paired(
      rounds,
      () => ingestNextToReads(size),
      () => ingest(size),
    );
    rows.push({
      name: `${size} a POST next to ${readsPerSecond} reads a second, against without`,
      ours: Math.round(ours).toLocaleString('en'),
      baseline: Math.round(baseline).toLocaleString('en'),
      ratio,
      bound: '>= 0.9',
    });
  }
  rows.push({
    name: 'p99 of these reads at most, ms',
    ours: Math.max(...p99sMs).toFixed(0),
    baseline: '',
    ratio: null,
    bound: null,
  });
  return rows;
}
