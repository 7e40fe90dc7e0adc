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
  return dateText.length === dayLength && !Number.isNaN(readDay(bytesOf(dateText), 0));
}

/** Whether a text has the shape `YYYY-MM-DD`; the day need not exist. */
export function isDateShaped(dateText: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(dateText);
}

const canonicalLength = '2026-11-20T08:15:00.123456Z'.length;

/** Milliseconds and remaining microseconds apart: in far years a double cannot represent the sum exactly. */
function parseParts(instantText: string): { ms: number; micros: number } | undefined {
  const bytes = bytesOf(instantText);
  const us = readSecondsUs(bytes, minuteLength, instantText.length);
  const ms = readMinuteMs(bytes, 0) + Math.floor(us / 1000);
  return Number.isNaN(ms) ? undefined : { ms, micros: us - Math.floor(us / 1000) * 1000 };
}

const textBytes = new Uint8Array(64);

/** The bytes of a text, valid until the next call; of one with other characters than ASCII more than it has characters. */
function bytesOf(text: string): Uint8Array {
  if (text.length > textBytes.length) return new TextEncoder().encode(text);
  for (let index = 0; index < text.length; index++) {
    textBytes[index] = Math.min(text.charCodeAt(index), 255);
  }
  return textBytes;
}

function formatParts(ms: number, micros: number): string {
  const upToMillis = new Date(ms).toISOString().slice(0, -1);
  return `${upToMillis}${String(micros).padStart(3, '0')}Z`;
}

/** The one reader of RFC 3339. It reads bytes, since most instants stand in bodies with thousands of readings. */

export const dayLength = '2026-11-20'.length;
export const minuteLength = '2026-11-20T08:15'.length;

/** Reads a date `2026-11-20`: days from 1970-01-01; NaN unless the Gregorian calendar has it. */
export function readDay(bytes: Uint8Array, start: number): number {
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (bytes[start + 4] !== dash || bytes[start + 7] !== dash) return Number.NaN;
  if (year < 0 || month < 1 || month > 12 || day < 1) return Number.NaN;

  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const leapDay = isLeap && month > 2 ? 1 : 0;
  const isInMonth = day <= (monthDays[month - 1] ?? 0) || (isLeap && month === 2 && day === 29);
  if (!isInMonth) return Number.NaN;

  // Of the years before this one, counted from a cycle of leap years earlier, so that none is negative.
  const years = year - 1 + 400;
  const leapDays = ((years / 4) | 0) - ((years / 100) | 0) + ((years / 400) | 0);
  const dayOfYear = (daysBeforeMonth[month - 1] ?? 0) + leapDay + day - 1;
  return years * 365 + leapDays + dayOfYear - daysBefore1970;
}

/** Reads an instant up to its minute: epoch milliseconds as if its offset were zero; NaN if it is none. */
export function readMinuteMs(bytes: Uint8Array, start: number): number {
  const between = bytes[start + dayLength];
  if (between !== 84 && between !== 116 && between !== 32) return Number.NaN; // T, t or a blank
  if (bytes[start + 13] !== colon) return Number.NaN;
  const minutes = minutesAt(bytes, start + 11);
  return (readDay(bytes, start) * 1440 + minutes) * 60_000;
}

/**
 * Reads the rest of an instant, `:00.123456Z` or `:00+01:00`: microseconds from the minute that {@link readMinuteMs} has read; NaN
 * if it is none. A leap second (`:60`) is the first instant of the next minute; digits behind six of a fraction are cut off.
 */
export function readSecondsUs(bytes: Uint8Array, start: number, end: number): number {
  const second = twoDigits(bytes, start + 1);
  if (bytes[start] !== colon || second < 0 || second > 60) return Number.NaN;

  let offset = start + 3;
  let micros = 0;
  if (bytes[offset] === 46) {
    const digitsStart = ++offset;
    let unit = 100_000;
    for (let digit = digitAt(bytes, offset); digit >= 0; digit = digitAt(bytes, ++offset)) {
      micros += digit * unit;
      unit = Math.floor(unit / 10);
    }
    if (offset === digitsStart) return Number.NaN;
  }
  return second * 1e6 + micros - readOffsetUs(bytes, offset, end);
}

/** Reads `Z`, `z`, `+01:00` or `-01:00`; NaN for anything else. */
function readOffsetUs(bytes: Uint8Array, start: number, end: number): number {
  const sign = bytes[start];
  if (end === start + 1) return sign === 90 || sign === 122 ? 0 : Number.NaN;

  const isOffset = end === start + 6 && (sign === plus || sign === dash);
  if (!isOffset || bytes[start + 3] !== colon) return Number.NaN;
  const offsetUs = minutesAt(bytes, start + 1) * 60_000_000;
  return sign === dash ? -offsetUs : offsetUs;
}

/** Reads `08:15`, whose third character the caller has seen; NaN if there is no such time. */
function minutesAt(bytes: Uint8Array, start: number): number {
  const hour = twoDigits(bytes, start);
  const minute = twoDigits(bytes, start + 3);
  const isTime = hour >= 0 && hour <= 23 && minute >= 0 && minute <= 59;
  return isTime ? hour * 60 + minute : Number.NaN;
}

/** -1 if it is no digit, or behind the end. */
function digitAt(bytes: Uint8Array, offset: number): number {
  const digit = (bytes[offset] ?? 0) - 48;
  return digit <= 9 ? digit : -1;
}

/** Far below zero if they are no digits. */
function twoDigits(bytes: Uint8Array, offset: number): number {
  const tens = (bytes[offset] ?? 0) - 48;
  const ones = (bytes[offset + 1] ?? 0) - 48;
  // Only a digit leaves none of these below zero.
  return (tens | ones | (9 - tens) | (9 - ones)) < 0 ? -1000 : tens * 10 + ones;
}

const plus = 43;
const dash = 45;
const colon = 58;
/** From 0001-01-01, and the 400 years of a cycle. */
const daysBefore1970 = 719_162 + 146_097;
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** Of a common year. */
const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
