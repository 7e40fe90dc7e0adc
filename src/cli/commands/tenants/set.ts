import { HkctlError } from '../../../core/errors.ts';
import { updateTenant } from '../../../core/organization/tenants.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { tenantJson } from '../../terminal/output.ts';
import { weekStart } from './week-start.ts';

/** `hkctl tenants set` */
export const set = defineCommand({
  name: 'set',
  summary: 'Change name or week start of your organization',
  flags: { name: text('--name <NAME>', 'new name of the organization'), weekStart },
  examples: [['hkctl tenants set --week-start sunday', 'weekly ranges follow at once']],
  async run(context, { name, weekStart: day }) {
    if (name === undefined && day === undefined) {
      throw new HkctlError('usage', 'Nothing to change: give --name, --week-start or both.');
    }
    const { domain, actor } = await context.session();
    const tenant = await updateTenant(domain, actor, { name, weekStart: day });
    if (context.json) context.printJson(tenantJson(tenant));
    else context.confirm(`Organization set: ${tenant.name}, weeks start on ${tenant.weekStart}`);
  },
});
