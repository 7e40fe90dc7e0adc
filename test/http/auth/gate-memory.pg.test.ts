import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/http/answers/problem.ts';
import { createAddressBook } from '../../../src/http/auth/client-addresses.ts';
import { createGate } from '../../../src/http/auth/gate.ts';
import { RequestBatches } from '../../../src/http/fairness/batches.ts';
import type { Exchange } from '../../../src/http/request/exchange.ts';
import { createKeyTally } from '../../../src/http/request/key-tally.ts';
import { HttpPlant } from '../plant.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

/** A gate with a small credential cache, and the number of reads from the store. */
function smallGate() {
  const { keys } = plant.domain.store;
  const used: string[] = [];
  let reads = 0;
  const counted = {
    ...keys,
    credential(hash: string) {
      reads++;
      return keys.credential(hash);
    },
  };
  const store = Object.create(plant.domain.store, { keys: { value: counted } });
  const gate = createGate(
    {
      domain: { ...plant.domain, store },
      addresses: createAddressBook([]),
      batches: new RequestBatches(),
      failedChecks: undefined,
      requests: undefined,
      ingest: undefined,
      // Takes none, so that each use is offered.
      tallyOf: (credential) => createKeyTally(credential, ({ keyId }) => used.push(keyId) === 0),
      identifyConnection() {},
      warnOverLimit() {},
    },
    { keys: 3, absent: 2 },
  );
  return {
    used,
    /** Authenticates a secret; returns the prefix of its key or the code of the refusal, and the reads that it took. */
    async admit(secret: string) {
      const before = reads;
      // The gate reads only these members.
      const exchange = {
        query: '',
        node: { req: {} },
        responseHeaders: [],
        keyPrefix: undefined,
        header: (name: string) => (name === 'authorization' ? `Bearer ${secret}` : undefined),
        countOf: () => 1,
      } as unknown as Exchange;
      const outcome = await gate.admit(
        exchange,
        { permissions: [], limit: 'requests' },
        (_, { principal }) => principal.prefix,
      );
      const said = outcome instanceof ApiError ? outcome.code : outcome;
      return { said, prefix: exchange.keyPrefix, reads: reads - before };
    },
  };
}

describe('the credential cache of the gate', () => {
  it('keeps a limited number of keys; the one read longest ago is dropped', async () => {
    const { admit, used } = smallGate();
    const keys = [await plant.key(), await plant.key(), await plant.key(), await plant.key()];
    for (const { secret, prefix } of keys)
      expect(await admit(secret)).toEqual({ said: prefix, prefix, reads: 1 });
    const readsOf = async (index: number) => (await admit(keys[index]?.secret ?? '')).reads;
    expect([await readsOf(1), await readsOf(2), await readsOf(3)]).toEqual([0, 0, 0]);
    expect([await readsOf(0), await readsOf(1)]).toEqual([1, 1]);
    expect(used.slice(0, 4)).toEqual(keys.map(({ id }) => id));
    expect(used.length).toBe(9);
  });

  it('keeps a limited number of secrets that are no key', async () => {
    const { admit, used } = smallGate();
    const secrets = [plant.unknownSecret(), plant.unknownSecret(), plant.unknownSecret()];
    for (const secret of secrets)
      expect(await admit(secret)).toEqual({ said: 'unknown_key', prefix: undefined, reads: 1 });
    const readsOf = async (index: number) => (await admit(secrets[index] ?? '')).reads;
    expect([await readsOf(1), await readsOf(2), await readsOf(0)]).toEqual([0, 0, 1]);
    expect(used).toEqual([]);
  });

  it('is invalid once anything has changed', async () => {
    const { admit } = smallGate();
    const { secret, id } = await plant.key();
    const unknown = plant.unknownSecret();
    await Promise.all([admit(secret), admit(unknown)]);
    expect([(await admit(secret)).reads, (await admit(unknown)).reads]).toEqual([0, 0]);
    await plant.revoke(id);
    expect(await admit(secret)).toEqual({ said: 'key_revoked', prefix: undefined, reads: 1 });
    expect(await admit(unknown)).toMatchObject({ said: 'unknown_key', reads: 1 });
  });
});
