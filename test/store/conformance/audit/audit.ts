import { expect, it } from 'vitest';
import { verifyChain } from '../../../../src/core/audit/chain.ts';
import type { AuditDraft, AuditFilter } from '../../../../src/core/port/audit.ts';
import { draftOf, nowMs, plantIn } from '../../stores.ts';
import type { Given } from '../given.ts';

/** What every engine keeps of the audit trail. */
export function auditConformance(given: Given): void {
  it('keeps an event as it was, in its place of the chain', async () => {
    const { store, plant } = await given();
    const draft: AuditDraft = {
      ...draftOf(plant.tenant.id, 'key.create', 'hk_abcde'),
      actor: { id: plant.user.id, login: plant.user.login },
      outcome: 'denied',
      detail: { z: 1, a: 'ä "quoted"', yes: true, none: null },
    };
    await store.audit.append(draft);
    const [last, before] = await store.audit.list(plant.tenant.id, { limit: 2 });
    expect(last).toMatchObject(draft);
    expect(last?.seq).toBe((before?.seq ?? 0) + 1);
    expect(last?.previousHash).toBe(before?.hash);
    expect(await store.audit.lastSeq()).toBe(last?.seq);
  });

  it('lists one organization, newest first, since an instant', async () => {
    const { store, plant } = await given();
    const other = await plantIn(store, 'Beta');
    for (let n = 1; n <= 5; n++) {
      for (const { tenant } of [plant, other]) {
        await store.audit.append({
          ...draftOf(tenant.id, 'key.list', `${tenant.name} ${n}`),
          atMs: nowMs + n,
        });
      }
    }
    const targets = async (range: { sinceMs?: number; limit: number }) =>
      (await store.audit.list(plant.tenant.id, range)).map(({ target }) => target);
    expect(await targets({ limit: 3 })).toEqual(['Acme 5', 'Acme 4', 'Acme 3']);
    expect(await targets({ sinceMs: nowMs + 4, limit: 100 })).toEqual(['Acme 5', 'Acme 4']);
    expect(await store.audit.list('none', { limit: 100 })).toEqual([]);
  });

  it('lists what a filter selects', async () => {
    const { store, plant } = await given();
    const { tenant, user } = plant;
    const actor = { id: user.id, login: user.login };
    const events: [target: string, change: Partial<AuditDraft>][] = [
      ['hk_aBcDe', { action: 'key.create', actor }],
      ['hk_aBcDe', { action: 'key.revoke', actor, outcome: 'denied', osAccount: 'root' }],
      ['Zürich "1"\u0000', { action: 'entity.add', actor, outcome: 'failed' }],
      [
        'mallory',
        { action: 'profile.use', outcome: 'denied', osAccount: 'mallory', tenantId: null },
      ],
    ];
    for (const [n, [target, change]] of events.entries()) {
      await store.audit.append({
        ...draftOf(tenant.id, 'key.list', target),
        atMs: nowMs + n,
        ...change,
      });
    }
    const found = async (filter: AuditFilter, limit = 100) =>
      (await store.audit.list(tenant.id, { ...filter, limit, ofStore: true }))
        .map(({ atMs, target }) => (target === tenant.name ? -1 : atMs - nowMs))
        .filter((n) => n >= 0);
    expect(await found({})).toEqual([3, 2, 1, 0]);
    expect(await found({ sinceMs: nowMs + 1, untilMs: nowMs + 2 })).toEqual([2, 1]);
    expect(await found({ actor: user.login })).toEqual([2, 1, 0]);
    expect(await found({ actor: 'mallory' })).toEqual([3]);
    expect(await found({ actor: 'root' })).toEqual([]);
    expect(await found({ action: 'key.create' })).toEqual([0]);
    expect(await found({ outcome: 'denied' })).toEqual([3, 1]);
    expect(await found({ target: 'HK_abc' })).toEqual([1, 0]);
    expect(await found({ target: 'ZÜRICH "' })).toEqual([]);
    expect(await found({ target: 'Zürich "' })).toEqual([2]);
    expect(await found({ target: '"1"\u0000' })).toEqual([2]);
    expect(await found({ target: '%' })).toEqual([]);
    expect(await found({ target: 'hk_', outcome: 'done' })).toEqual([0]);
    expect(await found({ target: 'hk_' }, 1)).toEqual([1]);
  });

  it('knows when an action was last done, by anybody, and not merely tried', async () => {
    const { store, plant } = await given();
    expect(await store.audit.lastDoneMs('store.backup')).toBeUndefined();
    const append = (tenantId: string, atMs: number, outcome: 'done' | 'denied') =>
      store.audit.append({
        ...draftOf(tenantId, 'store.backup', 'a file'),
        atMs: nowMs + atMs,
        outcome,
      });
    await append('another', 1, 'done');
    await append(plant.tenant.id, 2, 'done');
    await append('another', 3, 'denied');
    await store.audit.append({ ...draftOf(plant.tenant.id, 'key.list', 'x'), atMs: nowMs + 4 });
    expect(await store.audit.lastDoneMs('store.backup')).toBe(nowMs + 2);
  });

  it('walks all of them in order, whole', async () => {
    const { store, plant } = await given();
    for (let n = 0; n < 1100; n++)
      await store.audit.append(draftOf(n % 2 ? plant.tenant.id : 'x', 'key.list', `${n}`));
    const report = await verifyChain(store.audit.walk());
    expect(report).toMatchObject({ records: 1101, broken: null });
    const [last] = await store.audit.list(plant.tenant.id, { limit: 1 });
    expect(report.headHash).toBe(last?.hash);
    expect(await store.audit.head()).toEqual({ count: 1101, hash: report.headHash });
  });
}
