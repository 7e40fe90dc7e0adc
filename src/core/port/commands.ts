import type { MaybePromise } from './maybe-promise.ts';

/**
 * Which commands have yet to succeed after a rotation. Only a digest is kept of a command: giving the same one again runs
 * it. What is due after a key moves on to its successor.
 */
export interface CommandStore {
  /** Adds a command for each key by its id; `KeyStore.rotate` does so in the commit of the rotation. */
  add(keyIds: readonly string[], digest: string): MaybePromise<void>;
  /** Of some keys those after which the command has yet to succeed. */
  due(keyIds: readonly string[], digest: string): MaybePromise<string[]>;
  done(keyIds: readonly string[], digest: string): MaybePromise<void>;
}
