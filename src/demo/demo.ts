import type { Role } from '../core/access/roles.ts';
import type { Actor } from '../core/domain/actors.ts';
import type { Domain } from '../core/domain/domain.ts';
import { addEntity } from '../core/organization/entities.ts';
import { addUser } from '../core/organization/users.ts';
import type { Entity } from '../core/port/entities.ts';
import { maxBatch } from '../core/readings/rejections.ts';
import { importRecords } from '../core/records/imports.ts';
import { createRecordValidator } from '../core/records/validator.ts';
import { resources } from '../resources/index.ts';
import { addDemoKeys } from './keys.ts';
import { batchesOf, demoReadings, faultySensor } from './readings.ts';
import { demoRecords } from './records.ts';

/** The made-up organization that `init --demo` adds to the first entity and Super user. */
const demoPlant = {
  /** Added to the first entity, with the second code if that has the first. */
  secondEntity: {
    codes: ['CHI', 'CHI-2'],
    name: 'Chicago machining',
    timezone: 'America/Chicago',
  },
  users: [
    { login: 'demo-admin', name: 'Katrin Vogel', role: 'entity_admin' },
    { login: 'demo-manager', name: 'Marcus Hill', role: 'manager' },
    { login: 'demo-operator', name: 'Jana Krüger', role: 'operator' },
    { login: 'demo-erp', name: 'ERP nightly import', role: 'master_data' },
  ] satisfies { login: string; name: string; role: Role }[],
  /** The same seed gives the same plant on the same day. */
  seed: 20_260,
} as const;

/** Commands that show the made-up plant best: sentences, each with its command. */
export const thingsToTry = (entity: string) =>
  [
    ['The page of all keys (i shows the revoked one, q leaves it)', 'keys'],
    [
      'The last day of a sensor that broke some hours ago',
      `sensors show ${faultySensor} --entity ${entity}`,
    ],
    ['What needs attention; this plant has faults, hence exit code 5', 'status'],
  ] as const;

/**
 * Adds the made-up plant to a new store by the ordinary operations: the records of {@link loadRecords}, a day of readings, and
 * keys in every state. Of the sensors of the first entity one is faulty and one silent. The actor is a Super user. Returns
 * {@link thingsToTry}.
 */
export async function loadDemo(
  domain: Domain,
  actor: Actor,
  entity: Entity,
): Promise<ReturnType<typeof thingsToTry>> {
  const secondEntity = await loadRecords(domain, actor, entity);
  const rejectedMs = await addReadings(domain, entity, {
    seed: demoPlant.seed,
    hasFaults: true,
  });
  await addReadings(domain, secondEntity, {
    seed: demoPlant.seed + 1,
    hasFaults: false,
  });
  await addDemoKeys(domain, actor, {
    entity,
    rejectedMs,
    seed: demoPlant.seed,
  });
  return thingsToTry(entity.code);
}

/** Adds a second entity, a user of each role, and for both entities records of every resource, with fifty sensors; returns the second. */
export async function loadRecords(domain: Domain, actor: Actor, entity: Entity): Promise<Entity> {
  const { codes, ...details } = demoPlant.secondEntity;
  const isFirstTaken = entity.code.toUpperCase() === codes[0];
  const code = codes[isFirstTaken ? 1 : 0];
  const secondEntity = await addEntity(domain, actor, { ...details, code });
  for (const user of demoPlant.users) {
    if (user.login !== actor.user.login) {
      await addUser(domain, actor, user);
    }
  }

  for (const [index, plantEntity] of [entity, secondEntity].entries()) {
    const today = new Date(domain.clock()).toISOString().slice(0, 10);
    const drawnResources = demoRecords(resources, { seed: demoPlant.seed + index, today });
    for (const { resource, records } of drawnResources) {
      const validator = createRecordValidator(resource);
      records.forEach((record, position) => {
        validator.validateObject(record, position + 1);
      });
      validator.violations.refuse();
      await importRecords(domain, actor, {
        resource,
        entity: plantEntity.code,
        rows: [validator.take()],
        replace: false,
        dryRun: false,
      });
    }
  }
  return secondEntity;
}

async function addReadings(
  { store: { readings }, clock }: Domain,
  { id, timezone }: Entity,
  plant: { seed: number; hasFaults: boolean },
): Promise<number[]> {
  const nowMs = clock();
  const sensors = await readings.directory(id);
  const sentData = demoReadings(sensors, { nowMs, timezone, ...plant });
  const { rows, heartbeats, rejectedMs } = sentData;
  for (const batch of batchesOf(rows, maxBatch)) {
    await readings.append(batch);
  }
  await readings.appendHeartbeats(heartbeats);
  return rejectedMs;
}
