import { defineCommand } from '../command/command.ts';

export default defineCommand({
  description:
    'Records and readings are distributed by entity; keys, users and the audit trail stay on the coordinator. Nothing is run and no store is opened.',
  readOnly: true,
  examples: [
    ['hkctl postgres-citus | psql -d plant', 'once, after hkctl init'],
    ["hkctl postgres-citus --store 'postgres://db.example.com/plant?schema=north'", 'for another schema'],
  ],
  async run(context) {
    const sql = await context.services.postgresCitus(context.storePath);
    context.printDocument(sql, { sql });
  },
});
