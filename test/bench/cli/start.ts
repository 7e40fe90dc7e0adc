import { spawnSync } from 'node:child_process';
import { createPlant } from '../daemon.ts';
import { type BenchReport, type BenchRow, paired } from '../harness.ts';

/** Start-up of a short command against the least that Node itself takes; whole processes, by turns. */
export async function run(): Promise<BenchReport> {
  const { env, cli, key, remove } = createPlant();
  try {
    for (let n = 0; n < 10; n++) key('sensor-gateway');
    const time = (args: string[], given: NodeJS.ProcessEnv) => () => {
      const before = performance.now();
      const { status } = spawnSync(process.execPath, args, { env: given, stdio: 'pipe' });
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
      return performance.now() - before;
    };
    const measure = async (name: string, given: NodeJS.ProcessEnv): Promise<BenchRow> => {
      const list = time([cli, 'keys', 'list'], given);
      const { ours, baseline, ratio } = await paired(41, list, time(['-e', '0'], given));
      const ms = (figure: number) => `${figure.toFixed(1)} ms`;
      return { name, ours: ms(ours), baseline: ms(baseline), ratio, bound: '<= 3' };
    };
    const rows = [await measure('keys list, 10 keys', env)];
    // It makes Node read certificates at every start, in which a command's own time hides.
    const { NODE_EXTRA_CA_CERTS: certificates, ...others } = env;
    if (certificates) rows.push(await measure('the same, NODE_EXTRA_CA_CERTS unset', others));
    return {
      title: 'Start of the command line (medians of paired runs)',
      baseline: 'node -e 0',
      rows,
    };
  } finally {
    await remove();
  }
}
