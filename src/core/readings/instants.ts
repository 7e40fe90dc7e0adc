import { boundedUs, parseInstantMs, parseInstantUs } from '../time/instants.ts';

/** Reads RFC 3339 or whole epoch ms to epoch µs, bounded as {@link boundedUs} does; undefined for anything else. */
export function instantUs(at: unknown): number | undefined {
  if (typeof at === 'string') {
    const commonUs = commonTextUs(at);
    return Number.isNaN(commonUs) ? parseInstantUs(at) : commonUs;
  }
  if (typeof at !== 'number' || !Number.isInteger(at)) {
    return undefined;
  }
  return boundedUs(at * 1000);
}

/** As {@link instantUs}, but undefined for a number that is {@link isBelowEpochMs}. */
export function measuredUs(at: unknown): number | undefined {
  return isBelowEpochMs(at) ? undefined : instantUs(at);
}

/** Whether a number is epoch seconds rather than milliseconds, which would land in 1970 (promise 5.8). */
export function isBelowEpochMs(at: unknown): at is number {
  return typeof at === 'number' && at < 100_000_000_000;
}

/** No instant of a measurement is earlier (promise 5.8): a clock is not set, or the digits are no epoch milliseconds. */
export const earliestMeasuredUs = Date.UTC(1990) * 1000;

/** The units in which clients count from 1970, each in milliseconds. */
const epochUnits = {
  milliseconds: 1,
  seconds: 1000,
  microseconds: 1e-3,
  nanoseconds: 1e-6,
} as const;

export type EpochUnit = keyof typeof epochUnits;

/** The meaning that digits seem to have: an instant in an epoch unit, or a date and a time without separators. */
interface DigitMeaning {
  unit: EpochUnit | 'digits';
  ms: number;
}

const firstMeantMs = Date.UTC(1990);
const lastMeantMs = Date.UTC(2100);

/** The apparent meaning of digits; undefined for any other text, and for a time before 1990 or after 2099 by any reading. */
export function meaningOfDigits(digitsText: string): DigitMeaning | undefined {
  if (!/^\d{6,20}(?:\.\d*)?$/.test(digitsText)) return undefined;
  const ms = dateDigitsMs(digitsText);
  if (ms !== undefined) return { unit: 'digits', ms };
  for (const unit of Object.keys(epochUnits) as EpochUnit[]) {
    const unitMs = Math.floor(Number(digitsText) * epochUnits[unit]);
    if (unitMs >= firstMeantMs && unitMs < lastMeantMs) {
      return { unit, ms: unitMs };
    }
  }
  return undefined;
}

/** Digits such as 20261120, 202611200815, 20261120081500 (with or without milliseconds) and 261120081500, in UTC. */
function dateDigitsMs(digitsText: string): number | undefined {
  const longPattern = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(?:(\d\d)(?:\d{3})?)?)?$/;
  const [, year = '', month, day, hour = '00', minute = '00', second = '00'] =
    longPattern.exec(digitsText) ?? [];
  const longMs = year && parseInstantMs(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const isLikely = longMs && longMs >= firstMeantMs && longMs < lastMeantMs;
  if (isLikely) return longMs;

  if (!/^\d{12}$/.test(digitsText)) return undefined;
  const [yy, mm, dd, hh, min, ss] = digitsText.match(/\d\d/g) ?? [];
  return parseInstantMs(`20${yy}-${mm}-${dd}T${hh}:${min}:${ss}Z`);
}

/** The longest time by which an instant may be ahead of the clock: gateways' clocks drift, but not by a day. */
export const maxAheadUs = 86_400_000_000;

/** Reads the common shape `2026-11-20T08:15:00[.123456]Z` from bytes, twenty times as fast; NaN for any other text. */
export function commonInstantUs(bytes: Uint8Array, startOffset: number, endOffset: number): number {
  return minuteUs(bytes, startOffset) + secondUs(bytes, startOffset + minuteLength, endOffset);
}

export const minuteLength = '2026-11-20T08:15'.length;

/** The first part of the common shape, up to the minute, in µs; NaN for any other text. */
export function minuteUs(bytes: Uint8Array, startOffset: number): number {
  if (
    bytes[startOffset + 4] !== 45 ||
    bytes[startOffset + 7] !== 45 ||
    bytes[startOffset + 10] !== 84
  ) {
    return Number.NaN;
  }
  if (bytes[startOffset + 13] !== 58) return Number.NaN;

  const year = twoDigits(bytes, startOffset) * 100 + twoDigits(bytes, startOffset + 2);
  const month = twoDigits(bytes, startOffset + 5);
  const day = twoDigits(bytes, startOffset + 8);
  const hour = twoDigits(bytes, startOffset + 11);
  const minute = twoDigits(bytes, startOffset + 14);

  // Outside these years microseconds may not be exact numbers.
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1) {
    return Number.NaN;
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) {
    return Number.NaN;
  }

  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (monthDays[month - 1] ?? 0) && !(isLeap && month === 2 && day === 29)) {
    return Number.NaN;
  }

  const dayOfYear = (daysBeforeMonth[month - 1] ?? 0) + (isLeap && month > 2 ? 1 : 0) + day - 1;
  const days = (daysBeforeYear[year - firstYear] ?? 0) + dayOfYear;
  return (days * 86_400 + hour * 3600 + minute * 60) * 1e6;
}

/** The rest of the common shape, `:00[.123456]Z`, in µs; NaN for any other text. */
export function secondUs(bytes: Uint8Array, startOffset: number, endOffset: number): number {
  const length = endOffset - startOffset;
  if (length < 4 || length > 11 || bytes[startOffset] !== 58 || bytes[endOffset - 1] !== 90) {
    return Number.NaN;
  }

  const second = twoDigits(bytes, startOffset + 1);
  const micros = length === 4 ? 0 : fractionUs(bytes, startOffset + 3, endOffset - 1);
  return second < 0 || second > 59 || micros < 0 ? Number.NaN : second * 1e6 + micros;
}

function commonTextUs(instantText: string): number {
  const { length } = instantText;
  if (length > commonBytes.length) return Number.NaN;
  for (let offset = 0; offset < length; offset++) {
    const code = instantText.charCodeAt(offset);
    if (code > 127) return Number.NaN;
    commonBytes[offset] = code;
  }
  return commonInstantUs(commonBytes, 0, length);
}

const commonBytes = new Uint8Array('2026-11-20T08:15:00.123456Z'.length);
const firstYear = 1700;
const lastYear = 2199;
const dayMs = 86_400_000;
const daysBeforeYear = Array.from(
  { length: 500 },
  (_, index) => Date.UTC(firstYear + index, 0) / dayMs,
);
/** Of a common year. */
const daysBeforeMonth = Array.from(
  { length: 13 },
  (_, month) => (Date.UTC(2001, month) - Date.UTC(2001, 0)) / dayMs,
);
const monthDays = daysBeforeMonth.map((days, month) => (daysBeforeMonth[month + 1] ?? 0) - days);

/** A fraction `.123456` in microseconds; -1 unless it has 1 to 6 digits. */
function fractionUs(bytes: Uint8Array, startOffset: number, endOffset: number): number {
  if (bytes[startOffset] !== 46 || endOffset < startOffset + 2) {
    return -1;
  }
  let micros = 0;
  for (let offset = startOffset + 1; offset < endOffset; offset++) {
    const digit = (bytes[offset] ?? 0) - 48;
    if (digit < 0 || digit > 9) return -1;
    micros = micros * 10 + digit;
  }
  return micros * (microsByDigits[endOffset - startOffset - 1] ?? 0);
}

const microsByDigits = [1e6, 1e5, 1e4, 1000, 100, 10, 1];

/** Far below zero if they are no digits. */
function twoDigits(bytes: Uint8Array, offset: number): number {
  const tens = (bytes[offset] ?? 0) - 48;
  const ones = (bytes[offset + 1] ?? 0) - 48;
  // Only a digit leaves none of these below zero; one condition takes a third of the time of four.
  return (tens | ones | (9 - tens) | (9 - ones)) < 0 ? -1000 : tens * 10 + ones;
}
