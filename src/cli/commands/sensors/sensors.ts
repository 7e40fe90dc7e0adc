import { HkctlError } from '../../../core/errors.ts';
import type { ResourceDefinition } from '../../../core/fields/fields.ts';
import { lastStateFields } from '../../../core/readings/last-state.ts';
import { didYouMean } from '../../../core/text/words.ts';
import { startOfDayMs } from '../../../core/time/calendar.ts';
import { isDate, parseInstantUs } from '../../../core/time/instants.ts';
import { meantBound } from '../../../core/time/meant-values.ts';
import type { Context } from '../../command/context.ts';
import { textFlag } from '../../command/flags.ts';

export const rangeFlags = {
  from: textFlag('--from <WHEN>', 'first instant, or date in the time zone of the entity'),
  to: textFlag('--to <WHEN>', 'instant or date before which to end'),
};

/** Reads the bounds of a span, in epoch µs. Throws `usage` for an invalid instant, and for an end that is not after the start. */
export function readRange(
  { from, to }: { from?: string; to?: string },
  timezone: string,
): { fromUs?: number; toUs?: number } {
  const range = {
    fromUs: instantOf(from, '--from', timezone),
    toUs: instantOf(to, '--to', timezone),
  };
  const { fromUs, toUs } = range;
  if (fromUs !== undefined && toUs !== undefined && fromUs >= toUs) {
    throw new HkctlError('usage', `--to must be after --from: ${to} is not after ${from}.`);
  }
  return range;
}

function instantOf(
  typedInstant: string | undefined,
  flag: string,
  timezone: string,
): number | undefined {
  if (typedInstant === undefined) return undefined;
  const instantUs = isDate(typedInstant)
    ? startOfDayMs(typedInstant, timezone) * 1000
    : parseInstantUs(typedInstant);
  if (instantUs !== undefined) return instantUs;
  throw new HkctlError(
    'usage',
    `${flag}: "${typedInstant}" is neither a date such as 2026-11-20 nor an RFC 3339 instant.`,
    {
      hint: didYouMean(meantBound(typedInstant, timezone)).trim() || undefined,
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
  'silent_after',
  'updated_at',
  ...lastStateFields,
];

export const entityFlag = textFlag(
  '--entity <CODE>',
  'the entity of the sensors; may be left out if there is one active entity',
);

export async function sensorResource(context: Context): Promise<ResourceDefinition> {
  const resources = await context.services.resources();
  const definition = resources.find(({ name }) => name === 'sensors');
  if (!definition) throw new Error('There is no resource "sensors" among the declarations.');
  return definition;
}
