import { showSensor } from '../../../core/readings/sensors.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { entityOrAsk } from '../../questions/entity.ts';
import { fullTime } from '../../table/shown-time.ts';
import { wrapLabelled } from '../../terminal/wrap.ts';
import { entity, sensorResource } from './sensors.ts';

/** `hkctl sensors show` */
export const show = defineCommand({
  name: 'show',
  summary: 'Show one sensor',
  readOnly: true,
  arguments: [{ spelling: '<SENSOR>', doc: 'code or id of the sensor' }],
  flags: { entity, yes: yesFlag },
  examples: [['hkctl sensors show OVEN-3-T1 --entity BER', 'by its code']],
  async run(context, flags, [ref = '']) {
    const { domain, actor } = await context.session();
    const site = await entityOrAsk(context, domain, actor, flags.entity);
    const sensor = await showSensor(domain, site, await sensorResource(context), ref);
    if (context.json) {
      context.printJson(sensor);
      return;
    }
    for (const [field, value] of Object.entries(sensor)) {
      const isInstant = field.endsWith('_at') && typeof value === 'string';
      const shown = isInstant ? fullTime(context, Date.parse(value), site.timezone) : (value ?? '');
      context.print(
        ...wrapLabelled(`${field.padEnd(18)} `, String(shown), context.io.stdout.columns()).map((line) =>
          line.trimEnd(),
        ),
      );
    }
  },
});
