import type { MaybePromise } from './maybe-promise.ts';

/** The lock of a process that writes files of secrets; it ends with the process, however that ends. */
export interface FileLock {
  /** Whether it is still held: a connection that was lost has lost it. */
  isHeld(): MaybePromise<boolean>;
  release(): MaybePromise<void>;
}
