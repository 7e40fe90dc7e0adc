import { keepNewest } from '../../core/newest-entries.ts';
import type { Credential, KeyStore } from '../../core/port/keys.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import { chain } from '../request/chain.ts';
import type { KeyTally } from '../request/key-tally.ts';
import { type Session, toSession } from './session.ts';

/** A credential as read at one version of the store; without a session if it has no entity. */
export interface CachedCredential {
  version: number;
  session: Session | undefined;
  credential: Credential;
  /** Counts what the key does, over all versions. */
  tally: KeyTally;
}

/**
 * The number of keys kept in memory, the one read longest ago going first, and the number of secrets that are no key, since
 * a client with a wrong one tries it again and again.
 */
export const cacheCapacity = { keys: 20_000, absent: 1_000 };

/**
 * Credentials by the hash of their secret, each valid for one version of the store: any commit of any process makes the next
 * request read anew. `currentVersion` is called for every request.
 */
export class CredentialCache {
  readonly #keys: Pick<KeyStore, 'credential'>;
  readonly #currentVersion: () => MaybePromise<number>;
  readonly #tallyOf: (credential: Credential) => KeyTally;
  readonly #capacity: typeof cacheCapacity;
  readonly #found = new Map<string, CachedCredential>();
  /** Versions of the store in which a secret was no key. */
  readonly #absent = new Map<string, number>();

  constructor(
    keys: Pick<KeyStore, 'credential'>,
    currentVersion: () => MaybePromise<number>,
    tallyOf: (credential: Credential) => KeyTally,
    capacity: typeof cacheCapacity,
  ) {
    this.#keys = keys;
    this.#currentVersion = currentVersion;
    this.#tallyOf = tallyOf;
    this.#capacity = capacity;
  }

  /** The credential of a hash; undefined if no key has it. */
  get(secretHash: string): MaybePromise<CachedCredential | undefined> {
    return chain(this.#currentVersion(), (version) => {
      const found = this.#found.get(secretHash);
      if (found?.version === version) return found;
      if (this.#absent.get(secretHash) === version) return undefined;
      return chain(this.#keys.credential(secretHash), (credential) => this.#keep(secretHash, version, credential));
    });
  }

  #keep(secretHash: string, version: number, credential: Credential | undefined): CachedCredential | undefined {
    // By now another request may have read it.
    const before = this.#found.get(secretHash);
    this.#found.delete(secretHash);
    if (credential === undefined) {
      this.#absent.set(secretHash, version);
      keepNewest(this.#absent, this.#capacity.absent);
      return undefined;
    }
    const session = before?.session && isSame(before.credential, credential) ? before.session : toSession(credential);
    const entry = { version, session, credential, tally: before?.tally ?? this.#tallyOf(credential) };
    this.#found.set(secretHash, entry);
    keepNewest(this.#found, this.#capacity.keys);
    return entry;
  }
}

/** A commit may have changed something else: then the session and what is cached by it stay valid. */
function isSame(before: Credential, now: Credential): boolean {
  return JSON.stringify(before) === JSON.stringify(now);
}
