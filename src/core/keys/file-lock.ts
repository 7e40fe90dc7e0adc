import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { FileLock } from '../port/store.ts';

/** How long to wait for another command; one that rotates takes milliseconds once its question is answered. */
const mostWaitMs = 15_000;

/** The lock of a store under which files of secrets are written, so that no process takes another's work for a leftover. */
export class SecretFileLock {
  readonly #domain: Pick<Domain, 'store'>;
  #held: FileLock | undefined;

  constructor(domain: Pick<Domain, 'store'>) {
    this.#domain = domain;
  }

  /** Runs `work` under the lock; `store_locked` (exit 6) if another command keeps it too long. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#held = await take(this.#domain);
    try {
      return await work();
    } finally {
      await this.#held.release();
    }
  }

  /** Takes the lock again if it was lost, as with a connection; others may have changed the files meanwhile. */
  async regain(): Promise<void> {
    if (!(await this.#held?.isHeld())) this.#held = await take(this.#domain);
  }
}

async function take({ store }: Pick<Domain, 'store'>): Promise<FileLock> {
  for (const endMs = performance.now() + mostWaitMs; ; ) {
    const lock = await store.lockFiles();
    if (lock) return lock;
    if (performance.now() > endMs) {
      throw new HkctlError('store_locked', 'Another command writes a secret of this store into a file.', {
        hint: 'Try again once it has ended; if it hangs, end it.',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
