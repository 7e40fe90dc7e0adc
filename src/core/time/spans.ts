import { HkctlError } from '../errors.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

const units = { w: 7 * dayMs, d: dayMs, h: hourMs, m: minuteMs, s: 1000 } as const;

/** Parses a span of time such as `14d`, `12h` or `2w` to milliseconds. Throws `usage`. */
export function parseSpanMs(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (number !== undefined) return Number(number) * units[unit as keyof typeof units]; // the pattern allows no other
  throw new HkctlError(
    'usage',
    `"${text}" is not a span of time: give a number and s, m, h, d or w, such as 90d.`,
  );
}

/** Writes whole seconds as a span of time, in days if they are whole: `90d`. */
export function formatSpanMs(ms: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => ms % units[name] === 0) ?? 's';
  return `${ms / units[unit]}${unit}`;
}
