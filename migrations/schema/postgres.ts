import { resources } from '../../src/resources/index.ts';
import { drops, heartbeats, readings, series, summaries } from '../../src/store/postgres/readings/tables.ts';
import {
  recordChanges,
  recordEntities,
  recordEpoch,
  removedRecords,
  toTable,
} from '../../src/store/postgres/records/tables.ts';
import * as registry from '../../src/store/postgres/registry/tables.ts';
import { tableName } from '../../src/store/records/tables.ts';

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
