import { HkctlError } from '../../core/errors.ts';
import {
  addTenant,
  listTenants,
  parseLongestLifetime,
  parseRetention,
  shownLongestLifetime,
  shownRetention,
  updateTenant,
} from '../../core/organization/tenants.ts';
import { requireLogin } from '../../core/organization/users.ts';
import { mostDroppableCounted } from '../../core/port/readings.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import { countExpiring } from '../../core/readings/retention.ts';
import { counted } from '../../core/text/words.ts';
import { weekDays } from '../../core/time/calendar.ts';
import { formatInstantUs } from '../../core/time/instants.ts';
import { defineCommand, type Noun, yesFlag } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { oneOf, parsed, textFlag } from '../command/flags.ts';
import { tenantFields, tenantJson } from '../command/output.ts';
import type { StoreSession } from '../command/store-access.ts';
import { requireConfirmation, textOrAsk } from '../questions/values.ts';
import { type Column, columnsFlag, printTable } from '../table/table.ts';

const weekStartFlag = oneOf('--week-start <DAY>', weekDays, 'the day its weeks start on');

const listCommand = defineCommand({
  summary: 'List organizations',
  description: 'A Super user of the first organization sees all of them, any other their own.',
  readOnly: true,
  fields: tenantFields,
  flags: { columns: columnsFlag },
  examples: [['hkctl tenants list', 'name, week start and retention of each']],
  needs: () => ['tenant.list', 'tenants'],
  async run(context, { columns: chosen }, _args, { domain, actor }) {
    const tenants = await listTenants(domain, actor);
    const columns: Column<Tenant>[] = [
      { heading: 'NAME', cell: ({ name }) => name, min: 16 },
      { heading: 'WEEK START', cell: ({ weekStart }) => weekStart, leaveOut: 1 },
      {
        heading: 'READINGS KEPT',
        cell: ({ retainReadingsDays }) => shownRetention(retainReadingsDays),
        leaveOut: 1,
      },
      {
        heading: 'KEYS LAST',
        cell: ({ longestLifetimeDays: days }) => (days === null ? '' : `${days}d`),
        leaveOut: 2,
      },
      { heading: 'ID', cell: ({ id }) => id, min: 8, leaveOut: 2 },
    ];
    await printTable(context, columns, tenants, {
      json: tenantJson,
      none: 'No organizations.',
      chosen,
    });
  },
});

const addCommand = defineCommand({
  summary: 'Add an organization with its first Super user',
  fields: tenantFields,
  description: 'For a Super user of the first organization.',
  arguments: [{ spelling: '<NAME>', doc: 'name of the organization' }],
  flags: {
    admin: textFlag('--admin <LOGIN>', 'login of its first Super user'),
    weekStart: weekStartFlag,
    yes: yesFlag,
  },
  examples: [
    ['hkctl tenants add "Acme Foundry" --admin bob --week-start sunday', 'bob manages it'],
  ],
  needs: (_flags, [name = '']) => ['tenant.add', name],
  required: ({ admin }) => ({ '--admin': admin }),
  async run(context, flags, [name = ''], { domain, actor }) {
    const login = await textOrAsk(
      context,
      flags.admin,
      'Login of its first Super user',
      requireLogin,
    );
    const { weekStart = 'monday' } = flags;
    const input = { name, weekStart, admin: { login, name: login } };
    const tenant = await addTenant(domain, actor, input);
    context.report(
      tenantJson(tenant),
      `Organization added: ${tenant.name}; ${login} is its Super user`,
    );
  },
});

const setCommand = defineCommand({
  summary: 'Change settings of your organization',
  fields: tenantFields,
  description:
    'With --retain-readings the daemon drops older readings for good; their quarter-hourly summaries stay, and answer queries with buckets.',
  flags: {
    name: textFlag('--name <NAME>', 'new name of the organization'),
    weekStart: weekStartFlag,
    retainReadings: parsed(
      '--retain-readings <DAYS>',
      'how long readings are kept: 400d, or forever',
      parseRetention,
    ),
    longestLifetime: parsed(
      '--longest-lifetime <DAYS>',
      'how long new keys may last: 365d, or off',
      parseLongestLifetime,
    ),
    yes: yesFlag,
  },
  examples: [
    ['hkctl tenants set --week-start sunday', 'weekly ranges follow at once'],
    ['hkctl tenants set --retain-readings 400d', 'keep the readings of thirteen months'],
    ['hkctl tenants set --longest-lifetime 365d', 'new keys expire within a year'],
  ],
  needs: () => ['tenant.set', 'tenant'],
  async run(context, flags, _args, { domain, actor }) {
    const { name, weekStart, retainReadings, longestLifetime } = flags;
    const settings = [name, weekStart, retainReadings, longestLifetime];
    if (settings.every((setting) => setting === undefined)) {
      throw new HkctlError(
        'usage',
        'Nothing to change: give --name, --week-start, --retain-readings or --longest-lifetime.',
      );
    }
    // A script that names the days has decided; the audit trail records the dropped readings.
    if (retainReadings !== undefined && context.canAsk)
      await confirmDropping(context, { domain, actor }, retainReadings);
    const tenant = await updateTenant(domain, actor, {
      name,
      weekStart,
      retainReadingsDays: retainReadings,
      longestLifetimeDays: longestLifetime,
    });
    const days = tenant.retainReadingsDays;
    const retention = days === null ? 'forever' : `for ${counted(days, 'day')}`;
    const lifetime = shownLongestLifetime(tenant.longestLifetimeDays);
    context.report(
      tenantJson(tenant),
      `Organization set: ${tenant.name}, weeks start on ${tenant.weekStart}, readings are kept ${retention}, longest lifetime of new keys: ${lifetime}`,
    );
  },
});

/** Asks for confirmation if a shorter retention drops existing readings. */
async function confirmDropping(
  context: Context,
  { domain, actor }: StoreSession,
  days: number | null,
): Promise<void> {
  const { readings, oldestUs } = await countExpiring(domain, actor, days);
  if (oldestUs === null) return;
  const hasMore = readings > mostDroppableCounted;
  const countText = hasMore
    ? `more than ${counted(mostDroppableCounted, 'reading')}`
    : counted(readings, 'reading');
  const ageText = counted(days ?? 0, 'day');
  const oldestDate = formatInstantUs(oldestUs).slice(0, 10);
  const question = `Drop ${countText} older than ${ageText} for good, the oldest of ${oldestDate}? Their quarter-hourly summaries stay.`;
  await requireConfirmation(context, question, 'Drop them');
}

export default { verbs: { list: listCommand, add: addCommand, set: setCommand } } satisfies Noun;
