import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Actor, type Domain, findActor } from '../../src/core/actors.ts';
import { verifyAudit } from '../../src/core/audit-trail.ts';
import { refusalOf } from '../../src/core/authentication.ts';
import { setEntityStatus } from '../../src/core/entities.ts';
import { isHkctlError } from '../../src/core/errors.ts';
import { listKeys, revokeKeys, statusOf } from '../../src/core/keys.ts';
import { createKey, type HandedKey, rotateKeys } from '../../src/core/minting.ts';
import { hashOf } from '../../src/core/secrets.ts';
import type { Key } from '../../src/core/store.ts';
import { initialise } from '../../src/core/tenants.ts';
import { addUser, updateUser } from '../../src/core/users.ts';
import { createStore, openStore } from '../../src/store/open.ts';

const migrationsFolder = join(__dirname, '..', '..', 'migrations');
const dayMs = 86_400_000;

/** One step of one of two processes on the same store; `pick` chooses among the keys there are. */
type Step = { by: 0 | 1; pick: number } & (
  | { do: 'create'; days: number | null }
  | { do: 'rotate' | 'revoke' | 'race' }
  | { do: 'user' | 'entity'; active: boolean }
  | { do: 'wait'; days: number }
);

const common = { by: fc.constantFrom(0 as const, 1 as const), pick: fc.nat(20) };
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ ...common, do: fc.constant('create' as const), days: fc.option(fc.integer({ min: 1, max: 5 })) }),
  fc.record({
    ...common,
    do: fc.constantFrom('rotate' as const, 'rotate' as const, 'revoke' as const, 'race' as const),
  }),
  fc.record({ ...common, do: fc.constantFrom('user' as const, 'entity' as const), active: fc.boolean() }),
  fc.record({ ...common, do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 3 }) }),
);

interface Process {
  domain: Domain;
  actor: Actor;
}

/** What a sequential model expects of a secret; the store must agree after every step. */
interface Known {
  id: string;
  expiresAtMs: number | null;
  revoked: boolean;
  /** Which of the two made it. */
  maker: 0 | 1;
}

class World {
  nowMs = Date.parse('2026-11-20T08:00:00Z');
  readonly secrets = new Map<string, Known>();
  userActive = true;
  entityActive = true;

  constructor(
    readonly processes: readonly [Process, Process],
    readonly entityCode: string,
  ) {}

  async step(step: Step): Promise<void> {
    try {
      await this.perform(step);
    } catch (thrown) {
      if (!isHkctlError(thrown) || !['key_not_active', 'entity_inactive', 'not_found'].includes(thrown.code))
        throw thrown;
    }
    await this.check();
  }

  private async perform(step: Step): Promise<void> {
    const { domain, actor } = this.processes[step.by];
    const keys = await listKeys(domain, actor, { nowMs: this.nowMs }, { limit: 500 });
    const key = keys[step.pick % Math.max(1, keys.length)];
    if (step.do === 'wait') this.nowMs += step.days * dayMs;
    else if (step.do === 'create') await this.create(step.by, step.days);
    else if (step.do === 'user') {
      await updateUser(domain, actor, 'second', { status: step.active ? 'active' : 'inactive' });
      this.userActive = step.active;
    } else if (step.do === 'entity') {
      await setEntityStatus(domain, actor, this.entityCode, step.active ? 'active' : 'inactive');
      this.entityActive = step.active;
    } else if (!key) return;
    else if (step.do === 'revoke') await this.revoke(step.by, key);
    else if (step.do === 'rotate') await this.rotate(step.by, key);
    else await this.race(key);
  }

  private async create(by: 0 | 1, days: number | null): Promise<void> {
    const { domain, actor } = this.processes[by];
    const entity = await domain.store.entities.find(actor.user.tenantId, this.entityCode);
    if (!entity) throw new Error('no entity');
    const expiresAtMs = days === null ? null : this.nowMs + days * dayMs;
    const handed = collecting();
    const input = { name: 'key', entity, permissions: ['parts.view' as const], expiresAtMs };
    await createKey(domain, actor, input, handed);
    this.note(by, handed.handed);
  }

  private async rotate(by: 0 | 1, key: Key): Promise<void> {
    const { domain, actor } = this.processes[by];
    const handed = collecting();
    await rotateKeys(domain, actor, [key.id], handed);
    this.note(by, handed.handed);
  }

  private async revoke(by: 0 | 1, key: Key): Promise<void> {
    const { domain, actor } = this.processes[by];
    await revokeKeys(domain, actor, [key.id]);
    this.known(key.id).revoked = true;
  }

  /** Both rotate the same key at once: while one hands its secret over, the other goes all the way. */
  private async race(key: Key): Promise<void> {
    const [first, second] = this.processes;
    const outer = collecting();
    const inner = collecting();
    const race = rotateKeys(first.domain, first.actor, [key.id], {
      ...outer,
      deliver: async (handed) => {
        outer.deliver(handed);
        await rotateKeys(second.domain, second.actor, [key.id], inner);
        this.note(1, inner.handed);
      },
    });
    await expect(race).rejects.toMatchObject({ code: 'key_not_active' });
    // Its secret was handed over and not kept: it must open nothing, now and ever.
    for (const { secret } of outer.handed)
      expect(await first.domain.store.keys.credential(hashOf(secret))).toBeUndefined();
  }

  private note(maker: 0 | 1, handed: readonly HandedKey[]): void {
    for (const { secret, key, revoked } of handed) {
      this.secrets.set(secret, { id: key.id, expiresAtMs: key.expiresAtMs, revoked: false, maker });
      if (revoked) this.known(revoked.id).revoked = true;
    }
  }

  private known(id: string): Known {
    const found = [...this.secrets.values()].find((known) => known.id === id);
    if (!found) throw new Error(`nobody was handed the secret of ${id}`);
    return found;
  }

  /** Both processes see what the model says. */
  private async check(): Promise<void> {
    for (const { domain, actor } of this.processes) {
      const keys = await listKeys(domain, actor, { nowMs: this.nowMs }, { limit: 500 });
      expect(keys.length).toBe(this.secrets.size);
      for (const [secret, known] of this.secrets) {
        const credential = await domain.store.keys.credential(hashOf(secret));
        expect(credential?.keyId).toBe(known.id);
        const letIn = credential !== undefined && refusalOf(credential, this.nowMs) === undefined;
        const alive = !known.revoked && (known.expiresAtMs === null || known.expiresAtMs > this.nowMs);
        expect(letIn).toBe(alive && this.entityActive && (known.maker === 0 || this.userActive));
      }
      for (const key of keys) {
        if (key.rotatedTo === null) continue;
        expect(statusOf(key, this.nowMs)).toBe('Revoked');
        const successors = keys.filter(({ rotatedFrom }) => rotatedFrom === key.id);
        expect(successors.map(({ id }) => id)).toEqual([key.rotatedTo]);
      }
      expect(new Set(keys.map(({ prefix }) => prefix)).size).toBe(keys.length);
    }
  }
}

function collecting() {
  const handed: HandedKey[] = [];
  return { handed, deliver: (some: readonly HandedKey[]) => void handed.push(...some), complete() {}, withdraw() {} };
}

async function openWorld(): Promise<{ world: World; close: () => Promise<void> }> {
  const path = join(mkdtempSync(join(tmpdir(), 'hkctl-interleave-')), 'hkctl.db');
  let world: World | undefined;
  const clock = () => world?.nowMs ?? Date.parse('2026-11-20T08:00:00Z');
  const options = { clock, migrationsFolder, writerThread: undefined };
  const first = await createStore(path, options);
  const second = openStore(path, options);
  const domains = [first, second].map((store): Domain => ({ store, clock, random: randomBytes, newId: randomUUID }));
  const [one, two] = domains;
  if (!one || !two) throw new Error('two stores');
  const entity = { code: 'BER', name: 'Berlin', timezone: 'Europe/Berlin' };
  await initialise(one, { name: 'Acme', weekStart: 'monday', entity, admin: { login: 'first', name: 'First' } }, 'os');
  const admin = await findActor(one, 'first', 'os');
  await addUser(one, admin, { login: 'second', name: 'Second', role: 'super_user' });
  const processes: [Process, Process] = [
    { domain: one, actor: admin },
    { domain: two, actor: await findActor(two, 'second', 'os') },
  ];
  world = new World(processes, 'BER');
  return { world, close: async () => void (await Promise.all([first.close(), second.close()])) };
}

describe('two processes on one store', () => {
  it('keep every secret to one key, every revoked key shut, one successor a rotation, and the chain whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 25 }), async (sequence) => {
        const { world, close } = await openWorld();
        try {
          for (const step of sequence) await world.step(step);
          const [{ domain, actor }] = world.processes;
          expect((await verifyAudit(domain, actor)).broken).toBeNull();
        } finally {
          await close();
        }
      }),
      { numRuns: 30 },
    );
  }, 120_000);
});
