import { instantsShowing, isTimezone } from './calendar.ts';
import { canonicalInstant, isDate, parseInstantMs } from './instants.ts';
import { dayMs, minuteMs } from './spans.ts';

/** The boolean that a word of another language or of a spreadsheet means, as `true` or `false`. */
export function meantBoolean(typedText: string): string | undefined {
  const word = typedText.toLowerCase();
  const isOneOf = (words: string) => words.split(' ').includes(word);
  if (isOneOf('true 1 yes y ja j oui si sí sì wahr vrai vero on x t')) return 'true';
  if (isOneOf('false 0 no n nein non não falsch faux falso off f')) return 'false';
  return undefined;
}

const maxLength = 40;

/** The date that a text means which is not `YYYY-MM-DD`, such as 31.12.2026; none if day and month could be either. */
export function meantDate(typedText: string): string | undefined {
  // A spreadsheet gives the date of a cell a time.
  const dayText = typedText.replace(/^(\S+?)[T ].*$/, '$1');
  return dateIn(dayText, typedText);
}

/** The date that `dayText` means; undefined if the typed text is that date already. */
function dateIn(dayText: string, typedText = dayText): string | undefined {
  if (typedText.length > maxLength) return undefined;
  const parts = allDigits(dayText) ?? yearFirst(dayText) ?? dayFirst(dayText);
  const [, year = '', month = '', dayOfMonth = ''] = parts ?? [];

  const monthText = month.padStart(2, '0');
  const date = `${year}-${monthText}-${dayOfMonth.padStart(2, '0')}`;
  return isDate(date) && date !== typedText ? date : undefined;
}

const timePattern =
  /^([\d./-]+)(?:[T ](\d\d:\d\d)(:\d\d)?([.,]\d+)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * The instant that a text means which is not RFC 3339: another date, a missing second, an offset such as +0100. Undefined if
 * any part of it is not understood: the suggestion must not cover more than the typed text. A text without an offset is local
 * time of the time zone, if one is given. It has no suggestion if the clock there shows that time twice or never.
 */
export function meantInstant(typedText: string, timezone?: string): string | undefined {
  if (typedText.length > maxLength) return undefined;
  const [, dayText = '', time = '00:00', seconds = ':00', fraction = '', zone = ''] =
    timePattern.exec(typedText) ?? [];
  const date = isDate(dayText) ? dayText : dateIn(dayText);
  const localText = `${date}T${time}${seconds}${fraction.replace(',', '.')}`;
  if (zone === '' && timezone !== undefined) {
    return inTimezone(localText, timezone);
  }

  const offset = /^[+-]/.test(zone) ? offsetText(zone) : 'Z';
  const instant = canonicalInstant(`${localText}${offset}`)?.replace(/\.?0*Z$/, 'Z');
  const isUncertain = instant !== undefined && zone === '';
  return isUncertain ? `${instant} (if it is in UTC)` : instant;
}

/** An offset such as +01, +0100 or +01:00 in the form of RFC 3339. */
function offsetText(zone: string): string {
  const minutes = zone.slice(3).replace(':', '') || '00';
  return `${zone.slice(0, 3)}:${minutes}`;
}

/** A local time with the offset that its time zone has then. */
function inTimezone(localText: string, timezone: string): string | undefined {
  const wallMs = parseInstantMs(`${localText}Z`);
  if (wallMs === undefined || !isTimezone(timezone)) return undefined;
  const [instantMs, laterMs] = instantsShowing(wallMs, timezone);
  if (instantMs === undefined || laterMs !== undefined) return undefined;

  const offset = wallMs - instantMs;
  const minutes = Math.abs(offset) / minuteMs;
  if (!Number.isInteger(minutes)) return undefined;
  const sign = offset < 0 ? '-' : '+';
  const hourText = String(Math.floor(minutes / 60)).padStart(2, '0');
  const minuteText = String(minutes % 60).padStart(2, '0');
  return `${localText}${sign}${hourText}:${minuteText}`;
}

/** The date or the instant that a text means as a bound of time; a text with a time never means its whole day. */
export function meantBound(typedText: string, timezone?: string): string | undefined {
  return dateIn(typedText) ?? meantInstant(typedText, timezone);
}

/** The end of a rule that suggests a value; empty if there is none to suggest. */
export function orMean(suggestion: string | undefined): string {
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/** The days from 1899-12-30, from which spreadsheet programs count, to 1970-01-01. */
const serialOfEpoch = 25_569;

/**
 * The end of a rule for the number by which spreadsheet programs store a date from 1990 to 2099, such as 46297.5; empty for
 * other texts.
 */
export function orSerialDate(typedText: string): string {
  if (!/^\d{5}(?:[.,]\d+)?$/.test(typedText)) return '';
  const epochMs = Math.round((Number(typedText.replace(',', '.')) - serialOfEpoch) * dayMs);
  const date = new Date(epochMs).toISOString().slice(0, 19);
  if (date < '1990' || date >= '2100') return '';
  return `; ${typedText} looks like the number of a spreadsheet program for ${date}: give the column a format such as yyyy-mm-dd hh:mm:ss before you save it`;
}

/** The parts of a date without separators, such as 20261231. */
function allDigits(dateText: string): string[] | undefined {
  return /^(\d{4})(\d\d)(\d\d)$/.exec(dateText) ?? undefined;
}

function yearFirst(dateText: string): string[] | undefined {
  const pattern = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
  const [, year = '', , month = '', day = ''] = pattern.exec(dateText) ?? [];
  return year === '' ? undefined : ['', year, month, day];
}

/** A date that does not begin with its year: with points the day comes first, with a slash it may be the month. */
function dayFirst(dateText: string): string[] | undefined {
  const pattern = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;
  const [, first = '', separator = '', second = '', year = ''] = pattern.exec(dateText) ?? [];
  if (year === '') return undefined;

  const isDayFirst = separator === '.' || Number(first) > 12 || first === second;
  if (isDayFirst) return ['', year, second, first];
  return Number(second) > 12 ? ['', year, first, second] : undefined;
}
