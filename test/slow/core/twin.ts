import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyAudit } from '../../../src/core/audit/trail.ts';
import { type Actor, findActor } from '../../../src/core/domain/actors.ts';
import type { Domain } from '../../../src/core/domain/domain.ts';
import { isHkctlError } from '../../../src/core/errors.ts';
import { refusalOf } from '../../../src/core/keys/authentication.ts';
import type { DeliveredKey, SecretDelivery } from '../../../src/core/keys/issuance.ts';
import { statusOf } from '../../../src/core/keys/keys.ts';
import { setEntityStatus } from '../../../src/core/organization/entities.ts';
import { updateUser } from '../../../src/core/organization/users.ts';
import { hashOf } from '../../../src/core/secrets.ts';
import { openStore } from '../../../src/store/sqlite/opening.ts';
import { createKey, revokeKeys, rotateKeys } from '../../core/key-operations.ts';
import { steadyBy } from '../../core/steady.ts';

/** The order to one of two processes; `pauseMs` is how long the delivery of a secret takes. */
export type Order =
  | { do: 'open'; path: string; migrationsFolder: string; login: string }
  | { do: 'create'; expiresAtMs: number | null; pauseMs: number }
  | { do: 'rotate'; id: string; pauseMs: number }
  | { do: 'revoke'; id: string }
  | { do: 'user'; active: boolean }
  | { do: 'entity'; active: boolean }
  | { do: 'read'; secrets: string[] }
  | { do: 'verify' };

/** What came of it: the code of a refusal, and what was delivered, kept or not. */
export interface Answer {
  refused: string | null;
  delivered: { secret: string; id: string; expiresAtMs: number | null; oldId: string | null }[];
  seen?: Seen;
  broken?: unknown;
}

/** What a process sees. */
export interface Seen {
  keys: {
    id: string;
    prefix: string;
    status: string;
    rotatedFrom: string | null;
    rotatedTo: string | null;
  }[];
  /** For each secret the key it opens, and whether a call with it would be let in. */
  opens: { id: string | null; letIn: boolean }[];
  userActive: boolean;
  entityActive: boolean;
}

let nowMs = 0;
let domain: Domain | undefined;
let actor: Actor | undefined;

process.on('message', async ({ order, atMs }: { order: Order; atMs: number }) => {
  nowMs = atMs;
  const delivered: Answer['delivered'] = [];
  try {
    process.send?.({ refused: null, delivered, ...(await obey(order, delivered)) });
  } catch (thrown) {
    if (isHkctlError(thrown)) process.send?.({ refused: thrown.code, delivered });
    else process.send?.({ refused: String(thrown), delivered });
  }
});

async function obey(order: Order, delivered: Answer['delivered']): Promise<Partial<Answer>> {
  if (order.do === 'open') {
    await domain?.store.close();
    const clock = () => nowMs;
    const store = openStore(order.path, { clock, migrationsFolder: order.migrationsFolder });
    domain = { store, ...steadyBy(clock), random: randomBytes, newId: randomUUID };
    actor = await findActor(domain, order.login, 'os');
    return {};
  }
  if (!domain || !actor) throw new Error('no store is open');
  if (order.do === 'create') {
    const entity = await domain.store.entities.find(actor.user.tenantId, 'BER');
    if (!entity) throw new Error('no entity');
    const input = {
      name: 'key',
      entity,
      permissions: ['parts.view' as const],
      expiresAtMs: order.expiresAtMs,
    };
    await createKey(domain, actor, input, collecting(delivered, order.pauseMs));
  } else if (order.do === 'rotate')
    await rotateKeys(domain, actor, [order.id], collecting(delivered, order.pauseMs));
  else if (order.do === 'revoke') await revokeKeys(domain, actor, [order.id]);
  else if (order.do === 'user')
    await updateUser(domain, actor, 'second', { status: statusFor(order.active) });
  else if (order.do === 'entity')
    await setEntityStatus(domain, actor, 'BER', statusFor(order.active));
  else if (order.do === 'verify') return { broken: (await verifyAudit(domain, actor)).broken };
  else return { seen: await readAll(domain, actor, order.secrets) };
  return {};
}

function statusFor(active: boolean): 'active' | 'inactive' {
  return active ? 'active' : 'inactive';
}

function collecting(delivered: Answer['delivered'], pauseMs: number): SecretDelivery {
  return {
    async deliver(some: readonly DeliveredKey[]) {
      for (const { secret, key, revoked } of some) {
        delivered.push({
          secret,
          id: key.id,
          expiresAtMs: key.expiresAtMs,
          oldId: revoked?.id ?? null,
        });
      }
      await pause(pauseMs);
    },
    complete() {},
    withdraw() {},
  };
}

async function readAll({ store }: Domain, by: Actor, secrets: readonly string[]): Promise<Seen> {
  const { tenantId } = by.user;
  const opens: Seen['opens'] = [];
  for (const secret of secrets) {
    const credential = await store.keys.credential(hashOf(secret));
    const letIn = credential !== undefined && refusalOf(credential, nowMs) === undefined;
    opens.push({ id: credential?.keyId ?? null, letIn });
  }
  const keys = await store.keys.list(tenantId, { nowMs }, { limit: 500 });
  return {
    keys: keys.map((key) => ({
      id: key.id,
      prefix: key.prefix,
      status: statusOf(key, nowMs),
      rotatedFrom: key.rotatedFrom,
      rotatedTo: key.rotatedTo,
    })),
    opens,
    userActive: (await store.users.findByLogin('second'))?.status === 'active',
    entityActive: (await store.entities.find(tenantId, 'BER'))?.status === 'active',
  };
}
