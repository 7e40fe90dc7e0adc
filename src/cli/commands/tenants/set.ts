import { HkctlError } from '../../../core/errors.ts';
import { updateTenant } from '../../../core/organization/tenants.ts';
import { mostDroppableCounted } from '../../../core/port/readings.ts';
import { countExpiring, parseRetention } from '../../../core/readings/retention.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parsed, text } from '../../flags.ts';
import { requireConfirmation } from '../../questions/confirmation.ts';
import { canAsk } from '../../terminal/io.ts';
import { tenantJson } from '../../terminal/output.ts';
import { counted } from '../../terminal/sentence.ts';
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
    yes: yesFlag,
  },
  examples: [
    ['hkctl tenants set --week-start sunday', 'weekly ranges follow at once'],
    ['hkctl tenants set --retain-readings 400d', 'keep the readings of thirteen months'],
  ],
  needs: () => ({ permissions: ['tenant.manage'], action: 'tenant.set', target: 'tenant' }),
  async run(context, { name, weekStart: day, retainReadings, yes }) {
    if (name === undefined && day === undefined && retainReadings === undefined) {
      throw new HkctlError('usage', 'Nothing to change: give --name, --week-start or --retain-readings.');
    }
    const { domain, actor } = await context.session();
    // A script that names the days has decided; what it gives up is in the audit trail.
    const asks = !yes && canAsk(context.io) && !context.json;
    if (retainReadings !== undefined && asks) await confirmDropping(context, retainReadings);
    const tenant = await updateTenant(domain, actor, { name, weekStart: day, retainReadingsDays: retainReadings });
    if (context.json) context.printJson(tenantJson(tenant));
    else {
      const kept = tenant.retainReadingsDays === null ? 'forever' : `for ${tenant.retainReadingsDays} days`;
      context.confirm(
        `Organization set: ${tenant.name}, weeks start on ${tenant.weekStart}, readings are kept ${kept}`,
      );
    }
  },
});

/** Asks where a shorter retention drops readings that are there. */
async function confirmDropping(context: Context, days: number | null): Promise<void> {
  const { domain, actor } = await context.session();
  const { readings, oldestUs } = await countExpiring(domain, actor, days);
  if (oldestUs === null) return;
  const isMore = readings > mostDroppableCounted;
  const count = isMore ? `more than ${counted(mostDroppableCounted, 'reading')}` : counted(readings, 'reading');
  const question = `Drop ${count} older than ${days} days for good, the oldest of ${formatInstantUs(oldestUs).slice(0, 10)}? Their hourly summaries stay.`;
  await requireConfirmation(context, false, question, 'Drop them');
}
