import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clientPermissions,
  defaultPermissions,
  normalisePermissions,
  permissionGroups,
  presets,
} from '../../../src/core/access/permissions.ts';
import {
  type Role,
  roleHolds,
  roleNames,
  rolesHolding,
  type UserPermission,
} from '../../../src/core/access/roles.ts';
import { findActor, requirePermissions } from '../../../src/core/domain/actors.ts';
import { addUser, updateUser } from '../../../src/core/organization/users.ts';
import { HttpPlant } from '../../http/plant.ts';

let plant: HttpPlant;
beforeAll(async () => {
  plant = await HttpPlant.open();
});
afterAll(() => plant.domain.store.close());

const lastEvent = async () =>
  (await plant.domain.store.audit.list(plant.actor.user.tenantId, { limit: 1, ofStore: true }))[0];

describe('a role', () => {
  const all: UserPermission[] = [
    'api_keys.view',
    'api_keys.create',
    'api_keys.delete',
    'users.manage',
    'entities.manage',
    'tenant.manage',
    'store.manage',
    'records.import',
  ];
  // The specification, 2.3, and the contract, section 2.
  const table: Record<Role, UserPermission[]> = {
    super_user: all,
    entity_admin: ['api_keys.view', 'api_keys.create', 'api_keys.delete'],
    manager: [],
    operator: [],
    master_data: ['records.import'],
  };

  it.each(Object.entries(table) as [Role, UserPermission[]][])(
    '%s holds what the contract says',
    (role, held) => {
      expect(all.filter((permission) => roleHolds(role, permission))).toEqual(held);
    },
  );

  it('is one of five, and those that hold a permission are named', () => {
    expect([...roleNames].sort()).toEqual(Object.keys(table).sort());
    expect(rolesHolding('api_keys.create')).toEqual(['Super user', 'Entity admin']);
    expect(rolesHolding('records.import')).toEqual(['Super user', 'Master data']);
    expect(rolesHolding('store.manage')).toEqual(['Super user']);
  });
});

describe('a profile', () => {
  it('that there is not may do nothing, and the attempt is kept', async () => {
    await expect(findActor(plant.domain, 'nobody', 'mallory')).rejects.toMatchObject({
      code: 'no_profile',
    });
    expect(await lastEvent()).toMatchObject({
      action: 'profile.use',
      outcome: 'denied',
      actor: null,
      osAccount: 'mallory',
      target: 'nobody',
      detail: { reason: 'no_profile' },
    });
  });

  it('that is inactive may do nothing, and the attempt is kept', async () => {
    const login = 'left-the-company';
    await addUser(plant.domain, plant.actor, { login, name: 'Lee', role: 'super_user' });
    expect(await findActor(plant.domain, login, 'lee')).toMatchObject({
      user: { login },
      osAccount: 'lee',
    });
    await updateUser(plant.domain, plant.actor, login, { status: 'inactive' });
    await expect(findActor(plant.domain, login, 'lee')).rejects.toMatchObject({
      code: 'profile_inactive',
    });
    expect(await lastEvent()).toMatchObject({
      action: 'profile.use',
      outcome: 'denied',
      actor: { login },
      detail: { reason: 'profile_inactive' },
    });
  });

  it('that holds the permission for one action is refused another', async () => {
    const user = await addUser(plant.domain, plant.actor, {
      login: 'data',
      name: 'Dana',
      role: 'master_data',
    });
    const actor = { user, osAccount: 'data' };
    await requirePermissions(plant.domain, actor, 'records.import', 'parts');
    await expect(
      requirePermissions(plant.domain, actor, 'store.backup', 'parts'),
    ).rejects.toMatchObject({
      code: 'not_permitted',
      message: expect.stringContaining('store.manage'),
    });
    expect(await lastEvent()).toMatchObject({
      outcome: 'denied',
      target: 'parts',
      detail: { missing: 'store.manage' },
    });
  });
});

describe('the client permissions', () => {
  it('are those of the contract, each in one group', () => {
    expect(
      permissionGroups.flatMap(({ permissions }) => permissions.map(({ key }) => key)),
    ).toEqual([...clientPermissions]);
    expect(clientPermissions.length).toBe(21);
  });

  it('of the presets are those of the specification', () => {
    expect(presets['sensor-gateway'].permissions).toEqual(['asset_sensors.ingest']);
    expect(presets['operational-core'].permissions).toEqual([...clientPermissions]);
    expect(presets['production-only'].permissions).toEqual([
      'production_jobs.view',
      'production_orders.view',
      'production_quality.view',
      'oee_events.view',
    ]);
    expect(defaultPermissions).toEqual(['jobs_orders.view']);
  });

  it('are put in order, each once', () => {
    expect(normalisePermissions(['parts.view', 'jobs_orders.view', 'parts.view'])).toEqual([
      'jobs_orders.view',
      'parts.view',
    ]);
  });
});
