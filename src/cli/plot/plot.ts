import type { PlotData } from '../../core/readings/reads/plots.ts';
import { formatLocal, offsetMs } from '../../core/time/calendar.ts';
import { dayMs, hourMs, minuteMs } from '../../core/time/spans.ts';

export interface PlotStyle {
  /** Characters of a line, with the labels of the axis. */
  width: number;
  /** Lines between the axis of time and the top. */
  height: number;
  /** Plain characters in place of braille. */
  isAscii: boolean;
  timezone: string;
  /** Colours the curve. */
  paint(text: string): string;
}

/** The parts into which a plot of a width divides its span: a braille character has two dots next to each other. */
export function partsOf({ width, isAscii }: Pick<PlotStyle, 'width' | 'isAscii'>): number {
  return Math.max(1, width - axisWidth) * (isAscii ? 1 : 2);
}

/** Characters for the labels of the values, and for the axis behind them. */
const axisWidth = 11;

/** Draws the lowest and the highest value of each part as a band, with the axes; one string for each line. */
export function drawPlot(
  data: PlotData,
  { width, height, isAscii, timezone, paint }: PlotStyle,
): string[] {
  const columns = Math.max(1, width - axisWidth);
  const labels = labelsOf(data, height);
  const lines = cellsOf(data, columns, height).map((row, at) => {
    const text = labels.get(at);
    return `${(text ?? '').padStart(axisWidth - 2)} ${text === undefined ? '│' : '┤'}${paint(row.trimEnd())}`;
  });
  const { marks, names } = timeAxis(data, columns, timezone);
  const all = [
    ...lines,
    `${' '.repeat(axisWidth - 1)}└${marks}`,
    `${' '.repeat(axisWidth)}${names}`.trimEnd(),
  ];
  return isAscii ? all.map(toAscii) : all;
}

/** The labels of the axis by line: the highest, the lowest and the middle value, or the only one. */
function labelsOf(data: PlotData, height: number): Map<number, string> {
  const { lowest, highest } = boundsOf(data);
  const label = valueLabel(highest - lowest);
  if (lowest === highest) return new Map([[height >> 1, label(highest)]]);

  const labels = new Map([
    [0, label(highest)],
    [height - 1, label(lowest)],
  ]);
  const middle = (height - 1) >> 1;
  if (height > 4) labels.set(middle, label(highest - ((highest - lowest) * middle) / (height - 1)));
  return labels;
}

function toAscii(line: string): string {
  return line
    .replace(/[\u2801-\u28ff]/g, ':')
    .replace(/[┤└┬]/g, '+')
    .replace('│', '|')
    .replaceAll('─', '-');
}

function boundsOf({ buckets }: PlotData): { lowest: number; highest: number } {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const { min, max } of buckets) {
    lowest = Math.min(lowest, min);
    highest = Math.max(highest, max);
  }
  return { lowest, highest };
}

/** The bits of the dots of a braille character, by row and column (Unicode, "Braille Patterns"). */
const brailleDots = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

/** The highest and the lowest row of a dot's values, counted from the top. */
interface Band {
  top: number;
  bottom: number;
}

/** The band of each dot from left to right, in characters of two by four dots. */
function cellsOf(data: PlotData, columns: number, height: number): string[] {
  const { lowest, highest } = boundsOf(data);
  // Halves: the difference of two huge values may exceed a double.
  const half = highest / 2 - lowest / 2;
  const lastRow = height * 4 - 1;
  const rowOf = (value: number) =>
    half === 0 ? height * 2 : Math.round(((highest / 2 - value / 2) / half) * lastRow);
  const bands = bandsOf(data, columns * 2, rowOf);
  const bits = Array.from({ length: height }, () => new Uint8Array(columns));
  let before: Band | undefined;
  for (const [dot, band] of bands.entries()) {
    // Joined with the dot before, as a line would be.
    const top = Math.min(band?.top ?? 0, before ? before.bottom + 1 : lastRow);
    const bottom = band ? Math.max(band.bottom, before ? before.top - 1 : 0) : -1;
    for (let row = top; row <= bottom; row++) {
      const line = bits[row >> 2];
      if (line) line[dot >> 1] = (line[dot >> 1] ?? 0) | (brailleDots[row & 3]?.[dot & 1] ?? 0);
    }
    before = band;
  }
  return bits.map((line) =>
    [...line].map((dots) => (dots === 0 ? ' ' : String.fromCharCode(0x2800 + dots))).join(''),
  );
}

/** A part begins and ends at a dot if it is closer to it than this: whole microseconds do not divide a span evenly. */
const dotTolerance = 0.01;

/** The band of each dot. A dot shows the part in which it begins; a part in which none begins shares the dot that it lies in. */
function bandsOf(
  { buckets, fromUs, toUs, widthUs }: PlotData,
  dots: number,
  rowOf: (value: number) => number,
): (Band | undefined)[] {
  const bands = Array.from<Band | undefined>({ length: dots });
  const dotAt = (us: number) =>
    ((Math.min(Math.max(us, fromUs), toUs) - fromUs) * dots) / (toUs - fromUs);
  for (const { atUs, min, max } of buckets) {
    const begin = dotAt(atUs);
    const next = Math.ceil(dotAt(atUs + widthUs) - dotTolerance);
    let first = Math.ceil(begin - dotTolerance);
    if (first >= next) first = Math.min(Math.floor(begin), dots - 1);
    for (let dot = first; dot < Math.max(next, first + 1); dot++) {
      const other = bands[dot];
      bands[dot] = {
        top: Math.min(rowOf(max), other?.top ?? Number.POSITIVE_INFINITY),
        bottom: Math.max(rowOf(min), other?.bottom ?? Number.NEGATIVE_INFINITY),
      };
    }
  }
  return bands;
}

/** Writes values with the digits that tell them apart in a range, in nine characters at most. */
export function valueLabel(range: number): (value: number) => string {
  const digits =
    range > 0 && Number.isFinite(range)
      ? Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(range))))
      : 2;
  return (value) => {
    const text = value.toFixed(digits).replace(/^-(0(?:\.0+)?)$/, '$1');
    const isTooSmall = value !== 0 && Number(text) === 0;
    return text.length > 9 || isTooSmall ? value.toExponential(2) : text;
  };
}

const levels = { blocks: '▁▂▃▄▅▆▇█', ascii: '_.-=+*%#' } as const;

/** The means of a span in one line, a character for each part, between its lowest and highest value; a part without readings is blank. */
export function sparkline(data: PlotData, isAscii: boolean): string {
  const { buckets, fromUs, toUs, widthUs } = data;
  const { lowest, highest } = boundsOf(data);
  const half = highest / 2 - lowest / 2;
  const cells = Array.from({ length: Math.ceil((toUs - fromUs) / widthUs) }, () => ' ');
  const drawn = isAscii ? levels.ascii : levels.blocks;
  for (const { atUs, avg } of buckets) {
    const level = half === 0 ? 3 : Math.min(7, Math.floor(((avg / 2 - lowest / 2) / half) * 8));
    cells[Math.round((atUs - fromUs) / widthUs)] = drawn[level] ?? ' ';
  }
  return cells.join('');
}

/** The distances that people expect between two marks. */
const steps = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 1820].map((days) => days * dayMs),
];

/** Characters for the name of a mark, with the space behind it. */
const nameWidth = 12;

/** The axis of time below a plot: its marks, and their names in the time of the site. */
function timeAxis(
  { fromUs, toUs }: Pick<PlotData, 'fromUs' | 'toUs'>,
  columns: number,
  timezone: string,
): { marks: string; names: string } {
  const [fromMs, toMs] = [fromUs / 1000, toUs / 1000];
  const spanMs = toMs - fromMs;
  const stepMs = steps.find((step) => (step / spanMs) * columns >= nameWidth) ?? spanMs;
  const marks = Array.from({ length: columns }, () => '─');
  let names = '';
  const aheadMs = offsetMs(fromMs, timezone);
  for (
    let ms = Math.ceil((fromMs + aheadMs) / stepMs) * stepMs - aheadMs;
    ms < toMs;
    ms += stepMs
  ) {
    const at = Math.min(columns - 1, Math.floor(((ms - fromMs) / spanMs) * columns));
    const local = formatLocal(ms, timezone);
    const name = stepMs < dayMs ? local.slice(11, 16) : local.slice(0, 10);
    // A mark without room for its name is left out.
    if (at + name.length > columns) break;
    marks[at] = '┬';
    names = `${names.padEnd(at)}${name}`;
  }
  return { marks: marks.join(''), names };
}
