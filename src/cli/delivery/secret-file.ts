import { rmSync } from 'node:fs';
import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import {
  findCutOff,
  isActiveSecret,
  isSecretOf,
  requireReplaceable,
  type SecretFiles,
  takeFileLock,
} from '../../core/keys/secret-files.ts';
import type { Key } from '../../core/port/keys.ts';
import type { FileLock } from '../../core/port/store.ts';
import type { Context } from '../command/context.ts';
import { requireFreePath } from './files.ts';
import { completePending, createReplacingFileDelivery, readSecretFiles } from './replaced-file.ts';

interface SecretFileTask {
  path: string;
  /** There is no file yet, and none that appears meanwhile is overwritten. */
  isNew?: boolean;
  /** PATH is replaced whatever it holds. */
  force?: boolean;
  /** Whether an earlier run of the same command has made the key whose secret is in `PATH.new`. */
  isOurs(key: Key, files: SecretFiles): Promise<boolean>;
  /** Called with such a key once its secret is in PATH. */
  finished(key: Key): Promise<void> | void;
}

export type SecretFile = ReturnType<typeof createSecretFile>;

/** Creates the file that takes the secret of one key, as its delivery. A run that was cut off is finished by the same command. */
export function createSecretFile(
  { say }: Pick<Context, 'say'>,
  domain: Domain,
  actor: Actor,
  { path, isNew = false, force = false, isOurs, finished }: SecretFileTask,
) {
  let lock: FileLock | undefined;
  const hold = async <T>(work: () => Promise<T>) => {
    lock = await takeFileLock(domain);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  };
  const finish = async (): Promise<Key | undefined> => {
    if (isNew) requireFreePath(path);
    const files = readSecretFiles(path);
    const key = await findCutOff(domain, actor, files, (found) => isOurs(found, files));
    if (!key) return undefined;
    completePending(path, isNew);
    await finished(key);
    return key;
  };
  const delivery = createReplacingFileDelivery(path, {
    isNew,
    async prepare(old) {
      const files = readSecretFiles(path);
      const worthless = await requireReplaceable(domain, actor, files, old, force);
      if (worthless === undefined) return;
      rmSync(files.pendingPath, { force: true });
      say(`Discarded ${files.pendingPath}: ${worthless}.`);
    },
    async regain() {
      if (!(await lock?.isHeld())) lock = await takeFileLock(domain);
    },
    isActive: (secret) => isActiveSecret(domain, actor, secret),
  });
  return {
    path,
    delivery,
    /** Puts the secret in its place that a run which was cut off has left; returns its key, if there is one. */
    finish: () => hold(finish),
    /** Makes a key by `work`, unless such a run has made it; returns it. */
    make: (work: () => Promise<Key>) => hold(async () => (await finish()) ?? work()),
    holds: (key: Key) => isSecretOf(domain, actor, readSecretFiles(path).text, key),
  };
}
