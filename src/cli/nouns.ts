import type { CommandDefinition, Noun } from './command/command.ts';

/** A noun as the program knows it before it is loaded. */
export interface NounEntry {
  name: string;
  summary: string;
  load(): Promise<Noun | CommandDefinition>;
}

/** Every noun and every command without one, below the headings of `hkctl --help`, in its order. */
export const nounGroups: Readonly<Record<string, readonly NounEntry[]>> = {
  Keys: [
    {
      name: 'keys',
      summary: 'Create, list, rotate and revoke API keys',
      load: async () => (await import('./commands/keys.ts')).keys,
    },
    {
      name: 'permissions',
      summary: 'The permissions a key can hold',
      load: async () => (await import('./commands/permissions.ts')).permissions,
    },
  ],
  Data: [
    {
      name: 'import',
      summary: 'Load business records or sensors from a file',
      load: async () => (await import('./commands/import/import.ts')).importRecords,
    },
    {
      name: 'sensors',
      summary: 'Asset sensors, their state and their readings',
      load: async () => (await import('./commands/sensors/noun.ts')).sensors,
    },
  ],
  Plant: [
    {
      name: 'entities',
      summary: 'Sites (plants) of the organization',
      load: async () => (await import('./commands/entities.ts')).entities,
    },
    {
      name: 'users',
      summary: 'User profiles and their roles',
      load: async () => (await import('./commands/users.ts')).users,
    },
    {
      name: 'tenants',
      summary: 'Organizations and their settings',
      load: async () => (await import('./commands/tenants.ts')).tenants,
    },
  ],
  Server: [
    {
      name: 'init',
      summary: 'Make a store with its first organization, entity and user',
      load: async () => (await import('./commands/init.ts')).init,
    },
    {
      name: 'serve',
      summary: 'Run the API daemon',
      load: async () => (await import('./commands/serve/serve.ts')).serve,
    },
    {
      name: 'openapi',
      summary: 'Print the OpenAPI document',
      load: async () => (await import('./commands/openapi.ts')).openapi,
    },
    {
      name: 'examples',
      summary: 'Print a program for a gateway or a mirror, ready to run',
      load: async () => (await import('./commands/examples.ts')).examples,
    },
    {
      name: 'systemd-unit',
      summary: 'Print a hardened systemd unit for the daemon',
      load: async () => (await import('./commands/systemd-unit/systemd-unit.ts')).systemdUnit,
    },
    {
      name: 'metrics-rules',
      summary: 'Print alert rules for Prometheus, or a Grafana dashboard',
      load: async () => (await import('./commands/metrics-rules/metrics-rules.ts')).metricsRules,
    },
    {
      name: 'postgres-roles',
      summary: 'Print the SQL for the roles of a store on PostgreSQL',
      load: async () => (await import('./commands/postgres-sql.ts')).postgresRoles,
    },
    {
      name: 'postgres-citus',
      summary: 'Print the SQL that spreads a store over the workers of Citus',
      load: async () => (await import('./commands/postgres-sql.ts')).postgresCitus,
    },
    {
      name: 'completion',
      summary: 'Print a completion script for a shell',
      load: async () => (await import('./commands/completion.ts')).completion,
    },
  ],
  Care: [
    {
      name: 'status',
      summary: 'Show the state of store, daemon, keys, sensors and backups',
      load: async () => (await import('./commands/status.ts')).status,
    },
    {
      name: 'doctor',
      summary: 'Check the store, and say what to do',
      load: async () => (await import('./commands/doctor.ts')).doctor,
    },
    {
      name: 'audit',
      summary: 'The audit trail: who did what, when, and was refused what',
      load: async () => (await import('./commands/audit/audit.ts')).audit,
    },
    {
      name: 'backup',
      summary: 'Write all of the store into one file',
      load: async () => (await import('./commands/backup/backup.ts')).backup,
    },
    {
      name: 'restore',
      summary: 'Put the store of a backup in place of this one',
      load: async () => (await import('./commands/backup/restore.ts')).restore,
    },
    {
      name: 'migrate',
      summary: 'Bring the store up to this version',
      load: async () => (await import('./commands/migrate.ts')).migrate,
    },
  ],
};

/** The same without headings. */
export const nouns: readonly NounEntry[] = Object.values(nounGroups).flat();
