import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, findActor } from '../../../src/core/domain/actors.ts';
import type { Domain } from '../../../src/core/domain/domain.ts';
import type { SecretDelivery } from '../../../src/core/keys/issuance.ts';
import { requireEntity, setEntityStatus } from '../../../src/core/organization/entities.ts';
import { updateUser } from '../../../src/core/organization/users.ts';
import type { Store } from '../../../src/core/port/store.ts';
import { engineAt } from '../../../src/store/open.ts';
import { createKey, revokeKeys, rotateKeys } from '../../core/key-operations.ts';
import { steadyBy } from '../../core/steady.ts';
import { getText, Wire } from '../../e2e/client.ts';
import { type Daemon, Plant } from '../../e2e/plant.ts';
import { storeOptions } from '../../store/stores.ts';

/** On PostgreSQL each change waits for a server; test/slow/postgres/revocation.test.ts has more rounds there. */
const mostRounds = process.env.TEST_HKCTL_ENGINE === 'postgres' ? 300 : 2000;

// A command takes a tenth of a second to start: for thousands of rounds this process makes the changes itself, beside the daemon.
describe('thousands of rounds between two processes', () => {
  let plant: Plant;
  let daemon: Daemon;
  let store: Store;
  let domain: Domain;
  let admin: Actor;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.ok(['users', 'add', 'carla', '--name', 'Carla', '--role', 'entity_admin']);
    daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'silent' });
    store = await engineAt(plant.place, { ...storeOptions, clock: Date.now }).open();
    domain = { store, ...steadyBy(Date.now), random: randomBytes, newId: randomUUID };
    admin = await findActor(domain, 'admin', 'test');
  });
  afterAll(async () => {
    await store.close();
    await plant.close();
  });

  /** Catches the secret of a key that is made or rotated. */
  function catching() {
    const caught: { secrets: string[] } & SecretDelivery = {
      secrets: [],
      deliver: (delivered) => {
        caught.secrets = delivered.map(({ secret }) => secret);
      },
      complete() {},
      withdraw() {},
    };
    return caught;
  }

  async function newKey(actor: Actor): Promise<{ id: string; secret: string }> {
    const entity = await requireEntity(domain, actor, 'BER');
    const delivery = catching();
    const input = {
      name: 'Round',
      entity,
      permissions: ['parts.view'] as const,
      expiresAtMs: null,
    };
    const { id } = await createKey(domain, actor, input, delivery);
    return { id, secret: delivery.secrets[0] ?? '' };
  }

  it('no request is let in that was written after the change was kept, none refused before', async () => {
    const carla = await findActor(domain, 'carla', 'test');
    const wires = [new Wire(daemon.port), new Wire(daemon.port)];
    const ofCarla = await newKey(carla);
    const ofAdmin = await newKey(admin);
    const wrong: string[] = [];
    const counted = { allowed: 0, refused: 0 };

    /** What has not been answered yet when the change is kept may go either way; what is written after it may not. */
    const around = async (
      what: string,
      secret: string,
      change: () => Promise<unknown>,
      before: number,
      after: number,
    ) => {
      const text = getText('/api/v1/me', secret);
      const [first, second] = wires as [Wire, Wire]; // there are two
      first.write(text);
      expect(await first.take(1), what).toEqual([before]);
      // In flight on the one connection while the change is made; on the other nothing is under way.
      first.write(text.repeat(3));
      await change();
      first.write(text.repeat(2));
      second.write(text);
      const [statuses, alone] = await Promise.all([first.take(5), second.take(1)]);
      for (const status of [...statuses.slice(3), ...alone]) {
        if (status !== after) wrong.push(`${what}: ${status}`);
        counted[status === 200 ? 'allowed' : 'refused']++;
      }
    };

    let rounds = 0;
    while (rounds < mostRounds) {
      const { id, secret } = await newKey(admin);
      await around('revoke', secret, () => revokeKeys(domain, admin, [id]), 200, 401);
      const rotated = await newKey(admin);
      await around(
        'rotate',
        rotated.secret,
        () => rotateKeys(domain, admin, [rotated.id], catching()),
        200,
        401,
      );
      const user = (status: 'active' | 'inactive') => () =>
        updateUser(domain, admin, 'carla', { status });
      await around('user off', ofCarla.secret, user('inactive'), 200, 401);
      await around('user on', ofCarla.secret, user('active'), 401, 200);
      const entity = (status: 'active' | 'inactive') => () =>
        setEntityStatus(domain, admin, 'BER', status);
      await around('entity off', ofAdmin.secret, entity('inactive'), 200, 403);
      await around('entity on', ofAdmin.secret, entity('active'), 403, 200);
      rounds += 6;
    }
    for (const wire of wires) wire.end();
    expect(wrong).toEqual([]);
    expect(counted).toEqual({ allowed: rounds, refused: rounds * 2 });
  }, 120_000);
});
