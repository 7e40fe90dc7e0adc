import { HkctlError } from '../../../core/errors.ts';
import type { Sensor } from '../../../core/port/readings.ts';
import { requireSensor } from '../../../core/readings/sensors.ts';
import { followReadings, type SensorReading } from '../../../core/readings/tail.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { entityOrAsk } from '../../questions/entity.ts';
import { fullTime } from '../../table/shown-time.ts';
import { counted } from '../../terminal/sentence.ts';
import { entity } from './sensors.ts';

/** `hkctl sensors tail` */
export const tail = defineCommand({
  name: 'tail',
  summary: 'Print readings as they are stored, until Ctrl-C',
  description:
    'Without SENSOR those of every sensor of the entity, from whichever daemon. A reading that is a minute older than the newest of its sensor is not shown.',
  readOnly: true,
  arguments: [{ spelling: '[SENSOR...]', doc: 'codes or ids of sensors' }],
  flags: { entity, yes: yesFlag },
  examples: [
    ['hkctl sensors tail --entity BER', 'everything that arrives at a site'],
    ['hkctl sensors tail OVEN-3-T1 --json', 'one sensor, an object per line'],
  ],
  async run(context, flags, refs) {
    const { domain, actor } = await context.session();
    const site = await entityOrAsk(context, domain, actor, flags.entity);
    const sensors: Sensor[] = [];
    for (const ref of refs) sensors.push(await requireSensor(domain, site, ref));
    if (refs.length === 0) sensors.push(...new Set((await domain.store.readings.directory(site.id)).values()));
    if (sensors.length === 0) {
      throw new HkctlError('not_found', `Entity ${site.code} has no sensors.`, {
        hint: `Load some: hkctl import sensors FILE --entity ${site.code}`,
      });
    }
    const { stdout } = context.io;
    const time = (us: number) => fullTime(context, Math.floor(us / 1000), site.timezone);
    const text = ({ sensor: { code, unit }, atUs, value, quality }: SensorReading) => {
      const at = stdout.isTTY ? time(atUs) : formatInstantUs(atUs);
      return [at, code, unit === null ? value : `${value} ${unit}`, ...(quality ? [quality] : [])].join('  ');
    };
    const object = ({ sensor, atUs, value, quality }: SensorReading) =>
      toSafeJson({ sensor: sensor.code, at: formatInstantUs(atUs), value, ...(quality && { quality }) });
    let isWaiting = false;
    for await (const readings of followReadings(domain, sensors, context.io.interrupted())) {
      if (!isWaiting)
        context.say(`Waiting for readings of ${counted(sensors.length, 'sensor')} of ${site.code}. Ctrl-C ends it.`);
      isWaiting = true;
      if (readings.length > 0) context.print(...readings.map(context.json ? object : text));
    }
  },
});
