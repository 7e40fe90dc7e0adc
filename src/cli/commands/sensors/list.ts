import type { Domain } from '../../../core/domain/domain.ts';
import type { Entity } from '../../../core/port/entities.ts';
import { seenMsOf } from '../../../core/readings/last-state.ts';
import { readPlot } from '../../../core/readings/reads/plots.ts';
import { isSilentView, listSensors, type SensorView } from '../../../core/readings/sensors.ts';
import { counted, grouped } from '../../../core/text/words.ts';
import { dayMs, hourMs } from '../../../core/time/spans.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { toggle } from '../../command/flags.ts';
import { sparkline } from '../../plot/plot.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { createTimeText, relativeTimeWidth } from '../../table/shown-time.ts';
import { type Column, columnsFlag, printSummary, printTable } from '../../table/table.ts';
import { entityFlag, sensorFields, sensorResource } from './sensors.ts';

export const sensorsListCommand = defineCommand({
  summary: 'List sensors with their last reading and last heartbeat',
  readOnly: true,
  fields: sensorFields,
  description:
    'A sensor is silent if nothing came from it for the span silent_after of its record; without one, for a day.',
  flags: {
    silent: toggle(
      '--silent',
      'only active sensors that have become silent, the longest silent first',
    ),
    entity: entityFlag,
    columns: columnsFlag,
    yes: yesFlag,
  },
  examples: [
    ['hkctl sensors list --entity BER', 'all of an entity'],
    ['hkctl sensors list --silent', 'what needs a look'],
  ],
  // Every profile may see the sensors of the entities that it sees.
  needs: ({ entity: code = '' }) => ['entity.list', code],
  async run(context, flags, _args, session) {
    const { domain } = session;
    const entity = await entityOrAsk(context, session, flags.entity);
    const allSensors = await listSensors(domain, entity, await sensorResource(context));
    const nowMs = domain.clock();
    const silentSensors = allSensors
      .filter((sensor) => isSilentView(sensor, nowMs))
      .sort((first, second) => Number(seenMsOf(first)) - Number(seenMsOf(second)));
    const sensors = flags.silent ? silentSensors : allSensors;
    const plots = context.json ? new Map() : await plotsOf(context, domain, entity, nowMs);
    const columns = columnsOf(context, nowMs, sensors, plots, flags.columns);
    await printTable(context, columns, sensors, {
      json: (sensor) => sensor,
      none: `No ${flags.silent ? 'silent ' : ''}sensors in entity ${entity.code}.`,
      chosen: flags.columns,
    });
    if (allSensors.length === 0) {
      context.say(`Load some: hkctl import sensors FILE --entity ${entity.code}`);
      return;
    }

    if (sensors.length === 0) return;

    const counts = [counted(allSensors.length, 'sensor')];
    if (silentSensors.length > 0) counts.push(`${grouped(silentSensors.length)} silent`);
    await printSummary(context, counts, `hkctl sensors show CODE --entity ${entity.code}`);
  },
});

function columnsOf(
  context: Context,
  nowMs: number,
  sensors: readonly SensorView[],
  plots: ReadonlyMap<string, string>,
  chosen: readonly string[],
): Column<SensorView>[] {
  const { style, io, utc } = context;
  const timeText = createTimeText(context, nowMs);
  const width = io.stdout.isTTY && !utc ? relativeTimeWidth : 0;
  const timeOf = (instant: string | null) =>
    timeText(instant === null ? null : Date.parse(instant));

  const columns: Column<SensorView>[] = [
    { heading: 'CODE', cell: ({ code }) => String(code), paint: style.cyan, min: 12 },
    { heading: 'NAME', cell: ({ name }) => String(name ?? ''), min: 14, leaveOut: 2 },
    { heading: 'LAST VALUE', cell: lastValueOf, min: 10 },
    {
      heading: 'AT',
      cell: ({ last_reading_at: at }) => timeOf(at),
      paint: (text, sensor) => (isSilentView(sensor, nowMs) ? style.yellow(text) : text),
      width,
    },
    {
      heading: 'LAST HEARTBEAT',
      cell: ({ last_heartbeat_at: at }) => timeOf(at),
      width,
      leaveOut: 3,
    },
  ];
  if (plots.size > 0)
    columns.push({
      heading: 'LAST DAY',
      cell: ({ id }) => plots.get(id) ?? '',
      paint: style.cyan,
      leaveOut: 4,
    });
  // An empty column would cost the names their width; programs get it in any case.
  const mayLeaveOut = io.stdout.isTTY && chosen.length === 0;
  const hasStatus = sensors.some(({ last_status: status }) => status !== null);
  if (hasStatus || !mayLeaveOut)
    columns.push({
      heading: 'STATUS',
      cell: ({ last_status: status }) => status ?? '',
      leaveOut: 1,
    });
  return columns;
}

/** Sensors beyond this number have no plots in the list: each costs a read of its day. */
const mostPlots = 200;

/** The hours of the last day of each sensor that has readings, by its id, for a terminal. */
async function plotsOf(
  context: Context,
  domain: Domain,
  entity: Entity,
  nowMs: number,
): Promise<Map<string, string>> {
  const plots = new Map<string, string>();
  if (!context.io.stdout.isTTY) return plots;
  const directory = await domain.store.readings.directory(entity.id);
  const sensors = new Set(directory.values());
  if (sensors.size > mostPlots) return plots;

  const endOfHourMs = Math.ceil(nowMs / hourMs) * hourMs;
  const toUs = endOfHourMs * 1000;
  for (const sensor of sensors) {
    const dayPlot = await readPlot(domain, entity, sensor, {
      fromUs: toUs - dayMs * 1000,
      toUs,
      parts: 24,
    });
    const isAscii = context.io.env.TERM === 'dumb';
    if (dayPlot.buckets.length > 0) plots.set(sensor.id, sparkline(dayPlot, isAscii));
  }
  return plots;
}

function lastValueOf({ last_value: value, unit }: SensorView): string {
  return value === null ? '' : `${value} ${unit ?? ''}`.trim();
}
