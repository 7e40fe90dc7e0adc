import type { Principal } from '../../core/keys/authentication.ts';
import { createAddressFilter } from '../../core/keys/networks.ts';
import { dropOldest } from '../../core/memoize.ts';
import type { Credential, KeyStore } from '../../core/port/keys.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import type { PageScope } from '../../core/records/queries.ts';
import { formatInstantMs } from '../../core/time/instants.ts';
import type { KeyTally } from '../request/key-tally.ts';

/** An admitted key with values that all its answers need; the same object for as long as the key does not change. */
export interface KeySession {
  principal: Principal;
  scope: PageScope;
  /** Names entity, zone and week start, on which the content of a page depends. */
  scopeKey: string;
  /** Whether the key may be used from a client address; undefined if it may be used from anywhere. */
  allows: ((address: string) => boolean) | undefined;
}

/** A credential as read at one value of the change counter; without a session if it has no entity. */
export interface CachedCredential {
  counter: number;
  session: KeySession | undefined;
  credential: Credential;
  /** Counts what the key does, over all values of it. */
  tally: KeyTally;
  /** Headers of all its answers, refusals included. */
  headers: readonly string[];
}

/**
 * The number of keys kept in memory, of which the least recently read is dropped first, and of wrong secrets. A client with a
 * wrong secret tries it again and again.
 */
export const cacheCapacity = { keys: 20_000, absent: 1_000 };

/**
 * Builds the cache of credentials by the hash of their secret, each valid for one value of the change counter. Any commit of
 * any process makes the next request read anew. `changeCounter` is called for every request. The credential is undefined if no
 * key has the hash.
 */
export function createCredentialCache(
  keys: Pick<KeyStore, 'credential'>,
  changeCounter: () => MaybePromise<number>,
  tallyOf: (credential: Credential) => KeyTally,
  capacity: typeof cacheCapacity,
) {
  const credentials = new Map<string, CachedCredential>();
  /** Values of the change counter at which a secret was no key. */
  const absent = new Map<string, number>();

  function storeCredential(
    secretHash: string,
    counter: number,
    credential: Credential | undefined,
  ): CachedCredential | undefined {
    // By now another request may have read it.
    const cachedBefore = credentials.get(secretHash);
    credentials.delete(secretHash);
    if (credential === undefined) {
      absent.set(secretHash, counter);
      dropOldest(absent, capacity.absent);
      return undefined;
    }
    const session =
      cachedBefore?.session && isSame(cachedBefore.credential, credential)
        ? cachedBefore.session
        : toSession(credential);
    const entry = {
      counter,
      session,
      credential,
      tally: cachedBefore?.tally ?? tallyOf(credential),
      headers: expiryHeaders(credential),
    };
    credentials.set(secretHash, entry);
    dropOldest(credentials, capacity.keys);
    return entry;
  }

  return {
    /** Whether the hash is that of a key, or was at an earlier value. */
    has: (secretHash: string): boolean => credentials.has(secretHash),
    read: (secretHash: string): MaybePromise<CachedCredential | undefined> =>
      chain(changeCounter(), (counter) => {
        const cached = credentials.get(secretHash);
        if (cached?.counter === counter) return cached;
        if (absent.get(secretHash) === counter) return undefined;
        return chain(keys.credential(secretHash), (credential) =>
          storeCredential(secretHash, counter, credential),
        );
      }),
  };
}

/** A commit may have changed something else: then the session and everything cached by it stay valid. */
function isSame(earlier: Credential, current: Credential): boolean {
  return JSON.stringify(earlier) === JSON.stringify(current);
}

function expiryHeaders({ expiresAtMs }: Credential): readonly string[] {
  return expiresAtMs === null ? [] : ['Hkctl-Key-Expires', formatInstantMs(expiresAtMs)];
}

function toSession(credential: Credential): KeySession | undefined {
  const { entity, tenant, allowedIps } = credential;
  if (entity === null) return undefined;
  const { weekStart } = tenant;
  return {
    principal: { ...credential, entity },
    scope: { entityId: entity.id, timezone: entity.timezone, weekStart },
    scopeKey: `${entity.id} ${entity.timezone} ${weekStart}`,
    allows: allowedIps.length === 0 ? undefined : createAddressFilter(allowedIps),
  };
}
