import { requireSensor, showSensor } from '../../../core/readings/sensors.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import { plotOf } from '../../plot/sensor-plot.ts';
import { entityOrAsk } from '../../questions/entity.ts';
import { fullTime } from '../../table/shown-time.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { entity, rangeFlags, readRange, sensorResource } from './sensors.ts';

export const show = defineCommand({
  name: 'show',
  summary: 'Show one sensor, with a plot of its readings',
  description:
    'The plot is of the last 24 hours, or of the time from --from to --to: the lowest to the highest value of each part, in the time zone of the entity.',
  readOnly: true,
  arguments: [{ spelling: '<SENSOR>', doc: 'code or id of the sensor' }],
  flags: { entity, ...rangeFlags, yes: yesFlag },
  examples: [
    ['hkctl sensors show OVEN-3-T1 --entity BER', 'the last 24 hours'],
    ['hkctl sensors show OVEN-3-T1 --from 2026-11-01 --to 2026-12-01', 'a month'],
  ],
  async run(context, flags, [ref = '']) {
    const { domain, actor } = await context.session();
    const site = await entityOrAsk(context, domain, actor, flags.entity);
    const range = readRange(flags, site.timezone);
    const view = await showSensor(domain, site, await sensorResource(context), ref);
    if (context.json) {
      context.printJson(view);
      return;
    }
    for (const [field, value] of Object.entries(view)) {
      const isInstant = field.endsWith('_at') && typeof value === 'string';
      const shown = isInstant ? fullTime(context, Date.parse(value), site.timezone) : (value ?? '');
      context.print(
        ...wrapLabelled(`${field.padEnd(18)} `, String(shown), context.io.stdout.columns()).map((line) =>
          line.trimEnd(),
        ),
      );
    }
    const sensor = await requireSensor(domain, site, ref);
    const nowMs = domain.clock();
    context.print('', ...(await plotOf(context, domain, site, { sensor, view, range, nowMs })));
  },
});
