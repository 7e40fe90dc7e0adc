import { listTenants } from '../../../core/organization/tenants.ts';
import { defineCommand } from '../../command.ts';
import { printTable, tenantJson } from '../../terminal/output.ts';

/** `hkctl tenants list` */
export const list = defineCommand({
  name: 'list',
  summary: 'List organizations',
  description: 'A Super user of the first organization sees all of them, any other their own.',
  readOnly: true,
  flags: {},
  examples: [['hkctl tenants list', 'name and week start of each']],
  async run(context) {
    const { domain, actor } = await context.session();
    const tenants = await listTenants(domain, actor);
    if (context.json) context.printJson(tenants.map(tenantJson));
    else {
      const rows = tenants.map((tenant) => [tenant.name, tenant.weekStart, tenant.id]);
      await printTable(context, ['NAME', 'WEEK START', 'ID'], rows, 'No organizations.');
    }
  },
});
