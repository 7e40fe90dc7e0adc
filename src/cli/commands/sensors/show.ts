import { showSensor } from '../../../core/readings/sensors.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { entityOrAsk } from '../../entity-choice.ts';
import { entity, local, sensorResource } from './sensors.ts';

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
      const shown = field.endsWith('_at') && typeof value === 'string' ? local(value, site.timezone) : (value ?? '');
      context.print(`${field.padEnd(18)} ${shown}`.trimEnd());
    }
  },
});
