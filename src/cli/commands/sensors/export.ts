import type { Sensor } from '../../../core/port/readings.ts';
import { auditExport, requireSensor, textOf } from '../../../core/readings/sensors.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { oneOf } from '../../flags.ts';
import { entityOrAsk } from '../../questions/entity.ts';
import { rangeFlags, readRange } from './range.ts';
import { rowWriter } from './row-writer.ts';
import { entity } from './sensors.ts';

/** `hkctl sensors export` */
export const exportReadings = defineCommand({
  name: 'export',
  summary: 'Print readings in order of time, sensor by sensor',
  description:
    'Without SENSOR those of every sensor of the entity. Instants are RFC 3339 in UTC, to the microsecond. The audit trail records who exported what.',
  readOnly: true,
  arguments: [{ spelling: '[SENSOR...]', doc: 'codes or ids of sensors' }],
  flags: {
    entity,
    ...rangeFlags,
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
    const range = readRange(flags, site.timezone);
    const sensors: Sensor[] = [];
    for (const ref of refs) sensors.push(await requireSensor(domain, site, ref));
    // Before the first reading is out: an export that is cut off took something along as well.
    await auditExport(domain, actor, site, { ...range, sensors: refs.length === 0 ? undefined : sensors });
    if (refs.length === 0) sensors.push(...new Set((await domain.store.readings.directory(site.id)).values()));
    const format = flags.format ?? 'csv';
    const writer = rowWriter(context, format);
    writer.begin();
    for (const sensor of sensors) {
      const request = { ...range, format: context.json ? 'ndjson' : format, lead: writer.leadOf(sensor) } as const;
      for await (const rows of textOf(domain, sensor, request)) writer.write(rows);
    }
    writer.end();
  },
});
