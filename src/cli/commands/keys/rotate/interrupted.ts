import type { Actor, Domain } from '../../../../core/access/actors.ts';
import { type FileRotation, findInterrupted, type RotationFiles } from '../../../../core/keys/interrupted-rotation.ts';
import type { Context } from '../../../context.ts';
import { completePending, discardPending, isLeftover, pendingPath, readSecretFile } from '../../../delivery/files.ts';
import { deliveryJson } from '../../../delivery/stdout.ts';

/** Reads what the files of a rotation hold, with the rights of the account that called hkctl. */
export function readFiles({ io }: Context, path: string): RotationFiles {
  return io.withOwnRights(() => {
    const pending = pendingPath(path);
    const pendingText = readSecretFile(pending);
    return {
      path,
      text: readSecretFile(path),
      pendingPath: pending,
      pendingText,
      pendingIsLeftover: pendingText !== undefined && isLeftover(pending),
    };
  });
}

/**
 * Ends a rotation that was cut off between its steps (see {@link findInterrupted}): the secret of a successor that works
 * takes its place in PATH and is reported (true: nothing is left to rotate); one that opens nothing is discarded (false).
 */
export async function finishInterrupted(
  context: Context,
  domain: Domain,
  actor: Actor,
  rotation: FileRotation,
): Promise<boolean> {
  const found = await findInterrupted(domain, actor, rotation);
  if (!found) return false;
  const { io } = context;
  const { path, pendingPath } = rotation.files;
  if ('worthless' in found) {
    io.withOwnRights(() => discardPending(path));
    context.say(`Discarded ${pendingPath}: ${found.worthless}.`);
    return false;
  }
  io.withOwnRights(() => completePending(path));
  const { key, revoked } = found;
  if (context.json) context.printJson(deliveryJson(domain.clock(), [{ key, revoked, secretFile: path }], false));
  context.say(
    `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix}); an earlier run was cut off, and ${path} now holds its secret.`,
  );
  return true;
}
