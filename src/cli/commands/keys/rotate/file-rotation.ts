import type { Actor } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { SecretFileLock } from '../../../../core/keys/file-lock.ts';
import {
  type FoundRotation,
  findInterrupted,
  isActiveSecret,
  isSecretOf,
  requireReplaceable,
} from '../../../../core/keys/interrupted-rotation.ts';
import { requireActive } from '../../../../core/keys/keys.ts';
import { requireKey } from '../../../../core/keys/references.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { Context } from '../../../command/context.ts';
import { completePending, discardPending, type Replacing, readRotationFiles } from '../../../delivery/replaced-file.ts';
import { deliveryJson } from '../../../delivery/stdout.ts';

interface FileRotationOptions {
  path: string;
  force: boolean;
  digest: string | undefined;
}

/** The rotation of one key into a file that may hold the old secret, step by step. */
export class FileRotation {
  readonly #context: Context;
  readonly #domain: Domain;
  readonly #actor: Actor;
  readonly #options: FileRotationOptions;
  readonly #lock: SecretFileLock;

  constructor(context: Context, domain: Domain, actor: Actor, options: FileRotationOptions) {
    this.#context = context;
    this.#domain = domain;
    this.#actor = actor;
    this.#options = options;
    this.#lock = new SecretFileLock(domain);
  }

  get replacing(): Replacing {
    return {
      regain: () => this.#lock.regain(),
      isActive: (secret) => isActiveSecret(this.#domain, this.#actor, secret),
    };
  }

  /** Ends a rotation that was cut off after its commit: returns the successor, whose secret is in its place then. */
  finish(old: Key): Promise<Key | undefined> {
    return this.#lock.hold(() => this.#finish(this.#found(old)));
  }

  /** Runs the rotation itself, unless another command has left one to finish meanwhile: then that is finished. */
  rotate(old: Key, work: () => Promise<Key[]>): Promise<Key[]> {
    return this.#lock.hold(async () => {
      const found = this.#found(old);
      const finished = await this.#finish(found);
      if (finished) return [finished];
      // While a person read the question, another command may have rotated it.
      const now = await requireKey(this.#domain, this.#actor, old.id);
      await requireActive(this.#domain, this.#actor, [now], 'rotated');
      const worthless = await requireReplaceable(this.#domain, this.#actor, found);
      if (worthless !== undefined) {
        const { path } = this.#options;
        discardPending(path);
        this.#context.say(`Discarded ${path}.new: ${worthless}.`);
      }
      return work();
    });
  }

  holds(key: Key): Promise<boolean> {
    return isSecretOf(this.#domain, this.#actor, this.#found(key).files.text, key);
  }

  #found(old: Key): FoundRotation {
    const { path, force } = this.#options;
    return { old, force, files: readRotationFiles(path) };
  }

  async #finish(found: FoundRotation): Promise<Key | undefined> {
    const interrupted = await findInterrupted(this.#domain, this.#actor, found);
    if (!interrupted) return undefined;
    const { json, printJson, say } = this.#context;
    const { path, digest } = this.#options;
    const { key, revoked } = interrupted;
    // The run that was cut off may have had another command, or none.
    if (digest !== undefined) await this.#domain.store.commands.add([key.id], digest);
    completePending(path);
    if (json) printJson(deliveryJson(this.#domain.clock(), [{ key, revoked, secretFile: path }], false));
    say(
      `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix}); an earlier run was cut off, and ${path} now holds its secret.`,
    );
    return key;
  }
}
