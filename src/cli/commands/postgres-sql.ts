import { defineCommand } from '../command/command.ts';

export const postgresRoles = sqlCommand(
  'roles',
  'Three roles with the least rights: an owner who migrates, an admin for the commands, who can read and add audit records only, and one for the daemons.',
  'before hkctl init, and again after it and after each hkctl migrate',
);

export const postgresCitus = sqlCommand(
  'citus',
  'Records and readings are distributed by entity; keys, users and the audit trail stay on the coordinator.',
  'once, after hkctl init',
);

function sqlCommand(kind: 'roles' | 'citus', description: string, firstUse: string) {
  return defineCommand({
    description: `${description} Nothing is run and no store is opened.`,
    readOnly: true,
    fields: ['sql'],
    examples: [
      [`hkctl postgres-${kind} | psql -d plant`, firstUse],
      [
        `hkctl postgres-${kind} --store 'postgres://db.example.com/plant?schema=north'`,
        'for another schema',
      ],
    ],
    async run(context) {
      const sql = await context.services.postgresSql(kind, context.storePath);
      context.printDocument(sql, { sql });
    },
  });
}
