import { HkctlError } from '../../../core/errors.ts';
import type { Sensor } from '../../../core/port/readings.ts';
import { auditExport, readingsOf, requireSensor } from '../../../core/readings/sensors.ts';
import { startOfDayMs } from '../../../core/time/calendar.ts';
import { isDate, parseInstantUs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { entityOrAsk } from '../../entity-choice.ts';
import { oneOf, text } from '../../flags.ts';
import { rowWriter } from './row-writer.ts';
import { entity } from './sensors.ts';

/** `hkctl sensors export` */
export const exportReadings = defineCommand({
  name: 'export',
  summary: 'Print readings in order of time, sensor by sensor',
  description:
    'Without SENSOR those of every sensor of the entity. Instants are RFC 3339 in UTC, to the microsecond. The audit trail keeps who took what.',
  readOnly: true,
  arguments: [{ spelling: '[SENSOR...]', doc: 'codes or ids of sensors' }],
  flags: {
    entity,
    from: text('--from <WHEN>', 'first instant, or date in the time zone of the entity'),
    to: text('--to <WHEN>', 'instant or date before which to end'),
    format: oneOf('--format <FORMAT>', ['csv', 'ndjson'], 'how to print them (default csv)'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl sensors export OVEN-3-T1 --entity BER --from 2026-11-01 --to 2026-12-01 > november.csv', 'a month'],
    ['hkctl sensors export --entity BER --format ndjson', 'everything of a site'],
  ],
  async run(context, flags, refs) {
    const { domain, actor } = await context.session();
    const site = await entityOrAsk(context, domain, actor, flags.entity);
    const range = {
      fromUs: instantOf(flags.from, '--from', site.timezone),
      toUs: instantOf(flags.to, '--to', site.timezone),
    };
    if (range.fromUs !== undefined && range.toUs !== undefined && range.fromUs >= range.toUs) {
      throw new HkctlError('usage', '--to must be after --from.');
    }
    const sensors: Sensor[] = [];
    for (const ref of refs) sensors.push(await requireSensor(domain, site, ref));
    // Before the first reading is out: an export that is cut off took something along as well.
    await auditExport(domain, actor, site, { ...range, sensors: refs.length === 0 ? undefined : sensors });
    if (refs.length === 0) sensors.push(...new Set((await domain.store.readings.directory(site.id)).values()));
    const writer = rowWriter(context, flags.format ?? 'csv');
    writer.begin();
    for (const sensor of sensors) {
      for await (const piece of readingsOf(domain, sensor, range)) writer.write(sensor, piece);
    }
    writer.end();
  },
});

function instantOf(given: string | undefined, flag: string, timezone: string): number | undefined {
  if (given === undefined) return undefined;
  const us = isDate(given) ? startOfDayMs(given, timezone) * 1000 : parseInstantUs(given);
  if (us !== undefined) return us;
  throw new HkctlError('usage', `${flag}: "${given}" is neither a date such as 2026-11-20 nor an RFC 3339 instant.`);
}
