import { listTenants } from '../../../core/organization/tenants.ts';
import type { Tenant } from '../../../core/port/tenants.ts';
import { shownRetention } from '../../../core/readings/retention.ts';
import { defineCommand } from '../../command.ts';
import { printTable } from '../../table/table.ts';
import { tenantJson } from '../../terminal/output.ts';

/** `hkctl tenants list` */
export const list = defineCommand({
  name: 'list',
  summary: 'List organizations',
  description: 'A Super user of the first organization sees all of them, any other their own.',
  readOnly: true,
  flags: {},
  examples: [['hkctl tenants list', 'name, week start and retention of each']],
  async run(context) {
    const { domain, actor } = await context.session();
    const tenants = await listTenants(domain, actor);
    if (context.json) context.printJson(tenants.map(tenantJson));
    else {
      const columns = [
        { heading: 'NAME', cell: ({ name }: Tenant) => name, min: 16 },
        { heading: 'WEEK START', cell: ({ weekStart }: Tenant) => weekStart, leaveOut: 1 },
        {
          heading: 'READINGS KEPT',
          cell: ({ retainReadingsDays }: Tenant) => shownRetention(retainReadingsDays),
          leaveOut: 1,
        },
        { heading: 'ID', cell: ({ id }: Tenant) => id, min: 8, leaveOut: 2 },
      ];
      await printTable(context, columns, tenants, 'No organizations.');
    }
  },
});
