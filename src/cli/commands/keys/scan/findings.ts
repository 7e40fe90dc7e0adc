import type { Actor } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import type { Key } from '../../../../core/port/keys.ts';
import { hashOf } from '../../../../core/secrets.ts';
import { mostListed, type Occurrence } from './secret-scan.ts';

/** A secret in a file: the place where it occurs first, and how often it occurs. */
export interface SecretFinding extends Occurrence {
  count: number;
}

/**
 * All findings of a scan, one for each secret and file, with the keys of the store. At most {@link mostListed} with a key and
 * as many without are listed, and at least one of each key. Neither a long log nor a file of made-up secrets then hides a key
 * or fills the memory.
 */
export class Findings {
  readonly listed: SecretFinding[] = [];
  readonly keys = new Map<string, Key>();
  /** The number of occurrences of all secrets, and of those without a listed finding. */
  occurrences = 0;
  unlisted = 0;
  readonly #session: { domain: Domain; actor: Actor } | undefined;
  readonly #listedOf = { known: 0, unknown: 0 };
  #here = new Map<string, SecretFinding>();

  /** Without a store all secrets are unknown. */
  constructor(session: { domain: Domain; actor: Actor } | undefined) {
    this.#session = session;
  }

  /** Counts an occurrence. Returns its key if it is the first of that key. */
  async add(occurrence: Occurrence): Promise<Key | undefined> {
    const { secret } = occurrence;
    this.occurrences++;
    const listedFinding = this.#here.get(secret);
    if (listedFinding) {
      listedFinding.count++;
      return undefined;
    }
    const newKey = this.keys.has(secret) ? undefined : await this.#find(secret);
    const keyKind = this.keys.has(secret) ? 'known' : 'unknown';
    if (newKey || this.#listedOf[keyKind] < mostListed) {
      const finding = { ...occurrence, count: 1 };
      this.#listedOf[keyKind]++;
      this.#here.set(secret, finding);
      this.listed.push(finding);
    } else this.unlisted++;
    return newKey;
  }

  endFile(): SecretFinding[] {
    const fileFindings = [...this.#here.values()];
    if (fileFindings.length > 0) this.#here = new Map();
    return fileFindings;
  }

  async #find(secret: string): Promise<Key | undefined> {
    if (!this.#session) return undefined;
    const { domain, actor } = this.#session;
    const key = await domain.store.keys.findByHash(actor.user.tenantId, hashOf(secret));
    if (key) this.keys.set(secret, key);
    return key;
  }
}
