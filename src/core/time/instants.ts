/** The current time in epoch milliseconds; passed as an argument everywhere, so that tests use a fixed clock. */
export type Clock = () => number;

/** The last instant that a Date can represent, in epoch milliseconds; the first one is as far before 1970. */
export const latestDateMs = 8.64e15;

/**
 * Parses an RFC 3339 instant to whole epoch microseconds, bounded by {@link boundedUs}; further digits are cut off. Undefined
 * if the text is not an instant with an offset, or names a day or time that does not exist. A leap second (`:60`) is the
 * first instant of the next minute.
 */
export function parseInstantUs(instantText: string): number | undefined {
  const instant = parseParts(instantText);
  return instant && boundedUs(instant.ms * 1000 + instant.micros);
}

/** Parses an RFC 3339 instant to whole epoch milliseconds, for all years that RFC 3339 can express. */
export function parseInstantMs(instantText: string): number | undefined {
  return parseParts(instantText)?.ms;
}

/** Epoch microseconds if a double represents them exactly (years 1684 to 2255); before and after, -Infinity or Infinity. */
export function boundedUs(us: number): number {
  return Number.isSafeInteger(us) ? us : us * Number.POSITIVE_INFINITY;
}

/** The form in which records store an RFC 3339 instant: UTC with six digits of fraction. Undefined for any other text. */
export function canonicalInstant(instantText: string): string | undefined {
  const instant = parseParts(instantText);
  if (!instant) return undefined;
  const canonical = formatParts(instant.ms, instant.micros);
  // In UTC an instant may fall outside the years 0000 to 9999; ISO 8601 then writes a sign and more digits.
  return canonical.length === canonicalLength ? canonical : undefined;
}

/** Writes epoch microseconds as RFC 3339 in UTC with six digits, `2026-11-20T08:15:00.123456Z`; such texts sort by time. */
export function formatInstantUs(us: number): string {
  const ms = Math.floor(us / 1000);
  return formatParts(ms, us - ms * 1000);
}

/** Writes epoch milliseconds as RFC 3339 in UTC. */
export function formatInstantMs(ms: number): string {
  return new Date(ms).toISOString();
}

/** Builds the same formatter for many instants in order: it keeps the text of the last second. */
export function createInstantText(): (ms: number) => string {
  let lastMs = Number.NaN;
  let lastSecondMs = Number.NaN;
  let secondText = '';
  let lastText = '';
  return (instantMs) => {
    if (instantMs === lastMs) return lastText;

    lastMs = instantMs;
    const secondMs = Math.floor(instantMs / 1000) * 1000;
    if (secondMs !== lastSecondMs) {
      lastSecondMs = secondMs;
      secondText = formatInstantMs(secondMs).slice(0, -4);
    }

    const milliseconds = instantMs - secondMs;
    lastText = `${secondText}${leadingZeros(milliseconds)}${milliseconds}Z`;
    return lastText;
  };
}

function leadingZeros(milliseconds: number): string {
  if (milliseconds < 10) return '00';
  return milliseconds < 100 ? '0' : '';
}
export function formatOptionalUs(us: number | null | undefined): string | null {
  return us === null || us === undefined ? null : formatInstantUs(us);
}

export function formatOptionalMs(ms: number | null): string | null {
  return ms === null ? null : formatInstantMs(ms);
}

/** Whether a text is a date `YYYY-MM-DD` that exists in the Gregorian calendar. */
export function isDate(dateText: string): boolean {
  if (!isDateShaped(dateText)) return false;
  const year = Number(dateText.slice(0, 4));
  const month = Number(dateText.slice(5, 7));
  const day = Number(dateText.slice(8));
  return isCalendarDay(year, month, day);
}

/** Whether a text has the shape `YYYY-MM-DD`; the day need not exist. */
export function isDateShaped(dateText: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(dateText);
}

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const canonicalLength = '2026-11-20T08:15:00.123456Z'.length;

/** Milliseconds and remaining microseconds apart: in far years a double cannot represent the sum exactly. */
function parseParts(instantText: string): { ms: number; micros: number } | undefined {
  const match = rfc3339.exec(instantText);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match

    .slice(1, 7)
    .map(Number);
  const [fraction = '', sign, offsetHour = 0, offsetMinute = 0] = match.slice(7);

  if (!isCalendarDay(year, month, day)) return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) {
    return undefined;
  }

  const sixDigits = fraction.slice(0, 6).padEnd(6, '0');
  const micros = Number(sixDigits);
  const secondOfDay = (hour * 60 + minute) * 60 + second;
  const localMs = utcMs(year, month, day) + secondOfDay * 1000 + Math.floor(micros / 1000);
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  return {
    ms: sign === '-' ? localMs + offsetMs : localMs - offsetMs,
    micros: micros % 1000,
  };
}

function formatParts(ms: number, micros: number): string {
  const upToMillis = new Date(ms).toISOString().slice(0, -1);
  return `${upToMillis}${String(micros).padStart(3, '0')}Z`;
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  if (day <= 28) return true;
  const lastOfMonth = new Date(utcMs(year, month + 1, 0));
  return day <= lastOfMonth.getUTCDate();
}

/** Like Date.UTC, which however reads the years 0 to 99 as 1900 to 1999. */
function utcMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}
