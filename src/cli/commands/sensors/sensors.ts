import { HkctlError } from '../../../core/errors.ts';
import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import type { SensorView } from '../../../core/readings/sensors.ts';
import { didYouMean } from '../../../core/text/words.ts';
import { startOfDayMs } from '../../../core/time/calendar.ts';
import { isDate, parseInstantUs } from '../../../core/time/instants.ts';
import { meantBound } from '../../../core/time/meant-values.ts';
import type { Context } from '../../command/context.ts';
import { textFlag } from '../../command/flags.ts';
import { chosenFields } from '../../command/json-fields.ts';

export const rangeFlags = {
  from: textFlag('--from <WHEN>', 'first instant, or date in the time zone of the entity'),
  to: textFlag('--to <WHEN>', 'instant or date before which to end'),
};

/** Reads the bounds of a span, in epoch µs. Throws `usage` for what is no instant, and for an end that is not after the start. */
export function readRange(
  { from, to }: { from?: string; to?: string },
  timezone: string,
): { fromUs?: number; toUs?: number } {
  const range = {
    fromUs: instantOf(from, '--from', timezone),
    toUs: instantOf(to, '--to', timezone),
  };
  if (range.fromUs !== undefined && range.toUs !== undefined && range.fromUs >= range.toUs) {
    throw new HkctlError('usage', `--to must be after --from: ${to} is not after ${from}.`);
  }
  return range;
}

function instantOf(text: string | undefined, flag: string, timezone: string): number | undefined {
  if (text === undefined) return undefined;
  const us = isDate(text) ? startOfDayMs(text, timezone) * 1000 : parseInstantUs(text);
  if (us !== undefined) return us;
  throw new HkctlError(
    'usage',
    `${flag}: "${text}" is neither a date such as 2026-11-20 nor an RFC 3339 instant.`,
    {
      hint: didYouMean(meantBound(text, timezone)).trim() || undefined,
    },
  );
}

/** The fields of a sensor in JSON, which scripts rely on. */
export const sensorFields = [
  'id',
  'code',
  'name',
  'asset_id',
  'quantity',
  'unit',
  'is_active',
  'updated_at',
  'last_reading_at',
  'last_value',
  'last_heartbeat_at',
  'last_status',
];

/** A sensor in JSON: of what the API says of it, the battery is left to `sensors show` and to the page. */
export function toSensorJson(view: SensorView): unknown {
  return chosenFields(view, sensorFields);
}

export const entity = textFlag(
  '--entity <CODE>',
  'the entity (site) of the sensors; may be left out if there is one active entity',
);

export async function sensorResource(context: Context): Promise<ResourceDefinition> {
  const sensorResource = (await context.services.resources()).find(
    ({ name }) => name === 'sensors',
  );
  if (!sensorResource) throw new Error('There is no resource "sensors" among the declarations.');
  return sensorResource;
}
