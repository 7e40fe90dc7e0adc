/** The time now in epoch milliseconds. Injected everywhere, so that tests can stand still. */
export type Clock = () => number;

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 instant to whole epoch microseconds (a safe integer until the year 2255); digits beyond the
 * microsecond are cut. Undefined where the text is no instant with an offset, or names a day or time that does not exist.
 * A leap second (`:60`) is read as the first instant of the next minute.
 */
export function parseInstantUs(text: string): number | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', , sign, offsetHour, offsetMinute] = match;
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (sign !== undefined && (Number(offsetHour) > 23 || Number(offsetMinute) > 59)) return undefined;
  const offsetMs = sign === undefined ? 0 : (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  const localMs =
    utcMs(Number(year), Number(month), Number(day)) +
    ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const instantMs = sign === '-' ? localMs + offsetMs : localMs - offsetMs;
  return instantMs * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Writes epoch microseconds as RFC 3339 in UTC with six digits, `2026-11-20T08:15:00.123456Z`: sorts as text as it does in time. */
export function formatInstantUs(us: number): string {
  const ms = Math.floor(us / 1000);
  const micros = us - ms * 1000;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Writes epoch milliseconds as RFC 3339 in UTC. */
export function formatInstantMs(ms: number): string {
  return new Date(ms).toISOString();
}

/** The same for a time that may be missing. */
export function formatOptionalMs(ms: number | null): string | null {
  return ms === null ? null : formatInstantMs(ms);
}

/** Whether a text is a date `YYYY-MM-DD` that exists in the Gregorian calendar. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  return match !== null && isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]));
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(utcMs(year, month + 1, 0)).getUTCDate();
}

/** Date.UTC reads the years 0 to 99 as 1900 to 1999; this does not. */
function utcMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}
