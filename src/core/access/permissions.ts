/** Every client permission a key can hold, by group, in the order in which people see them (promise 4.1). */
const catalog = {
  'Jobs and orders': { 'jobs_orders.view': 'Jobs and Orders view' },
  Production: {
    'production_jobs.view': 'Production jobs',
    'production_orders.view': 'Orders',
    'production_quality.view': 'Production quality',
    'oee_events.view': 'OEE events',
  },
  'Inbound and inventory': {
    'inbound_documents.view': 'Inbound documents',
    'inventory_items.view': 'Inventory items',
    'inventory_movements.view': 'Inventory movements',
  },
  'Quality and safety': {
    'quality_inspections.view': 'Quality inspections',
    'non_conformances.view': 'Non-conformances',
    'safety_incidents.view': 'Safety incidents',
  },
  'Projects and settings': {
    'projects.view': 'Projects',
    'parts.view': 'Parts',
    'assets.view': 'Assets',
    'routings.view': 'Routings',
    'processes.view': 'Processes',
    'services.view': 'Services',
  },
  'People and training': { 'people.view': 'People', 'training_records.view': 'Training records' },
  'Sensor lookup': { 'asset_sensors.view': 'Asset sensors' },
  'Sensor gateway': { 'asset_sensors.ingest': 'Sensor readings and heartbeats' },
} as const;

type Catalog = typeof catalog;
export type ClientPermission = { [Group in keyof Catalog]: keyof Catalog[Group] }[keyof Catalog];

/** The groups of client permissions, as the create dialog shows them (promise 4.1). */
export const permissionGroups = Object.entries(catalog).map(([name, labels]) => {
  const keys = Object.keys(labels) as ClientPermission[]; // Object.keys loses the literal type of a const object
  const labelsByKey: Record<string, string> = labels;
  return {
    name,
    permissions: keys.map((key) => ({ key, label: labelsByKey[key] ?? key })),
  };
});

export const clientPermissions: readonly ClientPermission[] = permissionGroups
  .flatMap(({ permissions }) => permissions)
  .map(({ key }) => key);

export const permissionLabels: ReadonlyMap<string, string> = new Map(
  permissionGroups.flatMap(({ permissions }) => permissions).map(({ key, label }) => [key, label]),
);

/** The presets of the create dialog (promise 4.1). */
export const presets = {
  'sensor-gateway': { label: 'Sensor gateway', permissions: ['asset_sensors.ingest'] },
  'operational-core': { label: 'Operational core', permissions: [...clientPermissions] },
  'production-only': {
    label: 'Production only',
    permissions: [
      'production_jobs.view',
      'production_orders.view',
      'production_quality.view',
      'oee_events.view',
    ],
  },
} as const satisfies Record<string, { label: string; permissions: readonly ClientPermission[] }>;

export type PresetName = keyof typeof presets;

/** The preset that consists of exactly these permissions. */
export function presetOf(permissions: readonly ClientPermission[]): PresetName | undefined {
  // Object.keys loses the type of the names.
  const names = Object.keys(presets) as PresetName[];
  return names.find((name) => {
    const preset: readonly ClientPermission[] = presets[name].permissions;
    return (
      preset.length === permissions.length && preset.every((each) => permissions.includes(each))
    );
  });
}

/** The permissions that are ticked when the create dialog opens. */
export const defaultPermissions: readonly ClientPermission[] = ['jobs_orders.view'];

/** Sorts into catalog order and drops repeats, so that equal sets look equal. */
export function normalisePermissions(permissions: Iterable<ClientPermission>): ClientPermission[] {
  const wantedPermissions = new Set(permissions);
  return clientPermissions.filter((permission) => wantedPermissions.has(permission));
}
