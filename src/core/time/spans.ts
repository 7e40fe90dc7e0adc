import { HkctlError } from '../errors.ts';
import { didYouMean } from '../text/words.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const unitsMs = {
  w: 7 * dayMs,
  d: dayMs,
  h: hourMs,
  m: minuteMs,
  s: 1000,
} as const;

/** Parses a span of time such as `14d`, `12h` or `2w` to milliseconds. Throws `usage`. */
export function parseSpanMs(spanText: string): number {
  const [, digits, unit] = /^0*(\d{1,6})([smhdw])$/.exec(spanText) ?? [];
  // The pattern allows no other unit.
  if (digits !== undefined) {
    return Number(digits) * unitsMs[unit as keyof typeof unitsMs];
  }

  throw new HkctlError('usage', `"${spanText}" is not a span of time.`, {
    hint: `${didYouMean(meantSpan(spanText))}Give a number and s, m, h, d or w, such as 90d.`,
  });
}

/** {@link parseSpanMs} where a month taken for a minute does harm. Throws `usage` for a number with m. */
export function parseClearSpanMs(spanText: string): number {
  const [, digits] = /^(\d{1,6})m$/i.exec(spanText) ?? [];
  if (digits === undefined) return parseSpanMs(spanText);

  const count = Number(digits);
  throw new HkctlError('usage', `"${spanText}" could be minutes or months.`, {
    hint: `Give ${count * 60}s for minutes, or ${count * 30}d for months.`,
  });
}

/** Writes whole seconds as a span of time, in days if they are whole: `90d`. */
export function formatSpanMs(ms: number): string {
  const largerUnits = ['d', 'h', 'm'] as const;
  const unit = largerUnits.find((name) => ms % unitsMs[name] === 0) ?? 's';
  return `${ms / unitsMs[unit]}${unit}`;
}

/** Words for units of time: how many of which unit one of them is. */
const unitWords: ReadonlyMap<string, readonly [count: number, unit: string]> = new Map([
  ['sec', [1, 's']],
  ['second', [1, 's']],
  ['min', [1, 'm']],
  ['minute', [1, 'm']],
  ['hr', [1, 'h']],
  ['hour', [1, 'h']],
  ['day', [1, 'd']],
  ['week', [1, 'w']],
  ['mo', [30, 'd']],
  ['month', [30, 'd']],
  ['y', [365, 'd']],
  ['yr', [365, 'd']],
  ['year', [365, 'd']],
]);

/** The span of time in the form of {@link parseSpanMs} that words mean: `90d` of "90 days"; months and years count in days. */
export function meantSpan(typedText: string): string | undefined {
  const pattern = /^(\d{1,6}) ?([a-z]+?)s?$/i;
  const [, digits = '', word = ''] = pattern.exec(typedText.trim()) ?? [];
  const [count, unit] = unitWords.get(word.toLowerCase()) ?? [];
  return count === undefined ? undefined : `${Number(digits) * count}${unit}`;
}
