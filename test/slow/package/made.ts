import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, root } from '../../e2e/program.ts';
import { onceForAll } from '../../once.ts';
import { runProgramAsync } from '../../run-program.ts';
import { account } from '../../store/postgres/server-files.ts';

/** How long a busy machine may take to make them. */
export const slowest = 480_000;

/**
 * The folder with the packages of this build, which `npm run package` takes forty seconds of a processor to make: once in a run
 * of tests, by an account without rights where root runs them.
 */
export async function madePackages(): Promise<string> {
  const folder = join(tmpdir(), 'hkctl-made');
  const packages = join(folder, 'packages');
  mkdirSync(folder, { recursive: true });
  // The folder is in the temporary one of this run, which every account may write.
  chmodSync(folder, 0o1777);
  await onceForAll(folder, 'once', async () => {
    // The cache of npm is that of whoever started the tests.
    const env = environment({ HOME: folder, npm_config_cache: join(folder, 'npm') });
    const script = join(root, 'bin', 'package', 'package.js');
    const { code, stderr } = await runProgramAsync(process.execPath, [script, packages], {
      ...account,
      env,
    });
    if (code !== 0) throw new Error(stderr);
  });
  return packages;
}
