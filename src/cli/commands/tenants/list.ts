import { listTenants } from '../../../core/organization/tenants.ts';
import { shownRetention } from '../../../core/readings/retention.ts';
import { defineCommand } from '../../command.ts';
import { printTable, tenantJson } from '../../terminal/output.ts';

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
      const rows = tenants.map((tenant) => [
        tenant.name,
        tenant.weekStart,
        shownRetention(tenant.retainReadingsDays),
        tenant.id,
      ]);
      await printTable(context, ['NAME', 'WEEK START', 'READINGS KEPT', 'ID'], rows, 'No organizations.');
    }
  },
});
