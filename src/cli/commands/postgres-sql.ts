import { defineCommand } from '../command/command.ts';

export const postgresRoles = defineCommand({
  description:
    'Three roles with the least rights: an owner who migrates, an admin for the commands, who can read and add audit records only, and one for the daemons. Nothing is run and no store is opened.',
  readOnly: true,
  examples: [
    ['hkctl postgres-roles | psql -d plant', 'before hkctl init, and again after it and after each hkctl migrate'],
    ["hkctl postgres-roles --store 'postgres://db.example.com/plant?schema=north'", 'for another schema'],
  ],
  async run(context) {
    const sql = await context.services.postgresRoles(context.storePath);
    context.printDocument(sql, { sql });
  },
});

export const postgresCitus = defineCommand({
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
