import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditDraft } from '../../src/core/domain/actors.ts';
import { revokeKeys } from '../core/key-operations.ts';
import { bareApp, type Face } from './faces.ts';
import { HttpPlant } from './plant.ts';

const dayMs = 86_400_000;

let plant: HttpPlant;
let face: Face;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(async () => {
  await plant.domain.store.close();
});

/** The metrics of a daemon that has read nothing before. */
async function metrics(): Promise<string> {
  face = bareApp(plant);
  return (await face.fetch('/metrics')).text();
}

const metric = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  );

describe('metrics of the store', () => {
  it('count keys by status, and name the ones that expire next', async () => {
    expect(metric(await metrics(), 'hkctl_keys{status="active"}')).toBe(0);
    const { nowMs } = plant;
    const expiring: { prefix: string }[] = [];
    for (const days of [30, 1, 7])
      expiring.push(await plant.key({ expiresAtMs: nowMs + days * dayMs }));
    await plant.key();
    const { prefix } = await plant.key();
    await revokeKeys(plant.domain, plant.actor, [prefix]);
    plant.nowMs += 2 * dayMs;
    const text = await metrics();
    plant.nowMs = nowMs;
    const keys = ['active', 'expired', 'revoked'].map((status) =>
      metric(text, `hkctl_keys{status="${status}"}`),
    );
    expect(keys).toEqual([3, 1, 1]);
    const next = text
      .split('\n')
      .filter((line) => line.startsWith('hkctl_key_expiry_timestamp_seconds{'));
    const line = (days: number, index: number) =>
      `hkctl_key_expiry_timestamp_seconds{prefix="${expiring[index]?.prefix}",entity="BER"} ${(nowMs + days * dayMs) / 1000}`;
    // The one that has expired stays, so that its alert does not end when its client is refused.
    expect(next).toEqual([line(1, 1), line(7, 2), line(30, 0)]);
  });

  it('name the ten keys that expire next, and each that has expired in the last 30 days', async () => {
    const { nowMs } = plant;
    for (let index = 0; index < 12; index++)
      await plant.key({ expiresAtMs: nowMs + (40 + index) * dayMs });
    const named = async () =>
      (await metrics()).match(/^hkctl_key_expiry_timestamp_seconds\{/gm)?.length ?? 0;
    const before = await named();
    plant.nowMs += 60 * dayMs;
    const after = await named();
    plant.nowMs += 11.5 * dayMs;
    const later = await named();
    plant.nowMs = nowMs;
    expect([before, after, later]).toEqual([10, 12, 10]);
  });

  it('say when the last backup was written, and 0 before', async () => {
    expect(metric(await metrics(), 'hkctl_last_backup_timestamp_seconds')).toBe(0);
    const { domain, actor, nowMs } = plant;
    await domain.store.audit.append(auditDraft(domain, actor, 'store.backup', '/x.backup', {}));
    expect(metric(await metrics(), 'hkctl_last_backup_timestamp_seconds')).toBe(nowMs / 1000);
  });

  it('show the sizes of databases and logs, free space and the build', async () => {
    const text = await metrics();
    expect(text).toContain(`hkctl_build_info{version="1.2.3",node="${process.versions.node}"} 1\n`);
    if (process.env.TEST_HKCTL_ENGINE === 'postgres') {
      expect(metric(text, 'hkctl_store_bytes{database="store"}')).toBeGreaterThanOrEqual(4096);
      // They are the server's; a 0 would raise an alert.
      expect(text).not.toMatch(/^hkctl_store_(free|log)_bytes/m);
      return;
    }
    for (const database of ['registry', 'records', 'readings']) {
      expect(metric(text, `hkctl_store_bytes{database="${database}"}`)).toBeGreaterThanOrEqual(
        4096,
      );
      expect(metric(text, `hkctl_store_log_bytes{database="${database}"}`)).toBeGreaterThanOrEqual(
        0,
      );
    }
    expect(metric(text, 'hkctl_store_free_bytes')).toBeGreaterThan(0);
  });

  it('are read from the store once in a while, not for each client', async () => {
    const before = metric(await metrics(), 'hkctl_keys{status="active"}');
    await plant.key();
    expect(metric(await (await face.fetch('/metrics')).text(), 'hkctl_keys{status="active"}')).toBe(
      before,
    );
    expect(metric(await metrics(), 'hkctl_keys{status="active"}')).toBe(before + 1);
  });
});

describe('all metrics', () => {
  it('have labels in snake_case', async () => {
    const labels = [...(await metrics()).matchAll(/^hkctl_\w+\{(.*)\}/gm)].map(
      ([, found]) => found ?? '',
    );
    const names = labels.flatMap((found) => [...found.matchAll(/(\w+)="([^"]*)"/g)]);
    const states = names.filter(([, name]) =>
      ['limit', 'status', 'reason', 'what', 'result', 'database'].includes(name ?? ''),
    );
    expect(states.length).toBeGreaterThan(10);
    expect(
      states.map(([, , value]) => value).filter((value) => !/^[a-z0-9_]+$/.test(value ?? '')),
    ).toEqual([]);
  });
});
