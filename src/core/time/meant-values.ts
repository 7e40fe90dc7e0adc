import { isDate, parseInstantMs } from './instants.ts';

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
  if (text.length > longest) return undefined;
  const [, year = '', month = '', day = ''] =
    /^(\d{4})[-/.]?(\d{1,2})[-/.]?(\d{1,2})(?:[T ].*)?$/.exec(text) ?? dayFirst(text) ?? [];
  const date = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  return isDate(date) && date !== text ? date : undefined;
}

/** The instant in UTC that a text means which is not RFC 3339: another date, a missing second, an offset such as +0100. */
export function meantInstant(text: string): string | undefined {
  if (text.length > longest) return undefined;
  const [, day = '', time = '00:00', seconds = ':00', zone = ''] =
    /^(\S+?)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,]\d+)? ?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?$/i.exec(
      text,
    ) ?? [];
  const date = isDate(day) ? day : meantDate(day);
  const offset = /^[+-]/.test(zone)
    ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
    : 'Z';
  const ms = parseInstantMs(`${date}T${time}${seconds}${offset}`);
  if (ms === undefined || Math.abs(ms) > Date.UTC(9999, 0)) return undefined;
  const instant = new Date(ms).toISOString().replace('.000Z', 'Z');
  return zone === '' ? `${instant} (if it is in UTC)` : instant;
}

/** The end of a rule that suggests a value; empty if there is none to suggest. */
export function orMean(value: string | undefined): string {
  return value === undefined ? '' : `; did you mean ${value}?`;
}

/** A date that does not begin with its year: with points the day comes first, with a slash it may be the month. */
function dayFirst(text: string): string[] | undefined {
  const [, first = '', sign = '', second = '', year = ''] =
    /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[T ].*)?$/.exec(text) ?? [];
  if (year === '') return undefined;
  if (sign === '.' || Number(first) > 12 || first === second) return ['', year, second, first];
  return Number(second) > 12 ? ['', year, first, second] : undefined;
}
