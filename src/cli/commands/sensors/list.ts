import { listSensors } from '../../../core/readings/sensors.ts';
import { isSilent } from '../../../core/readings/silence.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import type { Context } from '../../context.ts';
import { entityOrAsk } from '../../questions/entity.ts';
import { relativeTimeWidth } from '../../table/relative-time.ts';
import { createTimeText } from '../../table/shown-time.ts';
import { type Column, printSummary, printTable } from '../../table/table.ts';
import { counted, grouped } from '../../terminal/sentence.ts';
import { entity, sensorResource } from './sensors.ts';

type SensorView = Awaited<ReturnType<typeof listSensors>>[number];

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
    const nowMs = domain.clock();
    const columns = columnsOf(context, nowMs, site.timezone, sensors);
    await printTable(context, columns, sensors, `No sensors in entity ${site.code}.`);
    if (sensors.length === 0) {
      context.say(`Load some: hkctl import sensors FILE --entity ${site.code}`);
      return;
    }
    const silent = sensors.filter((sensor) => isSilent(seenMsOf(sensor), nowMs)).length;
    const counts = [counted(sensors.length, 'sensor'), ...(silent > 0 ? [`${grouped(silent)} silent for a day`] : [])];
    await printSummary(context, counts, `hkctl sensors show CODE --entity ${site.code}`);
  },
});

function columnsOf(
  context: Context,
  nowMs: number,
  timezone: string,
  sensors: readonly SensorView[],
): Column<SensorView>[] {
  const { style, io, utc } = context;
  const timeText = createTimeText(context, nowMs);
  const width = io.stdout.isTTY && !utc ? relativeTimeWidth : 0;
  const time = (instant: string | null) => timeText(instant === null ? null : Date.parse(instant), timezone);
  return [
    { heading: 'CODE', cell: ({ code }) => code, paint: style.cyan, min: 12 },
    { heading: 'NAME', cell: ({ name }) => String(name ?? ''), min: 14, leaveOut: 2 },
    { heading: 'LAST VALUE', cell: lastValueOf, min: 10 },
    {
      heading: 'AT',
      cell: ({ last_reading_at: at }) => time(at),
      paint: (text, sensor) => (isSilent(seenMsOf(sensor), nowMs) ? style.yellow(text) : text),
      width,
    },
    { heading: 'LAST HEARTBEAT', cell: ({ last_heartbeat_at: at }) => time(at), width, leaveOut: 3 },
    // An empty column would cost the names their width; programs get it in any case.
    ...(io.stdout.isTTY && sensors.every(({ last_status: status }) => status === null)
      ? []
      : [{ heading: 'STATUS', cell: ({ last_status: status }: SensorView) => status ?? '', leaveOut: 1 }]),
  ];
}

function lastValueOf({ last_value: value, unit }: SensorView): string {
  return value === null ? '' : `${value} ${unit ?? ''}`.trim();
}

/** The last reading or heartbeat; null before the first. */
function seenMsOf({ last_reading_at: reading, last_heartbeat_at: heartbeat }: SensorView): number | null {
  const times = [reading, heartbeat].filter((at) => at !== null).map((at) => Date.parse(at));
  return times.length === 0 ? null : Math.max(...times);
}
