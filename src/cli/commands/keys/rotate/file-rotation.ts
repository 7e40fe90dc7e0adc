import type { Actor } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { SecretFileLock } from '../../../../core/keys/file-lock.ts';
import { findInterrupted, isActiveSecret, isSecretOf, requireReplaceable } from '../../../../core/keys/interrupted.ts';
import { requireActive } from '../../../../core/keys/keys.ts';
import { requireKey } from '../../../../core/keys/references.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { Context } from '../../../command/context.ts';
import { completePending, discardPending, readRotationFiles } from '../../../delivery/replaced-file.ts';
import { deliveryJson } from '../../../delivery/stdout.ts';

export type FileRotation = ReturnType<typeof createFileRotation>;

/** Creates the rotation of one key into a file that may hold the old secret; `digest` is that of the command after it, if any. */
export function createFileRotation(
  { json, printJson, say }: Context,
  domain: Domain,
  actor: Actor,
  { path, force, digest }: { path: string; force: boolean; digest: string | undefined },
) {
  const lock = new SecretFileLock(domain);
  /** Under the lock: the successor of a rotation that was cut off after its commit, once its secret is in its place. */
  const finishHeld = async (old: Key): Promise<Key | undefined> => {
    const interrupted = await findInterrupted(domain, actor, { old, force, files: readRotationFiles(path) });
    if (!interrupted) return undefined;
    const { key, revoked } = interrupted;
    // The run that was cut off may have had another command, or none.
    if (digest !== undefined) await domain.store.commands.add([key.id], digest);
    completePending(path);
    if (json) printJson(deliveryJson(domain.clock(), [{ key, revoked, secretFile: path }], false));
    say(
      `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix}); an earlier run was cut off, and ${path} now holds its secret.`,
    );
    return key;
  };
  return {
    replacing: {
      regain: () => lock.regain(),
      isActive: (secret: string) => isActiveSecret(domain, actor, secret),
    },
    /** Ends a rotation that was cut off after its commit: returns the successor. */
    finish: (old: Key) => lock.hold(() => finishHeld(old)),
    /** Runs the rotation itself, unless another command has left one to finish meanwhile: then that is finished. */
    rotate: (old: Key, work: () => Promise<Key[]>): Promise<Key[]> =>
      lock.hold(async () => {
        const finished = await finishHeld(old);
        if (finished) return [finished];
        // While a person read the question, another command may have rotated it.
        const now = await requireKey(domain, actor, old.id);
        await requireActive(domain, actor, [now], 'rotated');
        const worthless = await requireReplaceable(domain, actor, { old, force, files: readRotationFiles(path) });
        if (worthless !== undefined) {
          discardPending(path);
          say(`Discarded ${path}.new: ${worthless}.`);
        }
        return work();
      }),
    holds: (key: Key) => isSecretOf(domain, actor, readRotationFiles(path).text, key),
  };
}
