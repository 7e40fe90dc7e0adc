import type { Domain } from '../../../core/domain/domain.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { Sensor } from '../../../core/port/readings.ts';
import { maxAheadUs } from '../../../core/readings/instants.ts';
import { gapsOf, type PlotData, readPlot, summaryOf } from '../../../core/readings/reads/plots.ts';
import {
  isSilentView,
  requireSensor,
  type SensorView,
  showSensor,
} from '../../../core/readings/sensors.ts';
import { counted } from '../../../core/text/words.ts';
import { parseInstantUs } from '../../../core/time/instants.ts';
import { dayMs } from '../../../core/time/spans.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import type { Printer } from '../../command/printer.ts';
import { drawPlot, partsOf, valueLabel } from '../../plot/plot.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { fullTime, relativeTime } from '../../table/shown-time.ts';
import { wrapLabelled, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { entityFlag, rangeFlags, readRange, sensorFields, sensorResource } from './sensors.ts';

export const sensorsShowCommand = defineCommand({
  summary: 'Show one sensor, with a plot of its readings',
  description:
    'The plot is of the last 24 hours, or of the time from --from to --to: the lowest to the highest value of each part, in the time zone of the entity.',
  readOnly: true,
  fields: sensorFields,
  arguments: [{ spelling: '<SENSOR>', doc: 'code or id of the sensor' }],
  flags: { entity: entityFlag, ...rangeFlags, yes: yesFlag },
  examples: [
    ['hkctl sensors show OVEN-3-T1 --entity BER', 'the last 24 hours'],
    ['hkctl sensors show OVEN-3-T1 --from 2026-11-01 --to 2026-12-01', 'a month'],
  ],
  needs: ({ entity: code = '' }) => ['entity.list', code],
  async run(context, flags, [ref = ''], session) {
    const { domain } = session;
    const entity = await entityOrAsk(context, session, flags.entity);
    const range = readRange(flags, entity.timezone);
    const sensor = await requireSensor(domain, entity, ref);
    const sensorView = await showSensor(domain, entity, await sensorResource(context), sensor);
    if (context.json) {
      context.printJson(sensorView);
      return;
    }
    for (const [field, value] of Object.entries(sensorView)) {
      const label = `${labelOf(field).padEnd(labelWidth)} `;
      const shownText = shownValue(context, entity.timezone, field, value);
      const lines = wrapLabelled(label, shownText, context.io.stdout.columns());
      context.print(...lines.map((line) => line.trimEnd()));
    }
    const plotLines = await plotOf(context, domain, entity, sensor, range, sensorView);
    context.print('', ...plotLines);
  },
});

const labelWidth = 18;

function shownValue(context: Context, timezone: string, field: string, value: unknown): string {
  if (field.endsWith('_at') && typeof value === 'string') {
    return fullTime(context, Date.parse(value), timezone);
  }
  if (field === 'last_battery' && value !== null) return `${value} %`;
  return String(value ?? '');
}

/** `Last reading at` of `last_reading_at`, `ID` of `id`. */
function labelOf(field: string): string {
  const spacedName = field.replaceAll('_', ' ').replace(/\bid\b/, 'ID');
  return spacedName.charAt(0).toUpperCase() + spacedName.slice(1);
}

/** The width of a plot that goes to a file or a pipe, and the most that a wide terminal gets. */
const defaultWidth = 80;
const maxWidth = 160;
const plotHeight = 9;
const mostNamedGaps = 3;

/** A plot of a sensor with its values in numbers, as lines; one sentence if the span has no readings. */
async function plotOf(
  context: Context,
  domain: Domain,
  entity: Entity,
  sensor: Sensor,
  range: ReturnType<typeof readRange>,
  sensorView: SensorView,
): Promise<string[]> {
  const { io, style } = context;
  const { last_reading_at: lastReadingAt } = sensorView;
  const nowMs = domain.clock();
  const width = Math.min(io.stdout.columns() ?? defaultWidth, maxWidth);
  const isAscii = io.env.TERM === 'dumb';
  const toUs = range.toUs ?? endOfPlotUs(nowMs, range.fromUs, lastReadingAt);
  const fromUs = range.fromUs ?? toUs - dayMs * 1000;
  const parts = partsOf({ width, isAscii });
  const plotData = await readPlot(domain, entity, sensor, { fromUs, toUs, parts });

  const timezone = context.utc ? 'UTC' : entity.timezone;
  // Without seconds, since a part is nearly always longer.
  const timeText = (instantUs: number) =>
    fullTime(context, Math.floor(instantUs / 1000), timezone).replace(/:\d\d(Z| )/, '$1');
  const summary = summaryOf(plotData);
  const freshness = freshnessOf(context, sensorView, nowMs);
  if (!summary) return [`No readings from ${timeText(fromUs)} to ${timeText(toUs)}; ${freshness}.`];

  const drawnLines = drawPlot(plotData, {
    width,
    height: plotHeight,
    isAscii,
    timezone,
    paint: style.cyan,
  });
  const formatValue = valueLabel(summary.min, summary.max);
  const unitSuffix = sensor.unit === null ? '' : ` ${sensor.unit}`;
  const facts = [
    `min ${formatValue(summary.min)}${unitSuffix}`,
    `mean ${formatValue(summary.avg)}${unitSuffix}`,
    `max ${formatValue(summary.max)}${unitSuffix}`,
    counted(summary.count, 'reading'),
    freshness,
  ];
  const gaps = gapLines(plotData, timeText);
  return [
    ...drawnLines,
    '',
    ...wrapWords(facts, width, ' · '),
    ...gaps.flatMap((line) => wrapText(line, width)),
  ];
}

/** The end of a plot without --to: now, or behind the last reading, which can be a little ahead of this clock. */
function endOfPlotUs(
  nowMs: number,
  fromUs: number | undefined,
  lastReadingAt: string | null,
): number {
  const nowUs = nowMs * 1000;
  const candidatesUs = [nowUs];
  if (fromUs !== undefined) candidatesUs.push(fromUs + 1);
  const lastUs = lastReadingAt === null ? undefined : parseInstantUs(lastReadingAt);
  if (lastUs !== undefined && lastUs + 1 <= nowUs + maxAheadUs) candidatesUs.push(lastUs + 1);
  return Math.max(...candidatesUs);
}

function freshnessOf({ style }: Printer, sensorView: SensorView, nowMs: number): string {
  const { last_reading_at: lastReadingAt } = sensorView;
  if (lastReadingAt === null) return 'no reading yet';
  const freshnessText = `last reading ${relativeTime(Date.parse(lastReadingAt), nowMs)}`;
  return isSilentView(sensorView, nowMs) ? style.yellow(freshnessText) : freshnessText;
}

function gapLines(plotData: PlotData, timeText: (us: number) => string): string[] {
  const gaps = gapsOf(plotData);
  const lines = gaps.slice(0, mostNamedGaps).map(({ fromUs, toUs }) => {
    return `No readings from about ${timeText(fromUs)} to ${timeText(toUs)}`;
  });
  const unnamedCount = gaps.length - mostNamedGaps;
  if (unnamedCount > 0) lines.push(`and ${counted(unnamedCount, 'shorter gap')}`);
  return lines;
}
