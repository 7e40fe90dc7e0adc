import { resources } from '../../src/resources/index.ts';
import { postgresKit } from '../../src/store/tables/kits/postgres.ts';
import * as readings from '../../src/store/tables/postgres/readings.ts';
import * as records from '../../src/store/tables/postgres/records.ts';
import * as registry from '../../src/store/tables/postgres/registry.ts';
import { recordTables } from '../../src/store/tables/records.ts';

/** All tables of a store on PostgreSQL. */
module.exports = { ...registry, ...records, ...recordTables(postgresKit, resources), ...readings };
