import type { Domain } from '../../../core/domain/domain.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { Sensor } from '../../../core/port/readings.ts';
import { maxAheadUs } from '../../../core/readings/instants.ts';
import { gapsOf, type PlotData, readPlot, summaryOf } from '../../../core/readings/reads/plots.ts';
import { isSilent, requireSensor, showSensor } from '../../../core/readings/sensors.ts';
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
import {
  entity,
  rangeFlags,
  readRange,
  sensorFields,
  sensorResource,
  toSensorJson,
} from './sensors.ts';

export const sensorsShowCommand = defineCommand({
  summary: 'Show one sensor, with a plot of its readings',
  description:
    'The plot is of the last 24 hours, or of the time from --from to --to: the lowest to the highest value of each part, in the time zone of the entity.',
  readOnly: true,
  fields: sensorFields,
  arguments: [{ spelling: '<SENSOR>', doc: 'code or id of the sensor' }],
  flags: { entity, ...rangeFlags, yes: yesFlag },
  examples: [
    ['hkctl sensors show OVEN-3-T1 --entity BER', 'the last 24 hours'],
    ['hkctl sensors show OVEN-3-T1 --from 2026-11-01 --to 2026-12-01', 'a month'],
  ],
  needs: ({ entity: code = '' }) => ['entity.list', code],
  async run(context, flags, [ref = ''], session) {
    const { domain } = session;
    const site = await entityOrAsk(context, session, flags.entity);
    const range = readRange(flags, site.timezone);
    const sensor = await requireSensor(domain, site, ref);
    const view = await showSensor(domain, site, await sensorResource(context), sensor);
    if (context.json) {
      context.printJson(toSensorJson(view));
      return;
    }
    for (const [field, value] of Object.entries(view)) {
      const label = `${labelOf(field).padEnd(labelWidth)} `;
      const shown = shownValue(context, site.timezone, field, value);
      const lines = wrapLabelled(label, shown, context.io.stdout.columns());
      context.print(...lines.map((line) => line.trimEnd()));
    }
    context.print(
      '',
      ...(await plotOf(context, domain, site, sensor, range, view.last_reading_at)),
    );
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
  const words = field.replaceAll('_', ' ').replace(/\bid\b/, 'ID');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The width of a plot that goes to a file or a pipe, and the most that a wide terminal gets. */
const usualWidth = 80;
const mostWidth = 160;
const height = 9;
const namedGaps = 3;

/** A plot of a sensor with what it shows in numbers, as lines; one sentence if the span has no readings. */
async function plotOf(
  context: Context,
  domain: Domain,
  site: Entity,
  sensor: Sensor,
  range: ReturnType<typeof readRange>,
  lastReadingAt: string | null,
): Promise<string[]> {
  const { io, style } = context;
  const nowMs = domain.clock();
  const width = Math.min(io.stdout.columns() ?? usualWidth, mostWidth);
  const isAscii = io.env.TERM === 'dumb';
  const toUs = range.toUs ?? endOfPlotUs({ nowMs, fromUs: range.fromUs, lastReadingAt });
  const fromUs = range.fromUs ?? toUs - dayMs * 1000;
  const data = await readPlot(domain, site, sensor, {
    fromUs,
    toUs,
    parts: partsOf({ width, isAscii }),
  });
  const timezone = context.utc ? 'UTC' : site.timezone;
  // A part is longer than a second nearly always.
  const time = (us: number) =>
    fullTime(context, Math.floor(us / 1000), timezone).replace(/:\d\d(Z| )/, '$1');
  const summary = summaryOf(data);
  const freshness = freshnessOf(context, lastReadingAt, nowMs);
  if (!summary) return [`No readings from ${time(fromUs)} to ${time(toUs)}; ${freshness}.`];
  const drawn = drawPlot(data, { width, height, isAscii, timezone, paint: style.cyan });
  const label = valueLabel(summary.max - summary.min);
  const unit = sensor.unit === null ? '' : ` ${sensor.unit}`;
  const numbers = (['min', 'avg', 'max'] as const).map(
    (name) => `${name === 'avg' ? 'mean' : name} ${label(summary[name])}${unit}`,
  );
  const facts = [...numbers, counted(summary.count, 'reading'), freshness];
  return [
    ...drawn,
    '',
    ...wrapWords(facts, width, ' · '),
    ...gapLines(data, time).flatMap((line) => wrapText(line, width)),
  ];
}

/** The end of a plot without --to: now, or behind the last reading, which can be a little ahead of this clock. */
function endOfPlotUs({
  nowMs,
  fromUs,
  lastReadingAt,
}: {
  nowMs: number;
  fromUs: number | undefined;
  lastReadingAt: string | null;
}): number {
  const lastUs = lastReadingAt === null ? undefined : parseInstantUs(lastReadingAt);
  const afterLastUs = (lastUs ?? Number.NEGATIVE_INFINITY) + 1;
  const isNear = afterLastUs <= nowMs * 1000 + maxAheadUs;
  return Math.max(
    nowMs * 1000,
    isNear ? afterLastUs : Number.NEGATIVE_INFINITY,
    (fromUs ?? Number.NEGATIVE_INFINITY) + 1,
  );
}

function freshnessOf({ style }: Printer, lastReadingAt: string | null, nowMs: number): string {
  if (lastReadingAt === null) return 'no reading yet';
  const atMs = Date.parse(lastReadingAt);
  const text = `last reading ${relativeTime(atMs, nowMs)}`;
  return isSilent(atMs, nowMs) ? style.yellow(text) : text;
}

function gapLines(data: PlotData, time: (us: number) => string): string[] {
  const gaps = gapsOf(data);
  const shownGaps = gaps
    .slice(0, namedGaps)
    .map(({ fromUs, toUs }) => `No readings from about ${time(fromUs)} to ${time(toUs)}`);
  return gaps.length > namedGaps
    ? [...shownGaps, `and ${counted(gaps.length - namedGaps, 'shorter gap')}`]
    : shownGaps;
}
