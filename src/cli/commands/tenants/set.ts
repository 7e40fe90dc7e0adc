import { HkctlError } from '../../../core/errors.ts';
import { updateTenant } from '../../../core/organization/tenants.ts';
import { parseRetention } from '../../../core/readings/retention.ts';
import { defineCommand } from '../../command.ts';
import { parsed, text } from '../../flags.ts';
import { tenantJson } from '../../terminal/output.ts';
import { weekStart } from './week-start.ts';

/** `hkctl tenants set` */
export const set = defineCommand({
  name: 'set',
  summary: 'Change name, week start or retention of your organization',
  description:
    'With --retain-readings the daemon drops older readings for good; their hourly summaries stay, and answer queries with buckets.',
  flags: {
    name: text('--name <NAME>', 'new name of the organization'),
    weekStart,
    retainReadings: parsed('--retain-readings <DAYS>', 'how long readings are kept: 400d, or forever', parseRetention),
  },
  examples: [
    ['hkctl tenants set --week-start sunday', 'weekly ranges follow at once'],
    ['hkctl tenants set --retain-readings 400d', 'keep the readings of thirteen months'],
  ],
  needs: () => ({ permissions: ['tenant.manage'], action: 'tenant.set', target: 'tenant' }),
  async run(context, { name, weekStart: day, retainReadings }) {
    if (name === undefined && day === undefined && retainReadings === undefined) {
      throw new HkctlError('usage', 'Nothing to change: give --name, --week-start or --retain-readings.');
    }
    const { domain, actor } = await context.session();
    const tenant = await updateTenant(domain, actor, { name, weekStart: day, retainReadingsDays: retainReadings });
    if (context.json) context.printJson(tenantJson(tenant));
    else {
      const kept = tenant.retainReadingsDays === null ? 'forever' : `for ${tenant.retainReadingsDays} days`;
      context.print(`Organization set: ${tenant.name}, weeks start on ${tenant.weekStart}, readings are kept ${kept}`);
    }
  },
});
