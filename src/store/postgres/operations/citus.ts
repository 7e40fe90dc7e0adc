import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import { tableName } from '../../records/tables.ts';

/**
 * SQL that distributes the tables of records and readings by entity over the workers of Citus. Keys, users and the audit trail
 * stay on the coordinator: a copy of a key on a worker could still admit it after its revocation was answered.
 */
export function citusSql(schema: string, resources: readonly ResourceDefinition[]): string {
  const tables = [...ofEntities, ...resources.map(tableName)];
  const rest = tables.map((table) => distribute(schema, table, `'${schema}.readings'`));
  return `-- Distribution of the store in the schema ${schema} by entity. Run it once, after hkctl init and before data is loaded
-- (later it works as well, and moves the rows), as the owner of the tables on the coordinator of Citus:
--   psql -d DATABASE -f FILE
create extension if not exists citus;
${distribute(schema, 'readings', "'none'")}
${rest.join('\n')}
-- The tables of the registry and record_entities stay where they are: on the coordinator.`;
}

/** Tables other than those of resources whose rows belong to one entity; `readings` comes first. */
const ofEntities = ['series', 'heartbeats', 'summaries', 'drops', 'record_changes', 'removed_records'];

function distribute(schema: string, table: string, colocated: string): string {
  return `select create_distributed_table('${schema}.${table}', 'entity', colocate_with => ${colocated});`;
}
