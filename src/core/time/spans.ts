import { HkctlError } from '../errors.ts';
import { didYouMean } from '../text/words.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const units = { w: 7 * dayMs, d: dayMs, h: hourMs, m: minuteMs, s: 1000 } as const;

/** Parses a span of time such as `14d`, `12h` or `2w` to milliseconds. Throws `usage`. */
export function parseSpanMs(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (number !== undefined) return Number(number) * units[unit as keyof typeof units]; // the pattern allows no other
  throw new HkctlError('usage', `"${text}" is not a span of time.`, {
    hint: `${didYouMean(meantSpan(text))}Give a number and s, m, h, d or w, such as 90d.`,
  });
}

/** {@link parseSpanMs} where a month taken for a minute does harm. Throws `usage` for a number with m. */
export function parseClearSpanMs(text: string): number {
  const [, number] = /^(\d{1,6})m$/i.exec(text) ?? [];
  if (number === undefined) return parseSpanMs(text);
  throw new HkctlError('usage', `"${text}" could be minutes or months.`, {
    hint: `Give ${Number(number) * 60}s for minutes, or ${Number(number) * 30}d for months.`,
  });
}

/** Writes whole seconds as a span of time, in days if they are whole: `90d`. */
export function formatSpanMs(ms: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => ms % units[name] === 0) ?? 's';
  return `${ms / units[unit]}${unit}`;
}

/** The span of time in the form of {@link parseSpanMs} that words mean: `90d` of "90 days"; months and years count in days. */
export function meantSpan(text: string): string | undefined {
  const [, number = '', word = ''] = /^(\d{1,6}) ?([a-z]+?)s?$/i.exec(text.trim()) ?? [];
  const units: Record<string, [days: number, unit: string]> = {
    ...{ sec: [1, 's'], second: [1, 's'], min: [1, 'm'], minute: [1, 'm'] },
    ...{ hr: [1, 'h'], hour: [1, 'h'], day: [1, 'd'], week: [1, 'w'] },
    ...{ mo: [30, 'd'], month: [30, 'd'], y: [365, 'd'], yr: [365, 'd'], year: [365, 'd'] },
  };
  const [count, unit] = units[word.toLowerCase()] ?? [];
  return count === undefined ? undefined : `${Number(number) * count}${unit}`;
}
