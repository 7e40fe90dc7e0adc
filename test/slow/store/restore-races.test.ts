import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from '../../../src/core/audit/chain.ts';
import { refusalOf } from '../../../src/core/keys/authentication.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { hashOf } from '../../../src/core/secrets.ts';
import { Plant } from '../../e2e/plant.ts';
import { pause } from '../../e2e/program.ts';
import { draftOf } from '../../store/stores.ts';
import { halted, type Point, pointsOf, resumed, runAt } from './traced.ts';

/*
 * Stops of every kind against a restore, each of the two halted or killed at system calls that touch the store's files: some
 * of them, spread evenly, or every one with TEST_HKCTL_ROUNDS=all. What was stopped once stays so over all rounds that
 * follow: each of them restores the same backup, in which all of it works.
 */

const isWhole = process.env.TEST_HKCTL_ROUNDS === 'all';
const samples = { halted: 4, killed: 3, stopKilled: 3 };

const kinds = ['revoke', 'rotate', 'deactivate', 'demote', 'close', 'remove'] as const;
type Kind = (typeof kinds)[number];

/** One key with a Super user of its own that made it, at a site of its own: each kind of stop has something to stop. */
interface Subject {
  keyId: string;
  keyHash: string;
  login: string;
  entity: string;
  stopped?: Kind;
}

let plant: Plant;
let backup: string;
const subjects: Subject[] = [];

beforeAll(async () => {
  plant = await Plant.open();
  const store = plant.openStore();
  const [tenant] = await store.tenants.list();
  if (!tenant) throw new Error('init makes an organization');
  for (let n = 0; n < (isWhole ? 4000 : 90); n++)
    subjects.push(await addSubject(store, tenant.id, n));
  await store.close();
  backup = plant.path('plant.backup');
  await plant.ok(['backup', backup]);
}, 120_000);
afterAll(() => plant?.close());

async function addSubject(store: Store, tenantId: string, n: number): Promise<Subject> {
  const [userId, entityId, keyId] = [randomUUID(), randomUUID(), randomUUID()];
  const subject = { keyId, keyHash: hashOf(`secret ${n}`), login: `user-${n}`, entity: `E-${n}` };
  const common = { tenantId, createdAtMs: Date.now(), status: 'active' as const };
  const draft = draftOf(tenantId, 'user.add', subject.login);
  await store.users.insert(
    { ...common, id: userId, login: subject.login, name: 'U', role: 'super_user', entityIds: null },
    draft,
  );
  await store.entities.insert(
    { ...common, id: entityId, code: subject.entity, name: 'E', timezone: 'UTC' },
    draft,
  );
  const prefix = `hk_${n.toString(36).padStart(5, '0')}`;
  const { status: _, ...row } = common;
  await store.keys.insert(
    {
      ...row,
      id: keyId,
      prefix,
      secretHash: subject.keyHash,
      name: 'K',
      permissions: ['parts.view'],
      entityId,
      createdBy: userId,
      expiresAtMs: null,
      rotatedFrom: null,
      allowedIps: [],
      note: null,
    },
    draft,
  );
  return subject;
}

function freshSubject(): Subject {
  const subject = subjects.find(({ stopped }) => stopped === undefined);
  if (!subject) throw new Error('no subject is left');
  return subject;
}

function argsOf(kind: Kind, { keyId, login, entity }: Subject): string[] {
  const secret = plant.path(`${keyId}.${randomUUID()}`);
  return {
    revoke: ['keys', 'revoke', keyId, '--yes'],
    rotate: ['keys', 'rotate', keyId, '--yes', '--secret-file', secret],
    deactivate: ['users', 'deactivate', login, '--yes'],
    demote: ['users', 'set-role', login, 'operator'],
    close: ['entities', 'deactivate', entity, '--yes'],
    remove: ['entities', 'remove', entity, '--yes'],
  }[kind];
}

/** Whether a kind of stop holds of a subject in the store as it is. */
async function holds(store: Store, kind: Kind, { keyHash, login }: Subject): Promise<boolean> {
  const user = await store.users.findByLogin(login);
  if (kind === 'demote') return user?.role === 'operator';
  const credential = await store.keys.credential(keyHash);
  const refusal = credential && refusalOf(credential, Date.now());
  if (kind === 'deactivate') return user?.status === 'inactive' && refusal === 'creator_inactive';
  if (kind === 'close') return refusal === 'entity_inactive';
  if (kind === 'remove') return refusal === 'entity_missing';
  return refusal === 'key_revoked';
}

/** All that was ever stopped is so. */
async function expectStopped(after: string): Promise<void> {
  const store = plant.openStore();
  try {
    for (const subject of subjects) {
      if (subject.stopped)
        expect([after, subject.stopped, await holds(store, subject.stopped, subject)]).toEqual([
          after,
          subject.stopped,
          true,
        ]);
    }
  } finally {
    await store.close();
  }
}

async function noteStopped(kind: Kind, subject: Subject): Promise<void> {
  const store = plant.openStore();
  try {
    if (await holds(store, kind, subject)) subject.stopped = kind;
  } finally {
    await store.close();
  }
}

/** Some of the points, spread evenly, a share of them for each kind of stop; or all. */
function sampled(points: readonly Point[], kind: Kind, count: number): Point[] {
  if (isWhole) return [...points];
  const offset = kinds.indexOf(kind) / kinds.length;
  return Array.from(
    { length: count },
    (_, n) => points[Math.floor(((n + offset) / count) * points.length)],
  ).filter((point) => point !== undefined);
}

const restoreArgs = () => ['restore', backup, '--yes'];

describe('a restore, with strace,', () => {
  let restorePoints: Point[];
  beforeAll(async () => {
    restorePoints = await pointsOf(plant, restoreArgs());
  });

  it.each(kinds)(
    'that is halted anywhere misses no %s that is done meanwhile',
    async (kind) => {
      let done = 0;
      let halts = 0;
      for (const point of sampled(restorePoints, kind, samples.halted)) {
        const subject = freshSubject();
        const restore = runAt(plant, point, 'STOP', restoreArgs());
        const pid = await halted(restore);
        const stop = plant.hkctl(argsOf(kind, subject));
        // It may wait for the restore, which then has to go on.
        await Promise.race([stop, pause(1500)]);
        if (pid !== undefined) halts++;
        const [restored, stopped] = await Promise.all([resumed(restore), stop]);
        expect([0, 5], restored.stderr).toContain(restored.code);
        // One that waited too long for the store has failed, and promises nothing.
        expect([0, 6], stopped.stderr).toContain(stopped.code);
        if (stopped.code === 0) {
          subject.stopped = kind;
          done++;
        }
        await expectStopped(`${kind} while a restore is halted at ${point.call} ${point.when}`);
      }
      expect(done).toBeGreaterThan(0);
      expect(halts).toBeGreaterThan(0);
    },
    isWhole ? 7_200_000 : 120_000,
  );

  it.each(kinds)(
    'that is killed anywhere revives nothing that was stopped by %s',
    async (kind) => {
      let killed = 0;
      for (const point of sampled(restorePoints, kind, samples.killed)) {
        const subject = freshSubject();
        await plant.ok(argsOf(kind, subject));
        subject.stopped = kind;
        if ((await runAt(plant, point, 'KILL', restoreArgs()).ended).signal === 'SIGKILL') killed++;
        await expectStopped(`a restore killed at ${point.call} ${point.when} after ${kind}`);
        await plant.ok(restoreArgs());
        await expectStopped('the restore after that');
      }
      expect(killed).toBeGreaterThan(0);
    },
    isWhole ? 7_200_000 : 120_000,
  );

  it.each(kinds)(
    'revives nothing that was stopped by a %s that was killed anywhere',
    async (kind) => {
      const counted = freshSubject();
      const points = await pointsOf(plant, argsOf(kind, counted));
      counted.stopped = kind;
      let killed = 0;
      for (const point of sampled(points, kind, samples.stopKilled)) {
        const subject = freshSubject();
        if ((await runAt(plant, point, 'KILL', argsOf(kind, subject)).ended).signal === 'SIGKILL')
          killed++;
        // It may have come to its commit or not; what is so before the restore is so after it.
        await noteStopped(kind, subject);
        await plant.ok(restoreArgs());
        await expectStopped(`a ${kind} killed at ${point.call} ${point.when}, and a restore`);
        // One that was not stopped may be taken for one that was about to be; nothing is tried on it again.
        if (!subject.stopped) subjects.splice(subjects.indexOf(subject), 1);
      }
      expect(killed).toBeGreaterThan(0);
    },
    isWhole ? 7_200_000 : 120_000,
  );

  it('leaves a trail that is whole, no file of a restore, and a journal of whole lines', async () => {
    await plant.ok(restoreArgs());
    const store = plant.openStore();
    expect((await verifyChain(store.audit.walk())).broken).toBeNull();
    await store.close();
    const left = readdirSync(dirname(plant.store)).filter((name) =>
      /restored|-journal$/.test(name),
    );
    expect(left).toEqual([]);
    const journal = readFileSync(join(dirname(plant.store), 'hkctl.revocations'), 'utf8');
    expect(journal.endsWith('\n')).toBe(true);
  });
});
