import { formatInstantMs, formatInstantUs } from '../time/instants.ts';
import { meantInstant, orMean } from '../time/meant-values.ts';
import { type EpochUnit, isBelowEpochMs, meaningOfDigits } from './instants.ts';
import { type Fault, fault, missing, shown } from './rejections.ts';

const allowed =
  'give RFC 3339 with an offset, such as 2026-11-20T08:15:00Z, or whole epoch milliseconds';

/** The fault of an instant that is missing, malformed or before 1990; `atUs` is what it was read as. */
export function instantFault(at: unknown, atUs: number | undefined): Fault {
  if (at === undefined) return missing('at');
  const meaning = digitsMeaning(at);
  if (meaning === inQuotes) {
    const detail = `${shown(at)} ${inQuotes}, or give RFC 3339 with an offset.`;
    return fault('invalid_at', detail);
  }
  const looksLike = and(meaning);
  if (isBelowEpochMs(at) && Number.isInteger(at)) {
    const why = 'epoch seconds taken for milliseconds would land in 1970';
    return fault(
      'invalid_at',
      `${at} is below 100,000,000,000${looksLike}: ${why}. Give whole epoch milliseconds or RFC 3339.`,
    );
  }
  if (atUs !== undefined) {
    const isNumber = typeof at === 'number' && Number.isFinite(atUs);
    const instant = isNumber ? ` (it means ${formatInstantUs(atUs)})` : '';
    const detail = `${shown(at)} is before 1990${instant}${looksLike}: set the clock, or ${allowed}.`;
    return fault('invalid_at', detail);
  }
  const meant = typeof at === 'string' && looksLike === '' ? orMean(meantInstant(at)) : '';
  return fault(
    'invalid_at',
    `${shown(at)} is not an instant${looksLike}: ${allowed}${meant || '.'}`,
  );
}

/** The fault of an instant that is too far ahead, which the client gave in a unit, or as RFC 3339. */
export function aheadFault(at: unknown, atUs: number, unit: EpochUnit = 'milliseconds'): Fault {
  const instant =
    typeof at === 'string' && Number.isFinite(atUs) ? formatInstantUs(atUs) : shown(at);
  const looksLike = and(digitsMeaning(at, unit));
  const then = looksLike === '' ? '' : `; give epoch ${unit}`;
  return fault('in_future', `${instant} is more than 24 hours ahead${looksLike}${then}.`);
}

const inQuotes = 'looks like a number in quotes: send it without them';

function and(meaning: string): string {
  return meaning === '' ? '' : ` and ${meaning}`;
}

/** What digits look like, as the end of a sentence; empty if they look like nothing, or have the unit that they should have. */
export function digitsMeaning(at: unknown, unit: EpochUnit = 'milliseconds'): string {
  const text = typeof at === 'number' || typeof at === 'string' ? String(at) : '';
  const meaning = meaningOfDigits(text);
  if (meaning === undefined) return '';
  const instant = formatInstantMs(meaning.ms).replace('.000Z', 'Z');
  if (meaning.unit === 'digits') return `looks like the digits of ${instant}`;
  if (meaning.unit !== unit) return `looks like epoch ${meaning.unit} of ${instant}`;
  return typeof at === 'string' ? inQuotes : '';
}
