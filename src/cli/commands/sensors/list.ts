import { listSensors } from '../../../core/readings/sensors.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { entityOrAsk } from '../../entity-choice.ts';
import { printTable } from '../../terminal/output.ts';
import { entity, local, sensorResource } from './sensors.ts';

/** `hkctl sensors list` */
export const list = defineCommand({
  name: 'list',
  summary: 'List sensors with their last reading and last heartbeat',
  readOnly: true,
  flags: { entity, yes: yesFlag },
  examples: [['hkctl sensors list --entity BER', 'all of a site']],
  async run(context, flags) {
    const { domain, actor } = await context.session();
    const site = await entityOrAsk(context, domain, actor, flags.entity);
    const sensors = await listSensors(domain, site, await sensorResource(context));
    if (context.json) {
      context.printJson(sensors);
      return;
    }
    const rows = sensors.map((sensor) => [
      context.style.cyan(sensor.code),
      String(sensor.name ?? ''),
      sensor.last_value === null ? '' : `${sensor.last_value} ${sensor.unit ?? ''}`.trim(),
      local(sensor.last_reading_at, site.timezone),
      local(sensor.last_heartbeat_at, site.timezone),
      sensor.last_status ?? '',
    ]);
    await printTable(context, ['CODE', 'NAME', 'LAST VALUE', 'AT', 'LAST HEARTBEAT', 'STATUS'], rows, 'No sensors.');
  },
});
