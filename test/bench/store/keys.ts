import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Actor, findActor, requirePermissions } from '../../../src/core/domain/actors.ts';
import type { Domain } from '../../../src/core/domain/domain.ts';
import { listKeys, verifySecret } from '../../../src/core/keys/keys.ts';
import { initialise } from '../../../src/core/organization/tenants.ts';
import type { Entity } from '../../../src/core/port/entities.ts';
import { createStore } from '../../../src/store/sqlite/creation.ts';
import { openStore } from '../../../src/store/sqlite/opening.ts';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { createKey, rotateKeys } from '../../core/key-operations.ts';
import { steadyBy } from '../../core/steady.ts';
import { type BenchReport, paired } from '../harness.ts';

interface Bench {
  domain: Domain;
  actor: Actor;
  entity: Entity;
  /** The key that verify and rotate work on. */
  secret: string;
  ref: string;
  close: () => Promise<void>;
}

const rounds = 200;

/** What the work of an admin costs with 1,000,000 keys in the store, against 1,000. */
export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-keys-'));
  try {
    const many = await prepare(join(folder, 'many', 'hkctl.db'), 1_000_000);
    const few = await prepare(join(folder, 'few', 'hkctl.db'), 1000);
    const rows = [];
    for (const [name, work] of Object.entries(works)) {
      for (const bench of [many, few]) for (let i = 0; i < 20; i++) await work(bench);
      const { ours, baseline, ratio } = await paired(rounds, timed(work, many), timed(work, few));
      const micros = (ms: number) => `${(ms * 1000).toFixed(0)} µs`;
      rows.push({ name, ours: micros(ours), baseline: micros(baseline), ratio, bound: '<= 1.5' });
    }
    await many.close();
    await few.close();
    return {
      title: 'Keys: 1,000,000 in the store (medians of paired runs)',
      baseline: '1,000',
      rows,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const works: Record<string, (bench: Bench) => Promise<unknown>> = {
  create: (bench) => create(bench),
  'list a page of 50': ({ domain, actor }) =>
    listKeys(domain, actor, { nowMs: Date.now(), statuses: ['Active'] }, { limit: 50 }),
  verify: async ({ domain, actor, secret }) =>
    verifySecret(domain, await requirePermissions(domain, actor, 'key.verify', 'secret'), secret),
  rotate: async (bench) => {
    const keep = keeping(bench);
    await rotateKeys(bench.domain, bench.actor, [bench.ref], keep);
  },
};

function timed(work: (bench: Bench) => Promise<unknown>, bench: Bench): () => Promise<number> {
  return async () => {
    const before = performance.now();
    await work(bench);
    return performance.now() - before;
  };
}

/** Notes the secret that is delivered, for the next step. */
function keeping(bench: Pick<Bench, 'secret' | 'ref'>) {
  return {
    deliver([delivered]: readonly { secret: string; key: { id: string } }[]) {
      bench.secret = delivered?.secret ?? '';
      bench.ref = delivered?.key.id ?? '';
    },
    complete() {},
    withdraw() {},
  };
}

async function create(bench: Bench): Promise<void> {
  const { domain, actor, entity } = bench;
  const input = { name: 'bench', entity, permissions: ['parts.view' as const], expiresAtMs: null };
  await createKey(domain, actor, input, keeping(bench));
}

async function prepare(path: string, keys: number): Promise<Bench> {
  const options = { clock: Date.now, migrationsFolder: join(process.cwd(), 'migrations') };
  const made = await createStore(path, options);
  const domain = { store: made, ...steadyBy(Date.now), random: randomBytes, newId: randomUUID };
  const entity = { code: 'ONE', name: 'One', timezone: 'UTC' };
  await initialise(
    domain,
    { name: 'Bench', weekStart: 'monday', entity, admin: { login: 'bench', name: 'b' } },
    'bench',
  );
  await made.close();
  fill(path, keys);
  const store = openStore(path, options);
  const opened = { ...domain, store };
  const actor = await findActor(opened, 'bench', 'bench');
  const found = await store.entities.find(actor.user.tenantId, 'ONE');
  if (!found) throw new Error('no entity');
  const bench: Bench = {
    domain: opened,
    actor,
    entity: found,
    secret: '',
    ref: '',
    close: async () => {
      await store.close();
    },
  };
  await create(bench);
  return bench;
}

/** Keys without secrets, written at once: making them one by one would take an hour. One in three is revoked. */
function fill(path: string, keys: number): void {
  const database = openDatabase(path, {});
  database
    .prepare(
      `insert into keys (id, tenant_id, prefix, secret_hash, name, permissions, entity_id, created_by, created_at_ms, revoked_at_ms)
       with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       select lower(hex(randomblob(16))), u.tenant_id, printf('hk_%05x', i), lower(hex(randomblob(22))), 'key ' || i,
         '["parts.view"]', e.id, u.id, 1700000000000 + i, iif(i % 3 = 0, 1700000000000 + i, null)
       from n, users u, entities e`,
    )
    .run(keys);
  database.close();
}
