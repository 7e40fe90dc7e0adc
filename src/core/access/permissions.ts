/** Every client permission a key can hold, by group, in the order in which people see them. */
const catalog = [
  { name: 'Jobs and orders', permissions: [{ key: 'jobs_orders.view', label: 'Jobs and Orders view' }] },
  {
    name: 'Production',
    permissions: [
      { key: 'production_jobs.view', label: 'Production jobs' },
      { key: 'production_orders.view', label: 'Orders' },
      { key: 'production_quality.view', label: 'Production quality' },
      { key: 'oee_events.view', label: 'OEE events' },
    ],
  },
  {
    name: 'Inbound and inventory',
    permissions: [
      { key: 'inbound_documents.view', label: 'Inbound documents' },
      { key: 'inventory_items.view', label: 'Inventory items' },
      { key: 'inventory_movements.view', label: 'Inventory movements' },
    ],
  },
  {
    name: 'Quality and safety',
    permissions: [
      { key: 'quality_inspections.view', label: 'Quality inspections' },
      { key: 'non_conformances.view', label: 'Non-conformances' },
      { key: 'safety_incidents.view', label: 'Safety incidents' },
    ],
  },
  {
    name: 'Projects and settings',
    permissions: [
      { key: 'projects.view', label: 'Projects' },
      { key: 'parts.view', label: 'Parts' },
      { key: 'assets.view', label: 'Assets' },
      { key: 'routings.view', label: 'Routings' },
      { key: 'processes.view', label: 'Processes' },
      { key: 'services.view', label: 'Services' },
    ],
  },
  {
    name: 'People and training',
    permissions: [
      { key: 'people.view', label: 'People' },
      { key: 'training_records.view', label: 'Training records' },
    ],
  },
  { name: 'Sensor lookup', permissions: [{ key: 'asset_sensors.view', label: 'Asset sensors' }] },
  { name: 'Sensor gateway', permissions: [{ key: 'asset_sensors.ingest', label: 'Sensor readings and heartbeats' }] },
] as const;

export type ClientPermission = (typeof catalog)[number]['permissions'][number]['key'];

/** A group of client permissions, as the create dialog shows them (specification 2.2; keys by contract, section 4). */
interface PermissionGroup {
  name: string;
  permissions: readonly { key: ClientPermission; label: string }[];
}

export const permissionGroups: readonly PermissionGroup[] = catalog;

export const clientPermissions: readonly ClientPermission[] = permissionGroups.flatMap(({ permissions }) =>
  permissions.map(({ key }) => key),
);

export const permissionLabels: ReadonlyMap<string, string> = new Map(
  permissionGroups.flatMap(({ permissions }) => permissions.map(({ key, label }) => [key, label])),
);

/** The presets of the create dialog (specification 2.2). */
export const presets = {
  'sensor-gateway': { label: 'Sensor gateway', permissions: ['asset_sensors.ingest'] },
  'operational-core': { label: 'Operational core', permissions: [...clientPermissions] },
  'production-only': {
    label: 'Production only',
    permissions: ['production_jobs.view', 'production_orders.view', 'production_quality.view', 'oee_events.view'],
  },
} as const satisfies Record<string, { label: string; permissions: readonly ClientPermission[] }>;

export type PresetName = keyof typeof presets;

/** What is ticked when the create dialog opens. */
export const defaultPermissions: readonly ClientPermission[] = ['jobs_orders.view'];

/** Sorts into catalog order and drops repeats, so that equal sets look equal. */
export function normalisePermissions(permissions: Iterable<ClientPermission>): ClientPermission[] {
  const wanted = new Set(permissions);
  return clientPermissions.filter((permission) => wanted.has(permission));
}
