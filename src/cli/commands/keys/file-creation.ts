import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { SecretFileLock } from '../../../core/keys/file-lock.ts';
import { findCreated, isActiveSecret, requireWorthless } from '../../../core/keys/interrupted.ts';
import type { CreateKeyInput } from '../../../core/keys/issuance.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { Context } from '../../command/context.ts';
import { requireFreePath } from '../../delivery/files.ts';
import { completePending, discardPending, type Replacing, readRotationFiles } from '../../delivery/replaced-file.ts';

/**
 * Creates a key by `create`, whose secret goes to a new file by way of `PATH.new`; or ends what an earlier run of the same command
 * has begun: a `PATH.new` with the secret of its key gets its name, one whose secret opens nothing is discarded.
 */
export async function createIntoFile(
  { say }: Pick<Context, 'say'>,
  { domain, actor, input, path }: { domain: Domain; actor: Actor; input: CreateKeyInput; path: string },
  create: (replacing: Replacing) => Promise<Key>,
): Promise<Key> {
  const lock = new SecretFileLock(domain);
  return lock.hold(async () => {
    requireFreePath(path);
    const files = readRotationFiles(path);
    const created = await findCreated(domain, actor, input, files);
    if (created) {
      completePending(path, true);
      say(`An earlier run has created the key, and was cut off before ${path} had its name.`);
      return created;
    }
    const worthless = requireWorthless(files);
    if (worthless !== undefined) {
      discardPending(path);
      say(`Discarded ${files.pendingPath}: ${worthless}.`);
    }
    const isActive = (secret: string) => isActiveSecret(domain, actor, secret);
    return create({ isNew: true, regain: () => lock.regain(), isActive });
  });
}
