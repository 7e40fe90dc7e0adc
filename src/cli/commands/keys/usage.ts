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

/** The last 90 days as labelled lines of bars: requests, below them the refused ones, and the days at both ends. */
export function usageBars(
  counts: readonly UsageCount[],
  key: UsageOwner,
  { nowMs, width, isAscii, style }: BarOptions,
): [string, string][] {
  const { day: today } = dayAt(nowMs, zoneOf(key));
  const barsOfCounts = (countOn: (usage: DayUsage) => number) => {
    const dailyCounts = new Array<number>(usageDays).fill(0);
    for (const usage of byDay(counts)) {
      const daysAgo = today - usage.day;
      dailyCounts[usageDays - 1 - daysAgo] = countOn(usage);
    }
    return barsOf(dailyCounts, width, isAscii);
  };
  const requests = barsOfCounts((usage) => usage.requests);
  const refused = barsOfCounts(
    (usage) => totalOf(usage.refused) + totalOf(usage.readings.rejected),
  );

  const labelledBars: [string, string][] = [['Requests', style.green(requests.line)]];
  if (refused.most > 0) labelledBars.push(['Refused', style.red(refused.line)]);
  labelledBars.push(['', style.dim(axisLine(today, requests, refused))]);
  return labelledBars;
}

/** The first and the last day below the bars, and between them, if it fits, the value of the highest bars. */
function axisLine(today: number, requests: BarLine, refused: BarLine): string {
  const highest = refused.most > 0 ? [requests.most, refused.most] : [requests.most];
  const span = requests.each === 1 ? 'a day' : `in ${requests.each} days`;
  const legend = `most ${highest.map(grouped).join(' and ')} ${span}`;

  const firstDay = dateOf(today - usageDays + 1);
  const lastDay = dateOf(today);
  const freeWidth = requests.line.length - firstDay.length - lastDay.length;
  const shownLegend = freeWidth >= legend.length + 2 ? legend : '';
  const leftGap = Math.max(1, Math.floor((freeWidth - shownLegend.length) / 2));
  const leftPart = padded(firstDay, firstDay.length + leftGap);
  const middlePart = padded(shownLegend, Math.max(0, freeWidth - leftGap));
  return `${leftPart}${middlePart}${lastDay}`;
}

export function usageFacts(
  counts: readonly UsageCount[],
  key: UsageOwner,
  { nowMs, utc }: { nowMs: number; utc: boolean },
): [string, string][] {
  const { day: today } = dayAt(nowMs, zoneOf(key));
  const timeText = (instantMs: number) => fullTime({ utc }, instantMs, zoneOf(key));
  const totals = sumOf(counts);
  if (totals.requests === 0) return [['Usage', `none in ${usageDays} days`]];

  const todayTotals = sumOf(counts.filter(({ day }) => day === today));
  const facts: [string, string][] = [
    [`${usageDays} days`, usageText(totals, false)],
    ['Today', usageText(todayTotals, true)],
  ];
  const { lastRejected } = totals;
  if (lastRejected) {
    const { atMs, code, sensor } = lastRejected;
    const reason = [code, sensor ?? ''].join(' ').trim();
    facts.push(['Rejected', `last ${timeText(atMs)}: ${reason}`]);
  }
  return facts;
}

/** Usage in words; `isFull` names the codes. */
function usageText({ requests, refused, readings }: Usage, isFull: boolean): string {
  const { accepted, duplicates, rejected } = readings;
  const refusedCount = totalOf(refused);
  const rejectedCount = totalOf(rejected);
  const codesOf = (countsByCode: Readonly<Record<string, number>>) =>
    isFull ? ` (${codesText(countsByCode)})` : '';

  const requestParts = [counted(requests, 'request')];
  if (refusedCount > 0) requestParts.push(`${grouped(refusedCount)} refused${codesOf(refused)}`);

  const readingParts: string[] = [];
  if (accepted + duplicates + rejectedCount > 0)
    readingParts.push(`${counted(accepted, 'reading')} accepted`);
  if (duplicates > 0) readingParts.push(counted(duplicates, 'duplicate'));
  if (rejectedCount > 0)
    readingParts.push(`${grouped(rejectedCount)} rejected${codesOf(rejected)}`);

  return [requestParts, readingParts]
    .filter((parts) => parts.length > 0)
    .map((parts) => parts.join(', '))
    .join('; ');
}

function codesText(countsByCode: Readonly<Record<string, number>>): string {
  return byCount(countsByCode)
    .map(([code, count]) => `${grouped(count)} ${code}`)
    .join(', ');
}

const drawnBars = { none: '·', levels: '▁▂▃▄▅▆▇█' } as const;
const asciiBars = { none: '.', levels: ':-=+*#%@' } as const;

interface BarLine {
  line: string;
  /** How many values each bar sums up; the first bar may sum up fewer. */
  each: number;
  most: number;
}

/** Draws one line of bars, the last of which ends with the last value. A value above zero never looks like zero. */
export function barsOf(values: readonly number[], width: number, isAscii: boolean): BarLine {
  const mostBars = Math.max(1, width);
  const valuesPerBar = Math.max(1, Math.ceil(values.length / mostBars));
  const barSums: number[] = [];
  for (let endIndex = values.length; endIndex > 0; endIndex -= valuesPerBar) {
    const barValues = values.slice(Math.max(0, endIndex - valuesPerBar), endIndex);
    barSums.unshift(barValues.reduce((sum, value) => sum + value, 0));
  }

  const { none: emptyBar, levels } = isAscii ? asciiBars : drawnBars;
  const highest = Math.max(0, ...barSums);
  const characters = barSums.map((sum) => {
    if (sum === 0) return emptyBar;
    const level = Math.ceil((sum / highest) * levels.length);
    return levels[level - 1];
  });
  return { line: characters.join(''), each: valuesPerBar, most: highest };
}
