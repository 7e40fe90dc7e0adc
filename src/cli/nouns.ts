import type { CommandDefinition, Guidance, Noun } from './command/command.ts';

export type NamedCommand = CommandDefinition & { name: string; summary: string };

export interface NamedNoun {
  name: string;
  verbs: readonly NamedCommand[];
  bare?: NamedCommand;
  guidance: Readonly<Record<string, Guidance>>;
}

/** A noun as the program knows it before it is loaded. */
export interface NounEntry {
  name: string;
  summary: string;
  load(): Promise<NamedNoun | NamedCommand>;
}

type NounRow = readonly [
  name: string,
  summary: string,
  file: () => Promise<{ default: Noun | CommandDefinition }>,
];

/** Every noun and every command without one, below the headings of `hkctl --help`, in its order. */
const groups: Readonly<Record<string, readonly NounRow[]>> = {
  Keys: [
    ['keys', 'Create, list, rotate and revoke API keys', () => import('./commands/keys.ts')],
    ['permissions', 'The permissions a key can hold', () => import('./commands/permissions.ts')],
  ],
  Data: [
    [
      'import',
      'Load business records or sensors from a file',
      () => import('./commands/import/import.ts'),
    ],
    [
      'sensors',
      'Asset sensors, their state and their readings',
      () => import('./commands/sensors/noun.ts'),
    ],
  ],
  Plant: [
    ['entities', 'Entities (sites) of the organization', () => import('./commands/entities.ts')],
    ['users', 'User profiles and their roles', () => import('./commands/users.ts')],
    ['tenants', 'Organizations and their settings', () => import('./commands/tenants.ts')],
  ],
  Server: [
    [
      'init',
      'Create a store with its first organization, entity and user',
      () => import('./commands/init.ts'),
    ],
    ['serve', 'Run the API daemon', () => import('./commands/serve/serve.ts')],
    ['openapi', 'Print the OpenAPI document', () => import('./commands/openapi.ts')],
    [
      'examples',
      'Print a program or a configuration, ready to use',
      () => import('./commands/examples.ts'),
    ],
    [
      'systemd-unit',
      'Print a hardened systemd unit for the daemon',
      () => import('./commands/systemd-unit/systemd-unit.ts'),
    ],
    [
      'metrics-rules',
      'Print alert rules for Prometheus, or a Grafana dashboard',
      () => import('./commands/metrics-rules/metrics-rules.ts'),
    ],
    [
      'postgres-roles',
      'Print the SQL for the roles of a store on PostgreSQL',
      async () => ({ default: (await import('./commands/postgres-sql.ts')).postgresRoles }),
    ],
    [
      'postgres-citus',
      'Print the SQL that spreads a store over the workers of Citus',
      async () => ({ default: (await import('./commands/postgres-sql.ts')).postgresCitus }),
    ],
    [
      'completion',
      'Print a completion script for a shell',
      () => import('./commands/completion/completion.ts'),
    ],
  ],
  Maintenance: [
    [
      'status',
      'Show the state of store, daemon, keys, sensors and backups',
      () => import('./commands/status.ts'),
    ],
    ['doctor', 'Check the store, and say what to do', () => import('./commands/doctor.ts')],
    [
      'audit',
      'The audit trail: who did what, when, and was refused what',
      () => import('./commands/audit/audit.ts'),
    ],
    ['backup', 'Write all of the store into one file', () => import('./commands/backup/backup.ts')],
    ['restore', 'Replace this store with a backup', () => import('./commands/backup/restore.ts')],
    ['migrate', 'Bring the store up to this version', () => import('./commands/migrate.ts')],
  ],
};

const toEntry = ([name, summary, importNoun]: NounRow): NounEntry => ({
  name,
  summary,
  async load() {
    const { default: definition } = await importNoun();
    if ('run' in definition) return { summary, ...definition, name };

    const verbs = Object.entries(definition.verbs).map(([verbName, command]) => ({
      ...command,
      name: verbName,
    }));
    const { guidance = {}, bare } = definition;
    return {
      name,
      verbs,
      guidance,
      ...(bare && { bare: { ...bare, name: 'bare' } }),
    };
  },
});

export const nounGroups: Readonly<Record<string, readonly NounEntry[]>> = Object.fromEntries(
  Object.entries(groups).map(([heading, nounRows]) => {
    const entries = nounRows.map(toEntry);
    return [heading, entries];
  }),
);

/** The same without headings. */
export const nouns: readonly NounEntry[] = Object.values(nounGroups).flat();
