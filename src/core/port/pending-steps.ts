import type { MaybePromise } from './maybe-promise.ts';

/**
 * A step that a rotation or a creation has yet to take. `exec`: its command after the commit has yet to succeed; it moves on to the
 * successor of a key. `deliver`: the key is committed, and the run that delivered its secret was cut off before it could say so.
 */
export interface PendingStep {
  keyId: string;
  /**
   * The file of the secret, or its folder with a slash at the end, without links; or the command that delivers it. Empty for
   * other ways.
   */
  place: string;
  step: 'exec' | 'deliver';
  /** Null if version 0.2.0 noted the step, by a digest and without a place. */
  command: string | null;
}

/** The pending step of a key that has no id yet, or gets another one by a rotation. */
export type StepOfKey = Omit<PendingStep, 'keyId'>;

/**
 * The pending steps of all keys. A lease is one, too: while a command delivers the next secret of a key, no other delivery of
 * that key may begin. The last secret that arrives is then the one that works. A lease blocks nothing else, and ends by itself if
 * its holder is killed.
 */
export interface PendingStepStore {
  /** All steps but leases, over all tenants; there are few. */
  list(): MaybePromise<PendingStep[]>;
  /** Adds a step for each key. A newer command for the same key, place and step replaces the older one. */
  put(keyIds: readonly string[], step: StepOfKey): MaybePromise<void>;
  /** Removes the steps of keys at a place, and what version 0.2.0 noted for them. */
  done(keyIds: readonly string[], place: string): MaybePromise<void>;
  /** Takes or renews the leases on keys until an instant; false, and nothing changed, while another holder has one of them. */
  lease(
    keyIds: readonly string[],
    holder: string,
    nowMs: number,
    untilMs: number,
  ): MaybePromise<boolean>;
  release(keyIds: readonly string[], holder: string): MaybePromise<void>;
}
