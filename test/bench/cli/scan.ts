import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type BenchReport, hasProgram, paired } from '../harness.ts';

/** `keys scan` over a large tree against `grep -rE` with the same pattern; whole processes, by turns. */
export async function run(): Promise<BenchReport> {
  const tree = join(process.cwd(), 'node_modules');
  const title = 'keys scan over node_modules (speed; medians of paired runs)';
  const baseline = 'grep -rE';
  if (!hasProgram('grep'))
    return { title, baseline, rows: [], notes: ['grep is not on this machine.'] };
  const time = (program: string, args: string[]) => () => {
    const before = performance.now();
    // Exit codes differ, and show only whether anything was found.
    spawnSync(program, args, {
      stdio: 'ignore',
      env: { ...process.env, LC_ALL: 'C', HKCTL_STORE: '/nonexistent/hkctl.db' },
    });
    return performance.now() - before;
  };
  const scan = time(process.execPath, [
    join(process.cwd(), 'bin', 'hkctl.js'),
    'keys',
    'scan',
    tree,
  ]);
  const grep = time('grep', ['-rE', 'hk_[0-9A-Za-z]{49}', tree]);
  // Once each, so that both read from memory.
  scan();
  grep();
  const measured = await paired(9, scan, grep);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const row = {
    name: 'whole tree',
    ours: seconds(measured.ours),
    baseline: seconds(measured.baseline),
  };
  return { title, baseline, rows: [{ ...row, ratio: 1 / measured.ratio, bound: '>= 0.5' }] };
}
