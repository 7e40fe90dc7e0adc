import { resources } from '../../src/resources/index.ts';
import { tableName } from '../../src/store/records/tables.ts';
import { drops, heartbeats, readings, series, summaries } from './postgres-readings.ts';
import { recordChanges, recordEntities, recordEpoch, removedRecords, toTable } from './postgres-records.ts';
import * as registry from './postgres-registry.ts';

/** The tables of a store on PostgreSQL, for drizzle-kit: the registry, one for each declared resource, and readings. */
module.exports = {
  ...registry,
  recordEntities,
  recordChanges,
  removedRecords,
  recordEpoch,
  series,
  readings,
  heartbeats,
  summaries,
  drops,
  ...Object.fromEntries(resources.map((resource) => [tableName(resource), toTable(resource)])),
};
