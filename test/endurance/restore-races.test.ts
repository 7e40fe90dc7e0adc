import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from '../../src/core/audit/chain.ts';
import { refusalOf } from '../../src/core/keys/authentication.ts';
import { hashOf } from '../../src/core/keys/secrets.ts';
import type { Store } from '../../src/core/port/store.ts';
import { filesOf, isCode } from '../../src/store/sqlite/connection/files.ts';
import { preparedPath } from '../../src/store/sqlite/restore/prepared.ts';
import { Plant } from '../e2e/plant.ts';
import { cli, type Outcome, pause, type Running, until } from '../e2e/program.ts';
import { draftOf } from '../store/stores.ts';

/*
 * Stops of every kind against a restore, each of the two halted or killed at system calls that touch the store's files: some
 * of them, spread evenly, or every one with HKCTL_TEST_ROUNDS=all. What was stopped once stays so over all rounds that
 * follow: each of them restores the same backup, in which all of it works.
 */

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
const isWhole = process.env.HKCTL_TEST_ROUNDS === 'all';
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
  if (!canTrace) return;
  plant = await Plant.open();
  const store = plant.openStore();
  const [tenant] = await store.tenants.list();
  if (!tenant) throw new Error('init makes an organization');
  for (let n = 0; n < (isWhole ? 4000 : 90); n++) subjects.push(await addSubject(store, tenant.id, n));
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
  await store.users.insert({ ...common, id: userId, login: subject.login, name: 'U', role: 'super_user' }, draft);
  await store.entities.insert({ ...common, id: entityId, code: subject.entity, name: 'E', timezone: 'UTC' }, draft);
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

interface Point {
  call: string;
  /** The how manieth of its name that touches a file of the store. */
  when: number;
}

function storeFiles(): string[] {
  const { store, ready, lock } = preparedPath(plant.store);
  const bases = [...Object.values(filesOf(plant.store)), ...Object.values(filesOf(store))];
  const files = [...bases.filter((file) => file !== null), ready, lock];
  return [
    ...files,
    ...files.flatMap((file) => [`${file}-wal`, `${file}-shm`, `${file}-journal`]),
    dirname(plant.store),
  ];
}

const strace = (...more: string[]) => ['-f', '-qq', ...storeFiles().flatMap((file) => ['-P', file]), ...more];

/** Every system call of a command on the store's files, in order. */
async function pointsOf(args: readonly string[]): Promise<Point[]> {
  const log = plant.path('calls');
  const traced = plant.attach('strace', [...strace('-o', log), process.execPath, cli, ...args]);
  expect((await traced.ended).code).toBe(0);
  const counts = new Map<string, number>();
  const lines = readFileSync(log, 'utf8').split('\n');
  const main = lines[0]?.split(' ')[0];
  const points: Point[] = [];
  for (const line of lines) {
    const [pid, call] = /^(\d+) +(\w+)\(/.exec(line)?.slice(1) ?? [];
    // Each thread has its own count; databases are the main one's.
    if (pid !== main || call === undefined) continue;
    const when = (counts.get(call) ?? 0) + 1;
    counts.set(call, when);
    points.push({ call, when });
  }
  expect(points.length).toBeGreaterThan(50);
  return points;
}

/** Some of the points, spread evenly, a share of them for each kind of stop; or all. */
function sampled(points: readonly Point[], kind: Kind, count: number): Point[] {
  if (isWhole) return [...points];
  const offset = kinds.indexOf(kind) / kinds.length;
  return Array.from({ length: count }, (_, n) => points[Math.floor(((n + offset) / count) * points.length)]).filter(
    (point) => point !== undefined,
  );
}

const runAt = ({ call, when }: Point, signal: 'KILL' | 'STOP', args: readonly string[]): Running =>
  plant.attach('strace', [
    ...strace('-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${call}:signal=${signal}:when=${when}`),
    process.execPath,
    cli,
    ...args,
  ]);

const restoreArgs = () => ['restore', backup, '--yes'];

/** Waits until the program under strace is halted; its number, or undefined where it has ended. */
async function halted(traced: Running): Promise<number | undefined> {
  let seen = 0;
  return until(
    'the restore is halted or has ended',
    () => {
      if (traced.hasEnded) return { pid: undefined };
      const pid = childOf(traced.child.pid ?? 0);
      const isHalted = pid !== undefined && /^\d+ \(.*\) [tT] /.test(readStat(pid));
      // Every system call halts it for a moment: what stays so is halted.
      seen = isHalted ? seen + 1 : 0;
      return seen > 8 ? { pid } : undefined;
    },
    { everyMs: 10 },
  ).then(({ pid }) => pid);
}

/** Lets it go on until its end. On a busy machine it may have seemed halted before it was: then it is so only later. */
async function resumed(traced: Running): Promise<Outcome> {
  const resume = () => {
    const pid = childOf(traced.child.pid ?? 0);
    try {
      if (pid !== undefined) process.kill(pid, 'SIGCONT');
    } catch (thrown) {
      // It has ended meanwhile.
      if (!isCode(thrown, 'ESRCH')) throw thrown;
    }
  };
  resume();
  const again = setInterval(resume, 100);
  try {
    return await traced.ended;
  } finally {
    clearInterval(again);
  }
}

function childOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0]) || undefined;
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function readStat(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

describe.skipIf(!canTrace)('a restore, with strace,', () => {
  let restorePoints: Point[];
  beforeAll(async () => {
    restorePoints = await pointsOf(restoreArgs());
  });

  it.each(kinds)(
    'that is halted anywhere misses no %s that is done meanwhile',
    async (kind) => {
      let done = 0;
      let halts = 0;
      for (const point of sampled(restorePoints, kind, samples.halted)) {
        const subject = freshSubject();
        const restore = runAt(point, 'STOP', restoreArgs());
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
        if ((await runAt(point, 'KILL', restoreArgs()).ended).signal === 'SIGKILL') killed++;
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
      const points = await pointsOf(argsOf(kind, counted));
      counted.stopped = kind;
      let killed = 0;
      for (const point of sampled(points, kind, samples.stopKilled)) {
        const subject = freshSubject();
        if ((await runAt(point, 'KILL', argsOf(kind, subject)).ended).signal === 'SIGKILL') killed++;
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
    const left = readdirSync(dirname(plant.store)).filter((name) => /restored|-journal$/.test(name));
    expect(left).toEqual([]);
    const journal = readFileSync(join(dirname(plant.store), 'hkctl.revocations'), 'utf8');
    expect(journal.endsWith('\n')).toBe(true);
  });
});
