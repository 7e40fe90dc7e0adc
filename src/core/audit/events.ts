export const auditActions = [
  'store.init',
  'profile.use',
  'key.create',
  'key.rotate',
  'key.revoke',
  'key.note',
  'key.list',
  'key.verify',
  'user.list',
  'user.add',
  'user.activate',
  'user.deactivate',
  'user.set_role',
  'entity.list',
  'entity.add',
  'entity.activate',
  'entity.deactivate',
  'entity.remove',
  'tenant.list',
  'tenant.add',
  'tenant.set',
  'records.import',
  'readings.import',
  'sensors.export',
  'sensors.erase',
  'audit.read',
  'store.migrate',
  'store.backup',
  'store.restore',
  'store.doctor',
  'store.status',
  'store.accept_clock',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What became of an action. */
export const auditOutcomes = ['done', 'denied', 'failed'] as const;

/** An event before it is appended to the chain. It never contains a secret. */
export interface AuditDraft {
  tenantId: string | null;
  atMs: number;
  action: AuditAction;
  actor: { id: string; login: string } | null;
  /** The account of the operating system that acted. */
  osAccount: string;
  /** The object of the action: a key's prefix, a login, an entity's code, a resource. */
  target: string;
  outcome: (typeof auditOutcomes)[number];
  /** Further facts, small and flat. */
  detail: Readonly<Record<string, string | number | boolean | null>>;
}

/** An event in the chain. `hash` covers all its fields and the hash of the record before. */
export interface AuditRecord extends AuditDraft {
  seq: number;
  previousHash: string;
  hash: string;
}

/** The end of a chain: the number of its records and the hash of the last one. A head kept elsewhere is an anchor. */
export interface AuditHead {
  count: number;
  hash: string;
}
