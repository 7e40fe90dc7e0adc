import { dayLength, minuteLength, readDay, readMinuteMs, readSecondsUs } from './instant-reader.ts';

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
