import type { Domain } from '../../domain/domain.ts';
import { HkctlError } from '../../errors.ts';
import type { FileLock } from '../../port/store.ts';

/** How long to wait for another command; a rotation takes milliseconds once its question is answered. */
const waitLimitMs = 15_000;

/** Takes the lock under which files of secrets are written. `store_locked` (exit 6) if another command keeps it too long. */
export async function takeFileLock({ store }: Pick<Domain, 'store'>): Promise<FileLock> {
  for (const deadlineMs = performance.now() + waitLimitMs; ; ) {
    const lock = await store.lockFiles();
    if (lock) return lock;
    if (performance.now() > deadlineMs) {
      throw new HkctlError(
        'store_locked',
        'Another command writes a secret of this store into a file.',
        { hint: 'Try again once it has ended; if it hangs, end it.' },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
