import { HkctlError } from '../../core/errors.ts';
import type { Reading, Sensor } from '../../core/port/readings.ts';
import { auditExport, listSensors, readingsOf, requireSensor, showSensor } from '../../core/readings/sensors.ts';
import type { ResourceDefinition } from '../../core/records/fields.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import { formatLocal, startOfDayMs } from '../../core/time/calendar.ts';
import { formatInstantUs, isDate, parseInstantUs } from '../../core/time/instants.ts';
import { defineCommand, type Noun, yesFlag } from '../command.ts';
import type { Context } from '../context.ts';
import { entityOrAsk } from '../entity-choice.ts';
import { oneOf, text } from '../flags.ts';
import { printTable } from '../terminal/output.ts';
import { terminalLine } from '../terminal/terminal-text.ts';

const entity = text('--entity <CODE>', 'the entity (site) of the sensors');

const list = defineCommand({
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

const show = defineCommand({
  name: 'show',
  summary: 'Show one sensor',
  readOnly: true,
  words: [{ spelling: '<SENSOR>', doc: 'code or id of the sensor' }],
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

const exportReadings = defineCommand({
  name: 'export',
  summary: 'Print readings in order of time, sensor by sensor',
  description:
    'Without SENSOR those of every sensor of the entity. Instants are RFC 3339 in UTC, to the microsecond. The audit trail keeps who took what.',
  readOnly: true,
  words: [{ spelling: '[SENSOR...]', doc: 'codes or ids of sensors' }],
  flags: {
    entity,
    from: text('--from <WHEN>', 'first instant, or date in the time zone of the entity'),
    to: text('--to <WHEN>', 'instant or date before which to end'),
    format: oneOf('--format <FORMAT>', ['csv', 'ndjson'], 'how to print them (default csv)'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl sensors export OVEN-3-T1 --entity BER --from 2026-11-01 --to 2026-12-01 > november.csv', 'a month'],
    ['hkctl sensors export --entity BER --format ndjson', 'everything of a site'],
  ],
  async run(context, flags, refs) {
    const { domain, actor } = await context.session();
    const site = await entityOrAsk(context, domain, actor, flags.entity);
    const range = {
      fromUs: instantOf(flags.from, '--from', site.timezone),
      toUs: instantOf(flags.to, '--to', site.timezone),
    };
    if (range.fromUs !== undefined && range.toUs !== undefined && range.fromUs >= range.toUs) {
      throw new HkctlError('usage', '--to must be after --from.');
    }
    const sensors: Sensor[] = [];
    for (const ref of refs) sensors.push(await requireSensor(domain, site, ref));
    // Before the first reading is out: an export that is cut off took something along as well.
    await auditExport(domain, actor, site, { ...range, sensors: refs.length === 0 ? undefined : sensors });
    if (refs.length === 0) sensors.push(...new Set((await domain.store.readings.directory(site.id)).values()));
    const writer = rowWriter(context, flags.format ?? 'csv');
    writer.begin();
    for (const sensor of sensors) {
      for await (const piece of readingsOf(domain, sensor, range)) writer.write(sensor, piece);
    }
    writer.end();
  },
});

/** `hkctl sensors …` */
export const sensors: Noun = {
  name: 'sensors',
  summary: 'Asset sensors, their state and their readings',
  verbs: [list, show, exportReadings],
};

interface RowWriter {
  begin(): void;
  write(sensor: Sensor, readings: readonly Reading[]): void;
  end(): void;
}

/** With `--json` the rows are those of ndjson, in one array. */
function rowWriter(context: Context, format: 'csv' | 'ndjson'): RowWriter {
  const { stdout } = context.io;
  const objects = (sensor: Sensor, readings: readonly Reading[]) =>
    readings.map(({ atUs, value, quality }) =>
      toSafeJson({ sensor: sensor.code, at: formatInstantUs(atUs), value, ...(quality && { quality }) }),
    );
  if (context.json) {
    let first = true;
    return {
      begin: () => stdout.write('['),
      write(sensor, readings) {
        stdout.write(`${first ? '' : ','}\n${objects(sensor, readings).join(',\n')}`);
        first = false;
      },
      end: () => stdout.write(']\n'),
    };
  }
  // On a terminal what was imported is made safe; a file or a pipe gets it as it is.
  const shown = stdout.isTTY ? terminalLine : (text: string) => text;
  const write = (lines: readonly string[]) => stdout.write(`${lines.join('\n')}\n`);
  if (format === 'ndjson') {
    return { begin() {}, write: (sensor, readings) => write(objects(sensor, readings)), end() {} };
  }
  return {
    begin: () => write(['sensor,at,value,quality']),
    write(sensor, readings) {
      const code = csvCell(asText(shown(sensor.code)));
      write(readings.map(({ atUs, value, quality }) => `${code},${formatInstantUs(atUs)},${value},${quality ?? ''}`));
    },
    end() {},
  };
}

async function sensorResource(context: Context): Promise<ResourceDefinition> {
  const found = (await context.services.resources()).find(({ name }) => name === 'sensors');
  if (!found) throw new Error('There is no resource "sensors" among the declarations.');
  return found;
}

function instantOf(given: string | undefined, flag: string, timezone: string): number | undefined {
  if (given === undefined) return undefined;
  const us = isDate(given) ? startOfDayMs(given, timezone) * 1000 : parseInstantUs(given);
  if (us !== undefined) return us;
  throw new HkctlError('usage', `${flag}: "${given}" is neither a date such as 2026-11-20 nor an RFC 3339 instant.`);
}

function local(instant: string | null, timezone: string): string {
  return instant === null ? 'Never' : formatLocal(Date.parse(instant), timezone);
}

/** A code that a spreadsheet would run as a formula, with an apostrophe before it (OWASP, "CSV Injection"). */
function asText(code: string): string {
  return /^[=+\-@\t\r\n]/.test(code) ? `'${code}` : code;
}

function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
