import { boundedUs, formatInstantUs, parseInstantMs, parseInstantUs } from '../time/instants.ts';

/** Reads RFC 3339 or whole epoch ms to epoch µs, bounded as {@link boundedUs} does; undefined for anything else. */
export function instantUs(at: unknown): number | undefined {
  if (typeof at === 'string') return parseInstantUs(at);
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

/** States an instant of {@link earliestMeasuredUs} or later for {@link measuredUs}: in epoch ms, which costs less to read, if that is exact. */
export function statedInstant(instantUs: number): string | number {
  return instantUs % 1000 === 0 ? instantUs / 1000 : formatInstantUs(instantUs);
}

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

/** The nearest instant that can be stored. */
export function within(us: number): number {
  return Math.min(Math.max(us, -endOfTimeUs), endOfTimeUs);
}

/** Before and after every instant that can be stored. */
export const endOfTimeUs = Number.MAX_SAFE_INTEGER;
