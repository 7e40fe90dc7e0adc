import { describe, expect, it } from 'vitest';
import {
  commonRole,
  isActiveSuperUser,
  type Role,
  roleExceeds,
  roleHolds,
  roleNames,
  rolesHolding,
} from '../../../src/core/access/roles.ts';

const withoutPermissions: readonly Role[] = ['manager', 'operator'];

describe('a role', () => {
  it('holds the permissions that are named for it, and no other', () => {
    expect(roleHolds('entity_admin', 'api_keys.create')).toBe(true);
    expect(roleHolds('entity_admin', 'users.manage')).toBe(false);
    expect(roleHolds('master_data', 'records.import')).toBe(true);
    expect(roleHolds('master_data', 'api_keys.view')).toBe(false);
    expect(rolesHolding('api_keys.view')).toEqual(['Super user', 'Entity admin']);
    expect(rolesHolding('records.import')).toEqual(['Super user', 'Master data']);
    expect(rolesHolding('store.manage')).toEqual(['Super user']);
  });

  it('exceeds another one by any permission that the other does not hold', () => {
    for (const role of roleNames) {
      expect([role, roleExceeds(role, role)]).toEqual([role, false]);
      expect([role, roleExceeds(role, 'super_user')]).toEqual([role, false]);
      expect([role, roleExceeds(role, 'operator')]).toEqual([
        role,
        !withoutPermissions.includes(role),
      ]);
    }
    expect(roleExceeds('entity_admin', 'master_data')).toBe(true);
    expect(roleExceeds('master_data', 'entity_admin')).toBe(true);
  });

  it.each<[Role, Role, Role]>([
    ['super_user', 'entity_admin', 'entity_admin'],
    ['entity_admin', 'super_user', 'entity_admin'],
    ['super_user', 'super_user', 'super_user'],
    ['entity_admin', 'master_data', 'manager'],
    ['entity_admin', 'operator', 'operator'],
    ['operator', 'manager', 'manager'],
  ])('in common with %s and %s is %s', (first, second, common) => {
    expect(commonRole(first, second)).toBe(common);
  });

  it('of a Super user counts while the profile is active', () => {
    const counted = roleNames.flatMap((role) =>
      (['active', 'inactive'] as const)
        .filter((status) => isActiveSuperUser({ role, status }))
        .map((status) => [role, status]),
    );
    expect(counted).toEqual([['super_user', 'active']]);
  });
});
