import { writeDown } from './figures.ts';
import { type BenchReport, isShort, keepsBound, printReport } from './harness.ts';

/** Every benchmark by name; each loads what it needs only when it runs. */
const benchmarks: Record<string, () => Promise<{ run(): Promise<BenchReport | BenchReport[]> }>> = {
  start: () => import('./cli/start.ts'),
  http: () => import('./http/http.ts'),
  ingest: () => import('./readings/ingest.ts'),
  plant: () => import('./readings/plant.ts'),
  years: () => import('./readings/years.ts'),
  readings: () => import('./readings/reading-back.ts'),
  reads: () => import('./readings/reads.ts'),
  keys: () => import('./store/keys.ts'),
  records: () => import('./store/records.ts'),
  sync: () => import('./http/sync.ts'),
  import: () => import('./cli/import.ts'),
  scan: () => import('./cli/scan.ts'),
  soak: () => import('./http/soak.ts'),
  postgres: () => import('./postgres/postgres.ts'),
  fairness: () => import('./fairness.ts'),
  against: () => import('./against.ts'),
  'reads-postgres': () => import('./postgres/reads.ts'),
  'fairness-postgres': async () => ({ run: (await import('./fairness.ts')).runOnPostgres }),
};

/** `npm run bench [-- NAME…]`: runs the named benchmarks, or all but `against`; exit code 1 where one misses its bound. */
async function main(names: readonly string[]): Promise<number> {
  const unknown = names.filter((name) => !(name in benchmarks));
  if (unknown.length > 0) {
    process.stderr.write(
      `No benchmark "${unknown.join('", "')}"; there are: ${Object.keys(benchmarks).join(', ')}\n`,
    );
    return 2;
  }
  let missed = 0;
  const all = Object.keys(benchmarks).filter((name) => name !== 'against');
  for (const name of names.length > 0 ? names : all) {
    const { run } = (await benchmarks[name]?.()) ?? { run: async () => [] };
    for (const report of [await run()].flat()) {
      printReport(report);
      if (!isShort) writeDown(name, report);
      missed += report.rows.filter((row) => keepsBound(row) === false).length;
    }
  }
  return missed === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
