import type { PlotData } from '../../core/readings/plots.ts';
import { formatLocal } from '../../core/time/calendar.ts';
import { dayMs } from '../../core/time/spans.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The distances that people expect between two marks. */
const steps = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 1820].map((days) => days * dayMs),
];

/** Characters for the name of a mark, with the space behind it. */
const nameWidth = 12;

/** The axis of time below a plot: its marks, and their names in the time of the site. */
export function timeAxis(
  { fromUs, toUs }: Pick<PlotData, 'fromUs' | 'toUs'>,
  columns: number,
  timezone: string,
  isAscii: boolean,
): { marks: string; names: string } {
  const [fromMs, toMs] = [fromUs / 1000, toUs / 1000];
  const spanMs = toMs - fromMs;
  const stepMs = steps.find((step) => (step / spanMs) * columns >= nameWidth) ?? spanMs;
  const [line, mark] = isAscii ? ['-', '+'] : ['─', '┬'];
  const marks = Array.from({ length: columns }, () => line);
  let names = '';
  const aheadMs = aheadOf(fromMs, timezone);
  for (let ms = Math.ceil((fromMs + aheadMs) / stepMs) * stepMs - aheadMs; ms < toMs; ms += stepMs) {
    const at = Math.min(columns - 1, Math.floor(((ms - fromMs) / spanMs) * columns));
    const local = formatLocal(ms, timezone);
    const name = stepMs < dayMs ? local.slice(11, 16) : local.slice(0, 10);
    // A mark without room for its name is left out.
    if (at + name.length > columns) break;
    marks[at] = mark ?? line;
    names = `${names.padEnd(at)}${name}`;
  }
  return { marks: marks.join(''), names };
}

/** How far the time of a site is ahead of UTC, in ms. */
function aheadOf(ms: number, timezone: string): number {
  const local = formatLocal(ms, timezone).slice(0, 19).replace(' ', 'T');
  return Math.round((Date.parse(`${local}Z`) - ms) / minuteMs) * minuteMs;
}
