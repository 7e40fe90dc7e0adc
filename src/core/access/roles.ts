/** Permissions of a user for keys (promise 2.3) and the rest of the store (promise 2.3). */
export type UserPermission =
  | 'api_keys.view'
  | 'api_keys.create'
  | 'api_keys.delete'
  | 'users.manage'
  | 'entities.manage'
  | 'tenant.manage'
  /** Backup, restore, migration and clock of the whole store; only in the first organization. */
  | 'store.manage'
  | 'store.check'
  | 'records.import';

/** Every action that the audit trail names, with the permissions that an actor needs for it. */
export const actions = {
  'store.init': [],
  'profile.use': [],
  'key.create': ['api_keys.create'],
  'key.rotate': ['api_keys.create', 'api_keys.delete'],
  'key.revoke': ['api_keys.delete'],
  'key.note': ['api_keys.create'],
  'key.list': ['api_keys.view'],
  'key.verify': ['api_keys.view'],
  'user.list': ['users.manage'],
  'user.add': ['users.manage'],
  'user.activate': ['users.manage'],
  'user.deactivate': ['users.manage'],
  'user.set_role': ['users.manage'],
  'entity.list': [],
  'entity.add': ['entities.manage'],
  'entity.set': ['entities.manage'],
  'entity.activate': ['entities.manage'],
  'entity.deactivate': ['entities.manage'],
  'entity.remove': ['entities.manage'],
  'tenant.list': ['tenant.manage'],
  'tenant.add': ['tenant.manage', 'store.manage'],
  'tenant.set': ['tenant.manage'],
  'records.import': ['records.import'],
  'readings.import': ['records.import'],
  'sensors.export': [],
  // As the removal of an entity, which takes all of its readings.
  'sensors.erase': ['entities.manage'],
  'audit.read': ['tenant.manage'],
  'store.migrate': ['store.manage'],
  'store.backup': ['store.manage'],
  'store.restore': ['store.manage'],
  'store.doctor': ['store.check'],
  'store.status': ['api_keys.view'],
  'store.accept_clock': ['store.manage'],
} as const satisfies Record<string, readonly UserPermission[]>;
export type AuditAction = keyof typeof actions;

const keyPermissions = ['api_keys.view', 'api_keys.create', 'api_keys.delete'] as const;

export const roles = {
  super_user: {
    label: 'Super user',
    permissions: [
      ...keyPermissions,
      'users.manage',
      'entities.manage',
      'tenant.manage',
      'store.manage',
      'store.check',
      'records.import',
    ],
  },
  entity_admin: { label: 'Entity admin', permissions: keyPermissions },
  manager: { label: 'Manager', permissions: [] },
  operator: { label: 'Operator', permissions: [] },
  master_data: { label: 'Master data', permissions: ['records.import'] },
} as const satisfies Record<string, { label: string; permissions: readonly UserPermission[] }>;

export type Role = keyof typeof roles;

export const roleNames = Object.keys(roles) as Role[]; // Object.keys loses the literal type of a const object

export function roleHolds(role: Role, permission: UserPermission): boolean {
  return (roles[role].permissions as readonly UserPermission[]).includes(permission);
}

/** Whether a role holds any permission that the other does not. */
export function roleExceeds(role: Role, other: Role): boolean {
  return roles[role].permissions.some((permission) => !roleHolds(other, permission));
}

/** A role that holds nothing beyond either of two: the second if it is the lower one. */
export function commonRole(first: Role, second: Role): Role {
  const isWithinBoth = (role: Role) => !roleExceeds(role, first) && !roleExceeds(role, second);

  return [second, ...roleNames].find(isWithinBoth) ?? 'operator';
}

/** The labels of the roles that hold a permission, for the sentence that says whom to ask. */
export function rolesHolding(permission: UserPermission): string[] {
  const holdingRoles = roleNames.filter((role) => roleHolds(role, permission));
  return holdingRoles.map((role) => roles[role].label);
}

/** Whether a profile is an active Super user, of whom every organization needs one. */
export function isActiveSuperUser({
  role,
  status,
}: {
  role: Role;
  status: 'active' | 'inactive';
}): boolean {
  return role === 'super_user' && status === 'active';
}
