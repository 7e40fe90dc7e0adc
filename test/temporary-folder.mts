import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
/** The long suite needs a gigabyte. */
const needed = 3 * 2 ** 30;

/**
 * Makes the temporary folder of a run of tests and of all its processes, which is removed with everything in it when the run
 * ends. It is in memory where there is enough: the stores of thousands of tests are synced to disk otherwise.
 */
export function makeTemporaryFolder(): void {
  // What stays on the machine from one run to the next remains where it was.
  process.env.TEST_HKCTL_KEPT ??= tmpdir();
  const folder = mkdtempSync(join(isFit() ? inMemory : tmpdir(), 'hkctl-'));
  chmodSync(folder, 0o1777); // as /tmp: tests run processes of other accounts
  process.env.TMPDIR = folder;
  // A process that is about to end may still write.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}

/** Whether there is such a file system, with space, and programs in it may be run. */
function isFit(): boolean {
  if (process.platform !== 'linux') return false;
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts
    .map((line) => line.split(' '))
    .findLast(([, path]) => path === inMemory)?.[3];
  if (options === undefined || /\b(noexec|ro)\b/.test(options)) return false;
  const { bavail, bsize } = statfsSync(inMemory);
  return bavail * bsize >= needed;
}
