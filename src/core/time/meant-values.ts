import { isTimezone, offsetMs } from './calendar.ts';
import { canonicalInstant, isDate, parseInstantMs } from './instants.ts';
import { dayMs, minuteMs } from './spans.ts';

/** The boolean that a word of another language or of a spreadsheet means, as `true` or `false`. */
export function meantBoolean(text: string): string | undefined {
  const word = text.toLowerCase();
  const isOf = (words: string) => words.split(' ').includes(word);
  if (isOf('true 1 yes y ja j oui si sí sì wahr vrai vero on x t')) return 'true';
  return isOf('false 0 no n nein non não falsch faux falso off f') ? 'false' : undefined;
}

const longest = 40;

/** The date that a text means which is not `YYYY-MM-DD`, such as 31.12.2026; none if day and month could be either. */
export function meantDate(text: string): string | undefined {
  // A spreadsheet gives the date of a cell a time.
  return dateIn(text.replace(/^(\S+?)[T ].*$/, '$1'), text);
}

function dateIn(day: string, text = day): string | undefined {
  if (text.length > longest) return undefined;
  const [, year = '', month = '', dayOfMonth = ''] =
    /^(\d{4})(\d\d)(\d\d)$/.exec(day) ?? yearFirst(day) ?? dayFirst(day) ?? [];
  const date = [year, month.padStart(2, '0'), dayOfMonth.padStart(2, '0')].join('-');
  return isDate(date) && date !== text ? date : undefined;
}

/**
 * The instant that a text means which is not RFC 3339: another date, a missing second, an offset such as +0100. Undefined if any part
 * of it is not understood: what is suggested must not cover more than what was typed. A text without an offset is of the
 * time zone, if there is one, and has no suggestion where its clock shows that time twice or never.
 */
export function meantInstant(text: string, timezone?: string): string | undefined {
  if (text.length > longest) return undefined;
  const [, day = '', time = '00:00', seconds = ':00', fraction = '', zone = ''] =
    /^([\d./-]+)(?:[T ](\d\d:\d\d)(:\d\d)?([.,]\d+)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(
      text,
    ) ?? [];
  const date = isDate(day) ? day : dateIn(day);
  const local = `${date}T${time}${seconds}${fraction.replace(',', '.')}`;
  if (zone === '' && timezone !== undefined) return inTimezone(local, timezone);

  const offset = /^[+-]/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
    : 'Z';
  const instant = canonicalInstant(`${local}${offset}`)?.replace(/\.?0*Z$/, 'Z');
  return instant !== undefined && zone === '' ? `${instant} (if it is in UTC)` : instant;
}

/** A local time with the offset that its time zone has then. */
function inTimezone(local: string, timezone: string): string | undefined {
  const wallMs = parseInstantMs(`${local}Z`);
  if (wallMs === undefined || !isTimezone(timezone)) return undefined;
  // The offset may change that day: each of its offsets counts if the clock of the zone then shows that time.
  const offsets = [-dayMs, 0, dayMs].map((shift) => offsetMs(wallMs + shift, timezone));
  const fitting = new Set(offsets.filter((ms) => offsetMs(wallMs - ms, timezone) === ms));
  const [only, another] = fitting;
  if (only === undefined || another !== undefined) return undefined;
  const minutes = Math.abs(only) / minuteMs;
  if (!Number.isInteger(minutes)) return undefined;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${local}${only < 0 ? '-' : '+'}${digits.join(':')}`;
}

/** The date or the instant that a text means as a bound of time; a text with a time never means its whole day. */
export function meantBound(text: string, timezone?: string): string | undefined {
  return dateIn(text) ?? meantInstant(text, timezone);
}

/** The end of a rule that suggests a value; empty if there is none to suggest. */
export function orMean(value: string | undefined): string {
  return value === undefined ? '' : `; did you mean ${value}?`;
}

function yearFirst(text: string): string[] | undefined {
  const [, year = '', , month = '', day = ''] =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text) ?? [];
  return year === '' ? undefined : ['', year, month, day];
}

/** A date that does not begin with its year: with points the day comes first, with a slash it may be the month. */
function dayFirst(text: string): string[] | undefined {
  const [, first = '', sign = '', second = '', year = ''] =
    /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/.exec(text) ?? [];
  if (year === '') return undefined;
  if (sign === '.' || Number(first) > 12 || first === second) return ['', year, second, first];
  return Number(second) > 12 ? ['', year, first, second] : undefined;
}
