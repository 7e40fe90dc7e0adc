import { setTimeout as pause } from 'node:timers/promises';
import type { Domain } from '../../../core/domain/domain.ts';
import { HkctlError } from '../../../core/errors.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { Sensor } from '../../../core/port/readings.ts';
import { auditExport, requireSensor, textOf } from '../../../core/readings/sensors.ts';
import { followReadings, type SensorReading } from '../../../core/readings/tail.ts';
import { csvValue } from '../../../core/text/quoting.ts';
import { toSafeJson } from '../../../core/text/shown-text.ts';
import {
  byteOrderMark,
  type CsvLanguage,
  csvLanguageOf,
  plainCsv,
  rowsInLanguage,
  spreadsheetCell,
} from '../../../core/text/spreadsheets.ts';
import { counted } from '../../../core/text/words.ts';
import { formatInstantUs } from '../../../core/time/instants.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { oneOf, parsed } from '../../command/flags.ts';
import { writeMessage } from '../../command/printer.ts';
import { entityOrAsk } from '../../questions/choices.ts';
import { fullTime } from '../../table/shown-time.ts';
import { terminalLine } from '../../terminal/style.ts';
import { entityFlag, rangeFlags, readRange } from './sensors.ts';

/** The fields of a reading's JSON. */
const readingFields = ['sensor', 'at', 'value', 'quality'];

/** Parses a language or, as of any flag without a value, a word for yes or no. Throws `usage`. */
function parseSpreadsheet(text: string): CsvLanguage | undefined {
  if (/^(?:1|true|yes|on)$/i.test(text)) return plainCsv;
  if (/^(?:0|false|off)$/i.test(text)) return undefined;
  if (isLanguage(text)) return csvLanguageOf(text);
  throw new HkctlError('usage', `"${text}" is not a language: give a tag such as de or fr-CA.`);
}

function isLanguage(text: string): boolean {
  try {
    const regionNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    const { region } = new Intl.Locale(text);
    const isRegion = region === undefined || regionNames.of(region) !== undefined;
    return isRegion && Intl.NumberFormat.supportedLocalesOf(text).length > 0;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

export const exportReadings = defineCommand({
  summary: 'Print readings in order of time, sensor by sensor',
  description:
    'Without SENSOR those of every sensor of the entity. Instants are RFC 3339 in UTC, to the microsecond. The audit trail records who exported what.',
  readOnly: true,
  fields: readingFields,
  arguments: [{ spelling: '[SENSOR...]', doc: 'codes or ids of sensors' }],
  flags: {
    entity: entityFlag,
    ...rangeFlags,
    format: oneOf('--format <FORMAT>', ['csv', 'ndjson'], 'how to print them (default csv)'),
    spreadsheet: parsed(
      '--spreadsheet [LANGUAGE]',
      'CSV for a spreadsheet program: a byte order mark, and an apostrophe before texts that look like formulas; =de also with the separator and decimal sign of that language',
      parseSpreadsheet,
    ),
    yes: yesFlag,
  },
  examples: [
    [
      'hkctl sensors export OVEN-3-T1 --entity BER --from 2026-11-01 --to 2026-12-01 > november.csv',
      'a month',
    ],
    ['hkctl sensors export --entity BER --format ndjson', 'everything of an entity'],
    ['hkctl sensors export --spreadsheet > readings.csv', 'to open in Excel or LibreOffice'],
    [
      'hkctl sensors export --spreadsheet=de > readings.csv',
      'in German: semicolons, decimal commas',
    ],
  ],
  needs: ({ entity: code = '' }) => ['sensors.export', code],
  async run(context, flags, refs, session) {
    const { json, io } = context;
    const format = json ? 'ndjson' : (flags.format ?? 'csv');
    const { spreadsheet } = flags;
    if (spreadsheet && format !== 'csv') {
      throw new HkctlError(
        'usage',
        '--spreadsheet is for CSV: leave out --json and --format ndjson.',
      );
    }

    const { domain, actor } = session;
    const entity = await entityOrAsk(context, session, flags.entity);
    const range = readRange(flags, entity.timezone);
    const sensors = await sensorsOf(domain, entity, refs);
    // Before the first reading is out, since an interrupted export has also given readings away.
    await auditExport(domain, actor, entity, {
      ...range,
      sensors: refs.length === 0 ? undefined : sensors,
    });

    // A terminal gets imported texts made safe; a file or a pipe gets them as they are.
    const shownCode = io.stdout.isTTY ? terminalLine : (text: string) => text;
    const codeCell = ({ code }: Sensor) =>
      spreadsheet ? spreadsheetCell(shownCode(code), spreadsheet) : csvValue(shownCode(code));
    // The store writes rows with commas and points.
    const isTranslated = spreadsheet !== undefined && spreadsheet.separator !== ',';
    const rowStart = (sensor: Sensor) => {
      if (format !== 'csv') return `"sensor":${toSafeJson(sensor.code)},`;
      return isTranslated ? '' : `${codeCell(sensor)},`;
    };

    if (json) io.stdout.write('[');
    else if (format === 'csv') {
      const header = readingFields.join(spreadsheet?.separator ?? ',');
      io.stdout.write(`${spreadsheet ? byteOrderMark : ''}${header}\n`);
    }
    let isFirst = true;
    for (const sensor of sensors) {
      const options = { ...range, format, lead: rowStart(sensor) };
      for await (const rows of textOf(domain, sensor, options)) {
        // With --json the rows are those of ndjson, in one array.
        const separator = isFirst ? '' : ',';
        if (json) io.stdout.write(`${separator}\n${elementsOf(context, rows)}`);
        else if (isTranslated) io.stdout.write(rowsInLanguage(rows, codeCell(sensor), spreadsheet));
        else io.stdout.write(rows);
        isFirst = false;
      }
    }
    if (json) io.stdout.write(']\n');
  },
});

/** Lines of readings as elements of an array, each with the fields that were asked for. */
function elementsOf(context: Context, rowsText: string): string {
  const rowLines = rowsText.slice(0, -1);
  if (context.fields === undefined) return rowLines.replaceAll('\n', ',\n');
  const elements = rowLines.split('\n').map((line) => {
    const reading: unknown = JSON.parse(line);
    return toSafeJson(context.chosen(reading));
  });
  return elements.join(',\n');
}

export const tail = defineCommand({
  summary: 'Print readings as they are stored, until Ctrl-C',
  description:
    'Without SENSOR those of every sensor of the entity, from whichever daemon and of any age: also what a gateway sends late.',
  readOnly: true,
  fields: readingFields,
  arguments: [{ spelling: '[SENSOR...]', doc: 'codes or ids of sensors' }],
  flags: { entity: entityFlag, yes: yesFlag },
  examples: [
    ['hkctl sensors tail --entity BER', 'everything that arrives at an entity'],
    ['hkctl sensors tail OVEN-3-T1 --json', 'one sensor, an object per line'],
  ],
  needs: ({ entity: code = '' }) => ['entity.list', code],
  async run(context, flags, refs, session) {
    const { domain } = session;
    const entity = await entityOrAsk(context, session, flags.entity);
    const sensors = await sensorsOf(domain, entity, refs);
    if (sensors.length === 0) {
      throw new HkctlError('not_found', `Entity ${entity.code} has no sensors.`, {
        hint: `Load some: hkctl import sensors FILE --entity ${entity.code}`,
      });
    }
    const { stdout } = context.io;
    const timeText = (instantUs: number) =>
      fullTime(context, Math.floor(instantUs / 1000), entity.timezone);
    const readingLine = ({ sensor, atUs, value, quality }: SensorReading) => {
      const atText = stdout.isTTY ? timeText(atUs) : formatInstantUs(atUs);
      const valueText = sensor.unit === null ? value : `${value} ${sensor.unit}`;
      const cells = [atText, sensor.code, valueText];
      return (quality ? [...cells, quality] : cells).join('  ');
    };
    const readingJson = ({ sensor, atUs, value, quality }: SensorReading) => {
      const reading = {
        sensor: sensor.code,
        at: formatInstantUs(atUs),
        value,
        ...(quality && { quality }),
      };
      return toSafeJson(context.chosen(reading));
    };

    let hasAnnounced = false;
    const signal = context.io.interrupted();
    for await (const { readings, isComplete } of followReadings(domain, sensors, signal)) {
      if (!hasAnnounced) {
        const sensorsText = counted(sensors.length, 'sensor');
        context.say(`Waiting for readings of ${sensorsText} of ${entity.code}. Ctrl-C ends it.`);
        writeMessage(context.io, 'warn', ...context.takeAnnounced());
        hasAnnounced = true;
      }
      if (!isComplete) {
        // A program that reads JSON must learn of a gap, too.
        const gapText =
          'Readings that came late may not be shown: this command did not run when they were stored.';
        writeMessage(context.io, 'warn', gapText);
      }
      const formatReading = context.json ? readingJson : readingLine;
      if (readings.length > 0) context.print(...readings.map(formatReading));
      // Ctrl-C ends the pause, too.
      await pause(pauseMs, undefined, { signal }).catch(() => {});
    }
  },
});

/** The pause from one read of the store to the next. */
const pauseMs = 500;

async function sensorsOf(
  domain: Domain,
  entity: Entity,
  refs: readonly string[],
): Promise<Sensor[]> {
  if (refs.length === 0) {
    const directory = await domain.store.readings.directory(entity.id);
    return [...new Set(directory.values())];
  }
  const sensors: Sensor[] = [];
  for (const ref of refs) sensors.push(await requireSensor(domain, entity, ref));
  return sensors;
}
