import { type BenchReport, keepsBound, printReport } from './harness.ts';

/** Every benchmark by name; each loads what it needs only when it runs. */
const benchmarks: Record<string, () => Promise<{ run(): Promise<BenchReport | BenchReport[]> }>> = {
  start: () => import('./cli/start.ts'),
  import: () => import('./cli/import.ts'),
  scan: () => import('./cli/scan.ts'),
  http: () => import('./http.ts'),
  ingest: () => import('./readings/ingest.ts'),
  forms: () => import('./readings/forms.ts'),
  reads: () => import('./readings/reads.ts'),
  postgres: () => import('./postgres.ts'),
  fairness: () => import('./fairness.ts'),
  'fairness-postgres': async () => ({ run: (await import('./fairness.ts')).runOnPostgres }),
  growth: () => import('./growth.ts'),
  against: () => import('./against.ts'),
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
      missed += report.rows.filter((row) => keepsBound(row) === false).length;
    }
  }
  return missed === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
