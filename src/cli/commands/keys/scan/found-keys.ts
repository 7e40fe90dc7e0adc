import type { Actor } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { isHkctlError } from '../../../../core/errors.ts';
import type { KeyActor } from '../../../../core/keys/key-permissions.ts';
import { revokeKeys, statusOf } from '../../../../core/keys/keys.ts';
import type { Key } from '../../../../core/port/keys.ts';
import { hashOf } from '../../../../core/secrets.ts';
import { mostListed } from './secret-scan.ts';

/** Who scans, in which store; undefined without a store. `revoker` may end what is found. */
export type ScanSession = { domain: Domain; actor: Actor; revoker?: KeyActor<'revoke'> } | undefined;

export interface FoundKey {
  key: Key;
}

/** The keys of the secrets that a scan finds: each is looked up once. */
export class FoundKeys {
  readonly #session: ScanSession;
  readonly #bySecret = new Map<string, FoundKey>();
  /** Secrets of no key. A file may hold any number of them, and the next look-up costs microseconds. */
  readonly #strangers = new Set<string>();

  constructor(session: ScanSession) {
    this.#session = session;
  }

  async find(secret: string): Promise<FoundKey | undefined> {
    const known = this.#bySecret.get(secret);
    if (known || !this.#session || this.#strangers.has(secret)) return known;
    const { domain, actor } = this.#session;
    const key = await domain.store.keys.findByHash(actor.user.tenantId, hashOf(secret));
    if (key) {
      const found = { key };
      this.#bySecret.set(secret, found);
      return found;
    }
    if (this.#strangers.size >= mostListed) this.#strangers.clear();
    this.#strangers.add(secret);
    return undefined;
  }

  /** Whether a key is to be revoked, since the session may do so and it is active. */
  isToBeRevoked({ key }: FoundKey): boolean {
    return this.#session?.revoker !== undefined && statusOf(key, this.#session.domain.clock()) === 'Active';
  }

  /** Revokes a key; returns false if another process has ended it meanwhile. */
  async revoke(found: FoundKey): Promise<boolean> {
    if (!this.#session?.revoker) return false;
    const { domain, actor, revoker } = this.#session;
    try {
      const [revoked] = await revokeKeys(domain, revoker, [found.key]);
      if (revoked) found.key = revoked;
      return true;
    } catch (thrown) {
      if (!isHkctlError(thrown) || thrown.code !== 'key_not_active') throw thrown;
      found.key = (await domain.store.keys.find(actor.user.tenantId, found.key.id)) ?? found.key;
      return false;
    }
  }
}
