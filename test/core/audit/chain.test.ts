import { describe, expect, it } from 'vitest';
import {
  chainRecord,
  fitForTrail,
  genesisHash,
  verifyChain,
} from '../../../src/core/audit/chain.ts';
import type { AuditDraft, AuditRecord } from '../../../src/core/port/audit.ts';
import { drawSecret } from '../../../src/core/secrets.ts';

const draft: AuditDraft = {
  tenantId: 't',
  atMs: 1,
  action: 'store.init',
  actor: { id: 'u', login: 'ada' },
  osAccount: 'root',
  target: 'Acme',
  outcome: 'done',
  detail: { b: 1, a: 'x' },
};

function chainOf(...drafts: Partial<AuditDraft>[]): AuditRecord[] {
  const chain: AuditRecord[] = [];
  for (const change of drafts) chain.push(chainRecord({ ...draft, ...change }, chain.at(-1)));
  return chain;
}

describe('a chain', () => {
  const [first, second, third] = chainOf({}, { action: 'key.create' }, { action: 'key.revoke' });
  const verify = async (...records: (AuditRecord | undefined)[]) => {
    const given = records.filter((record) => record !== undefined);
    const { records: count, headHash, broken } = await verifyChain(given);
    return { count, headHash, broken };
  };

  it('is whole from its first record to its head', async () => {
    expect(await verify(first, second, third)).toEqual({
      count: 3,
      headHash: third?.hash,
      broken: null,
    });
    expect(await verify()).toEqual({ count: 0, headHash: genesisHash, broken: null });
  });

  it('holds each record once and in order', async () => {
    expect((await verify(first, first)).broken).toEqual({
      seq: 1,
      reason: 'it is repeated or out of order',
    });
    expect(await verify(first, second, first)).toMatchObject({
      count: 2,
      headHash: second?.hash,
      broken: { seq: 1 },
    });
    expect((await verify(first, third)).broken).toEqual({
      seq: 2,
      reason: 'it was removed, and record 3 follows',
    });
    expect((await verify(second, third)).broken).toEqual({
      seq: 1,
      reason: 'it was removed, and record 2 follows',
    });
  });

  it('ends before a record whose content or hash was altered', async () => {
    const altered = second && { ...second, target: 'another key' };
    for (const record of [altered, second && { ...second, hash: 'f'.repeat(64) }]) {
      expect(await verify(first, record, third)).toEqual({
        count: 1,
        headHash: first?.hash,
        broken: { seq: 2, reason: 'its content was altered' },
      });
    }
  });

  it('begins with store.init, even where it is consistent otherwise', async () => {
    expect((await verify(...chainOf({ action: 'key.create' }, {}))).broken?.reason).toContain(
      'made anew',
    );
  });

  it('begins at the hash before all others', async () => {
    const other = chainRecord(draft, { seq: 0, hash: 'f'.repeat(64) });
    expect((await verify(other)).broken).toEqual({
      seq: 1,
      reason: 'it does not follow the record before it',
    });
  });
});

describe('the hash of a record', () => {
  it('covers every field, the sequence number and the record before', () => {
    const changes: Partial<AuditDraft>[] = [
      {},
      { tenantId: null },
      { atMs: 2 },
      { action: 'key.create' },
      { actor: null },
      { actor: { id: 'v', login: 'ada' } },
      { actor: { id: 'u', login: 'bob' } },
      { osAccount: 'eve' },
      { target: 'acme' },
      { outcome: 'denied' },
      { detail: { b: 2, a: 'x' } },
      { detail: { c: 1, a: 'x' } },
      { detail: { b: '1', a: 'x' } },
      { detail: { b: 1, a: 'x', d: null } },
    ];
    const at = (previous?: { seq: number; hash: string }) =>
      changes.map((change) => chainRecord({ ...draft, ...change }, previous).hash);
    const hashes = [
      ...at(),
      ...at({ seq: 1, hash: genesisHash }),
      ...at({ seq: 0, hash: 'f'.repeat(64) }),
    ];
    expect(new Set(hashes).size).toBe(3 * changes.length);
  });

  it('does not depend on the order of the details', () => {
    expect(chainRecord({ ...draft, detail: { a: 'x', b: 1 } }, undefined).hash).toBe(
      chainRecord(draft, undefined).hash,
    );
  });
});

it('an event keeps no detail that JSON drops but the hash would include', () => {
  const detail = Object.fromEntries([
    ['gone', undefined],
    ['kept', null],
  ]) as unknown as AuditDraft['detail']; // as an optional field gives it
  expect(fitForTrail({ ...draft, detail }).detail).toEqual({ kept: null });
  expect(Object.keys(fitForTrail({ ...draft, detail }).detail)).toEqual(['kept']);
});

it('a secret stands nowhere in the trail, whichever text of an event contains it', () => {
  const secret = drawSecret();
  const text = `key ${secret} of mine`;
  const actor = { id: text, login: text };
  const fit = fitForTrail({
    ...draft,
    tenantId: text,
    actor,
    osAccount: text,
    target: text,
    detail: { [text]: text },
  });
  expect(JSON.stringify(fit)).not.toContain(secret.slice(8, 20));
  expect(fit.target).toBe(`key ${secret.slice(0, 8)}… of mine`);
});
