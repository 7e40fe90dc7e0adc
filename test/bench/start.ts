import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchReport, paired } from './harness.ts';

/** Start-up of a short command against the least that Node itself takes; whole processes, by turns. */
export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-start-'));
  const cli = join(process.cwd(), 'bin', 'hkctl.js');
  const env = { ...process.env, HKCTL_STORE: join(folder, 'hkctl.db'), HKCTL_USER: 'bench' };
  try {
    const init = ['init', '--org', 'Bench', '--week-start', 'monday', '--entity', 'ONE', '--entity-name', 'One'];
    execFileSync(process.execPath, [cli, ...init, '--timezone', 'UTC', '--admin', 'bench'], { env, stdio: 'pipe' });
    for (let i = 0; i < 10; i++) {
      const create = ['keys', 'create', '--name', `key ${i}`, '--entity', 'ONE', '--preset', 'sensor-gateway'];
      execFileSync(process.execPath, [cli, ...create], { env, stdio: 'pipe' });
    }
    const time = (args: string[]) => () => {
      const before = performance.now();
      const { status } = spawnSync(process.execPath, args, { env, stdio: 'pipe' });
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
      return performance.now() - before;
    };
    const { ours, baseline, ratio } = await paired(41, time([cli, 'keys', 'list', '--json']), time(['-e', '0']));
    return {
      title: 'Start of the command line (medians of paired runs)',
      baseline: 'node -e 0',
      rows: [
        {
          name: 'keys list --json, 10 keys',
          ours: `${ours.toFixed(1)} ms`,
          baseline: `${baseline.toFixed(1)} ms`,
          ratio,
          bound: '<= 1.25',
        },
      ],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
