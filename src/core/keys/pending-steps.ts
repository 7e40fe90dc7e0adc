import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { Key } from '../port/keys.ts';
import type { PendingStep, StepOfKey } from '../port/pending-steps.ts';
import { statusOf } from './keys.ts';

/** A command of `--exec` that has yet to succeed, and its key. */
export interface PendingCommand {
  key: Key;
  /** The file or folder of the secret; null if it went elsewhere. */
  file: string | null;
  /** Null if version 0.2.0 noted it, which kept no text. */
  command: string | null;
}

/** The commands of `--exec` that wait, of the active keys that the actor sees. */
export async function pendingCommands(domain: Domain, { user }: Actor): Promise<PendingCommand[]> {
  const pending: PendingCommand[] = [];
  for (const { keyId, place, step, command } of await domain.store.pendingSteps.list()) {
    if (step !== 'exec') continue;
    const key = await domain.store.keys.find(user.tenantId, keyId);
    if (key === undefined || statusOf(key, domain.clock()) !== 'Active') continue;
    pending.push({ key, file: place.startsWith('/') ? place : null, command });
  }
  return pending;
}

/**
 * The steps that an earlier run has left for a key, and that a run takes now. Any command of `--exec` for the same key and place
 * may take it, since a newer command corrects an older one.
 */
export function resumableSteps(
  steps: readonly PendingStep[],
  { id }: Key,
  current: StepOfKey,
): PendingStep[] {
  return steps.filter((step) => {
    if (step.keyId !== id) return false;
    const isSame = step.step === current.step && step.place === current.place;
    return isSame || step.command === null;
  });
}
