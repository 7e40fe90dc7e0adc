import {
  byCount,
  byDay,
  type DayUsage,
  sumOf,
  totalOf,
  type Usage,
  usageDays,
} from '../../../core/keys/usage.ts';
import type { Key } from '../../../core/port/keys.ts';
import type { UsageCount } from '../../../core/port/usage.ts';
import { counted, grouped } from '../../../core/text/words.ts';
import { dateOf, dayAt } from '../../../core/time/calendar.ts';
import { fullTime } from '../../table/shown-time.ts';
import type { Style } from '../../terminal/style.ts';
import { padded } from '../../terminal/wrap.ts';

type UsageOwner = Pick<Key, 'entity'>;

const zoneOf = ({ entity }: UsageOwner) => entity?.timezone ?? 'UTC';

interface BarOptions {
  nowMs: number;
  width: number;
  isAscii: boolean;
  style: Style;
}

/** The last 90 days as labelled lines of bars: requests, and below them what was refused, with the days at both ends. */
export function usageBars(
  counts: readonly UsageCount[],
  key: UsageOwner,
  { nowMs, width, isAscii, style }: BarOptions,
): [string, string][] {
  const { day: today } = dayAt(nowMs, zoneOf(key));
  const values = (countOn: (day: DayUsage) => number) => {
    const all = new Array<number>(usageDays).fill(0);
    for (const day of byDay(counts)) all[usageDays - 1 - (today - day.day)] = countOn(day);
    return all;
  };
  const bars = (countOn: (day: DayUsage) => number) => barsOf(values(countOn), width, isAscii);
  const requests = bars((day) => day.requests);
  const refused = bars(({ refused, readings }) => totalOf(refused) + totalOf(readings.rejected));
  const lines: [string, string][] = [['Requests', style.green(requests.line)]];
  if (refused.most > 0) lines.push(['Refused', style.red(refused.line)]);
  return [...lines, ['', style.dim(axis(today, requests, refused))]];
}

/** The first and the last day below the bars, and what the highest bars stand for, if it fits between them. */
function axis(today: number, { line, each, most }: Bars, refused: Bars): string {
  const ends = [dateOf(today - usageDays + 1), dateOf(today)] as const;
  const highest = [most, ...(refused.most > 0 ? [refused.most] : [])].map(grouped).join(' and ');
  const legend = `most ${highest} ${each === 1 ? 'a day' : `in ${each} days`}`;
  const free = line.length - ends[0].length - ends[1].length;
  const between = free >= legend.length + 2 ? legend : '';
  const leftGap = Math.max(1, Math.floor((free - between.length) / 2));
  return `${padded(ends[0], ends[0].length + leftGap)}${padded(between, Math.max(0, free - leftGap))}${ends[1]}`;
}

export function usageFacts(
  counts: readonly UsageCount[],
  key: UsageOwner,
  { nowMs, utc }: { nowMs: number; utc: boolean },
): [string, string][] {
  const { day: today } = dayAt(nowMs, zoneOf(key));
  const time = (ms: number) => fullTime({ utc }, ms, zoneOf(key));
  const all = sumOf(counts);
  if (all.requests === 0) return [['Usage', `none in ${usageDays} days`]];
  const facts: [string, string][] = [
    [`${usageDays} days`, usageText(all, false)],
    ['Today', usageText(sumOf(counts.filter(({ day }) => day === today)), true)],
  ];
  const { lastRejected: last } = all;
  if (last)
    facts.push([
      'Rejected',
      `last ${time(last.atMs)}: ${[last.code, last.sensor ?? ''].join(' ').trim()}`,
    ]);
  return facts;
}

/** Usage in words; `isFull` names the codes. */
function usageText({ requests, refused, readings }: Usage, isFull: boolean): string {
  const { accepted, duplicates, rejected } = readings;
  const [refusals, rejections] = [totalOf(refused), totalOf(rejected)];
  const codes = (countsByCode: Readonly<Record<string, number>>) =>
    isFull
      ? ` (${byCount(countsByCode)
          .map(([code, count]) => `${grouped(count)} ${code}`)
          .join(', ')})`
      : '';
  const ofReadings = [
    ...(accepted + duplicates + rejections > 0 ? [`${counted(accepted, 'reading')} accepted`] : []),
    ...(duplicates > 0 ? [counted(duplicates, 'duplicate')] : []),
    ...(rejections > 0 ? [`${grouped(rejections)} rejected${codes(rejected)}`] : []),
  ];
  const ofRequests = [
    counted(requests, 'request'),
    ...(refusals > 0 ? [`${grouped(refusals)} refused${codes(refused)}`] : []),
  ];
  return [ofRequests, ofReadings]
    .filter((part) => part.length > 0)
    .map((part) => part.join(', '))
    .join('; ');
}

const drawn = { none: '·', levels: '▁▂▃▄▅▆▇█' } as const;
const ascii = { none: '.', levels: ':-=+*#%@' } as const;

interface Bars {
  line: string;
  /** How many values each bar sums up, the first one perhaps fewer. */
  each: number;
  most: number;
}

/** Draws one line of bars, the last of which ends with the last value. A value above zero never looks like zero. */
export function barsOf(values: readonly number[], width: number, isAscii: boolean): Bars {
  const each = Math.max(1, Math.ceil(values.length / Math.max(1, width)));
  const sums: number[] = [];
  for (let endDay = values.length; endDay > 0; endDay -= each) {
    sums.unshift(
      values.slice(Math.max(0, endDay - each), endDay).reduce((sum, value) => sum + value, 0),
    );
  }
  const { none, levels } = isAscii ? ascii : drawn;
  const highest = Math.max(0, ...sums);
  const line = sums
    .map((sum) => (sum === 0 ? none : levels[Math.ceil((sum / highest) * levels.length) - 1]))
    .join('');
  return { line, each, most: highest };
}
