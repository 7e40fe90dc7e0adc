import { resources } from '../../src/resources/index.ts';
import { sqliteKit } from '../../src/store/tables/kits/sqlite.ts';
import { recordTables } from '../../src/store/tables/records.ts';
import { outbox, recordEntities } from '../../src/store/tables/sqlite/records.ts';

/** The tables of the records database, whose names follow from the resources. */
module.exports = { ...recordTables(sqliteKit, resources), outbox, recordEntities };
