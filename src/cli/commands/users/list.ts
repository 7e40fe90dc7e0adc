import { roles } from '../../../core/access/roles.ts';
import { listUsers } from '../../../core/organization/users.ts';
import type { User } from '../../../core/port/users.ts';
import { defineCommand } from '../../command.ts';
import { printSummary, printTable } from '../../table/table.ts';
import { userJson } from '../../terminal/output.ts';
import { counted } from '../../terminal/sentence.ts';
import { paintStatus } from '../../terminal/style.ts';

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
    if (context.json) {
      context.printJson(users.map(userJson));
      return;
    }
    const { style } = context;
    const columns = [
      { heading: 'LOGIN', cell: ({ login }: User) => login, paint: style.cyan, min: 12 },
      { heading: 'NAME', cell: ({ name }: User) => name, min: 16 },
      { heading: 'ROLE', cell: ({ role }: User) => `${roles[role].label} (${role})`, min: 12, leaveOut: 1 },
      { heading: 'STATUS', cell: ({ status }: User) => status, paint: paintStatus(style) },
    ];
    await printTable(context, columns, users, 'No users.');
    const inactive = users.filter(({ status }) => status === 'inactive').length;
    const counts = [counted(users.length, 'user'), ...(inactive > 0 ? [`${inactive} inactive`] : [])];
    await printSummary(context, counts, 'hkctl users add LOGIN');
  },
});
