import { roles } from '../../../core/access/roles.ts';
import { listUsers } from '../../../core/organization/users.ts';
import { defineCommand } from '../../command.ts';
import { printTable, userJson } from '../../terminal/output.ts';

/** `hkctl users list` */
export const list = defineCommand({
  name: 'list',
  summary: 'List the profiles of the organization',
  readOnly: true,
  flags: {},
  examples: [['hkctl users list', 'all of them']],
  async run(context) {
    const { domain, actor } = await context.session();
    const users = await listUsers(domain, actor);
    if (context.json) context.printJson(users.map(userJson));
    else {
      const rows = users.map(({ login, name, role, status }) => [
        context.style.cyan(login),
        name,
        `${roles[role].label} (${role})`,
        status,
      ]);
      await printTable(context, ['LOGIN', 'NAME', 'ROLE', 'STATUS'], rows, 'No users.');
    }
  },
});
