import { formatInstantMs, formatInstantUs } from '../time/instants.ts';
import { meantInstant, orMean, orSerialDate } from '../time/meant-values.ts';
import { type EpochUnit, isBelowEpochMs, meaningOfDigits } from './instants.ts';
import { type Fault, fault, missing, shown } from './rejections.ts';

const allowedForms =
  'give RFC 3339 with an offset, such as 2026-11-20T08:15:00Z, or whole epoch milliseconds';

/** The fault of an instant that is missing, malformed or before 1990; `atUs` is what it was read as. */
export function instantFault(at: unknown, atUs: number | undefined): Fault {
  if (at === undefined) return missing('at');

  const meaning = digitsMeaning(at);
  if (meaning === quotedNumber) {
    const detail = `${shown(at)} ${quotedNumber}, or give RFC 3339 with an offset.`;
    return fault('invalid_at', detail);
  }

  const serial = orSerialDate(typeof at === 'number' || typeof at === 'string' ? String(at) : '');
  if (serial !== '') return fault('invalid_at', `${shown(at)} is not an instant${serial}.`);

  const looksLike = andMeaning(meaning);
  if (isBelowEpochMs(at) && Number.isInteger(at)) {
    const reason = 'epoch seconds taken for milliseconds would land in 1970';
    return fault(
      'invalid_at',
      `${at} is below 100,000,000,000${looksLike}: ${reason}. Give whole epoch milliseconds or RFC 3339.`,
    );
  }

  if (atUs !== undefined) {
    const isNumber = typeof at === 'number' && Number.isFinite(atUs);
    const meaningText = isNumber ? ` (it means ${formatInstantUs(atUs)})` : '';
    const detail = `${shown(at)} is before 1990${meaningText}${looksLike}: set the clock, or ${allowedForms}.`;
    return fault('invalid_at', detail);
  }

  const isOtherText = typeof at === 'string' && looksLike === '';
  const suggestion = isOtherText ? orMean(meantInstant(at)) : '';
  return fault(
    'invalid_at',
    `${shown(at)} is not an instant${looksLike}: ${allowedForms}${suggestion || '.'}`,
  );
}

/** The fault of an instant that is too far ahead, which the client gave in a unit, or as RFC 3339. */
export function aheadFault(at: unknown, atUs: number, unit: EpochUnit = 'milliseconds'): Fault {
  const isFiniteText = typeof at === 'string' && Number.isFinite(atUs);
  const instantText = isFiniteText ? formatInstantUs(atUs) : shown(at);
  const looksLike = andMeaning(digitsMeaning(at, unit));
  const advice = looksLike === '' ? '' : `; give epoch ${unit}`;
  return fault('in_future', `${instantText} is more than 24 hours ahead${looksLike}${advice}.`);
}

const quotedNumber = 'looks like a number in quotes: send it without them';

function andMeaning(meaning: string): string {
  return meaning === '' ? '' : ` and ${meaning}`;
}

/** The apparent meaning of digits, as the end of a sentence; empty if they have none, or have the expected unit. */
export function digitsMeaning(at: unknown, unit: EpochUnit = 'milliseconds'): string {
  const isShownAsDigits = typeof at === 'number' || typeof at === 'string';
  const digitsText = isShownAsDigits ? String(at) : '';
  const meaning = meaningOfDigits(digitsText);
  if (meaning === undefined) return '';

  const instantText = formatInstantMs(meaning.ms).replace('.000Z', 'Z');
  if (meaning.unit === 'digits') return `looks like the digits of ${instantText}`;
  if (meaning.unit !== unit) return `looks like epoch ${meaning.unit} of ${instantText}`;
  return typeof at === 'string' ? quotedNumber : '';
}
