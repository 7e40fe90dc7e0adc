import type { PlotData } from '../../core/readings/reads/plots.ts';
import { formatLocal, offsetMs } from '../../core/time/calendar.ts';
import { dayMs, hourMs, minuteMs } from '../../core/time/spans.ts';

interface PlotStyle {
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
  const columns = Math.max(1, width - usualAxisWidth);
  return isAscii ? columns : columns * 2;
}

/** Characters for the labels of the values, and for the axis behind them; longer labels take more. */
const usualAxisWidth = 11;

/** Draws the lowest and the highest value of each part as a band, with the axes; one string for each line. */
export function drawPlot(
  data: PlotData,
  { width, height, isAscii, timezone, paint }: PlotStyle,
): string[] {
  const labels = labelsOf(data, height);
  const labelLengths = [...labels.values()].map((label) => label.length);
  const axisWidth = Math.max(usualAxisWidth, ...labelLengths.map((length) => length + 2));
  const columns = Math.max(1, width - axisWidth);
  const plotLines = cellsOf(data, columns, height).map((cellRow, rowIndex) => {
    const label = labels.get(rowIndex);
    const axisMark = label === undefined ? '│' : '┤';
    const paddedLabel = (label ?? '').padStart(axisWidth - 2);
    return `${paddedLabel} ${axisMark}${paint(cellRow.trimEnd())}`;
  });

  const { marks, names } = timeAxis(data, columns, timezone);
  const allLines = [
    ...plotLines,
    `${' '.repeat(axisWidth - 1)}└${marks}`,
    `${' '.repeat(axisWidth)}${names}`.trimEnd(),
  ];
  return isAscii ? allLines.map(toAscii) : allLines;
}

/** The labels of the axis by line: the highest, the lowest and the middle value, or the only one. */
function labelsOf(data: PlotData, height: number): Map<number, string> {
  const { lowest, highest } = boundsOf(data);
  const formatLabel = valueLabel(lowest, highest);
  if (lowest === highest) {
    const middleRow = height >> 1;
    return new Map([[middleRow, formatLabel(highest)]]);
  }

  const labels = new Map([
    [0, formatLabel(highest)],
    [height - 1, formatLabel(lowest)],
  ]);
  if (height <= 4) return labels;

  const middleRow = (height - 1) >> 1;
  const middleValue = highest - ((highest - lowest) * middleRow) / (height - 1);
  labels.set(middleRow, formatLabel(middleValue));
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
  const halfRange = highest / 2 - lowest / 2;
  const lastDotRow = height * 4 - 1;
  const rowOf = (value: number) => {
    if (halfRange === 0) return height * 2;
    const shareBelowTop = (highest / 2 - value / 2) / halfRange;
    return Math.round(shareBelowTop * lastDotRow);
  };

  const bands = bandsOf(data, columns * 2, rowOf);
  const characterRows = Array.from({ length: height }, () => new Uint8Array(columns));
  let previousBand: Band | undefined;
  for (const [dotIndex, band] of bands.entries()) {
    // Joined with the previous dot, as a line would be.
    const belowPrevious = previousBand ? previousBand.bottom + 1 : lastDotRow;
    const abovePrevious = previousBand ? previousBand.top - 1 : 0;
    const top = Math.min(band?.top ?? 0, belowPrevious);
    const bottom = band ? Math.max(band.bottom, abovePrevious) : -1;
    for (let dotRow = top; dotRow <= bottom; dotRow++) {
      addDot(characterRows, dotRow, dotIndex);
    }
    previousBand = band;
  }
  return characterRows.map((characterRow) => {
    const characters = [...characterRow].map(brailleCharacter);
    return characters.join('');
  });
}

function addDot(characterRows: readonly Uint8Array[], dotRow: number, dotIndex: number): void {
  const characterRow = characterRows[dotRow >> 2];
  if (!characterRow) return;

  const column = dotIndex >> 1;
  const dotBit = brailleDots[dotRow & 3]?.[dotIndex & 1] ?? 0;
  characterRow[column] = (characterRow[column] ?? 0) | dotBit;
}

function brailleCharacter(dotBits: number): string {
  return dotBits === 0 ? ' ' : String.fromCharCode(0x2800 + dotBits);
}

/** A part begins and ends at a dot if it is closer to it than this: whole microseconds do not divide a span evenly. */
const dotTolerance = 0.01;

/** The band of each dot. A dot shows the part in which it begins; a part in which no dot begins shares the dot around it. */
function bandsOf(
  { buckets, fromUs, toUs, widthUs }: PlotData,
  dotCount: number,
  rowOf: (value: number) => number,
): (Band | undefined)[] {
  const bands = Array.from<Band | undefined>({ length: dotCount });
  const dotAt = (timeUs: number) => {
    const shownUs = Math.min(Math.max(timeUs, fromUs), toUs);
    return ((shownUs - fromUs) * dotCount) / (toUs - fromUs);
  };

  for (const { atUs, min, max } of buckets) {
    const beginDot = dotAt(atUs);
    const endDot = Math.ceil(dotAt(atUs + widthUs) - dotTolerance);
    let firstDot = Math.ceil(beginDot - dotTolerance);
    if (firstDot >= endDot) firstDot = Math.min(Math.floor(beginDot), dotCount - 1);

    const afterLastDot = Math.max(endDot, firstDot + 1);
    for (let dotIndex = firstDot; dotIndex < afterLastDot; dotIndex++) {
      const sharedBand = bands[dotIndex];
      bands[dotIndex] = {
        top: Math.min(rowOf(max), sharedBand?.top ?? Number.POSITIVE_INFINITY),
        bottom: Math.max(rowOf(min), sharedBand?.bottom ?? Number.NEGATIVE_INFINITY),
      };
    }
  }
  return bands;
}

/** Writes values with the digits that tell them apart between two bounds; between equal ones as they are. */
export function valueLabel(lowest: number, highest: number): (value: number) => string {
  const range = highest - lowest;
  if (range === 0) return String;

  const digits = Math.min(mostDigits, Math.max(0, 2 - magnitudeOf(range)));
  const largest = Math.max(Math.abs(lowest), Math.abs(highest));
  // The range of two huge values may exceed a double.
  const sharedDigits = Number.isFinite(range) ? magnitudeOf(largest) - magnitudeOf(range) : 0;
  const exponentDigits = Math.min(mostDigits, Math.max(0, sharedDigits) + 2);
  return (value) => {
    const fixedText = value.toFixed(digits).replace(/^-(0(?:\.0+)?)$/, '$1');
    const isTooSmall = value !== 0 && Number(fixedText) === 0;
    const isTooLong = fixedText.length > longestLabel;
    return isTooLong || isTooSmall ? value.toExponential(exponentDigits) : fixedText;
  };
}

const mostDigits = 20;
const longestLabel = 12;

/** The power of ten of a number; 0.1 has -1, also as the difference of two doubles. */
function magnitudeOf(value: number): number {
  return Math.floor(Math.log10(value) + 1e-9);
}

const levels = { blocks: '▁▂▃▄▅▆▇█', ascii: '_.-=+*%#' } as const;

/** The means of a span in one line, a character for each part, between its lowest and highest value; a part without readings is blank. */
export function sparkline(data: PlotData, isAscii: boolean): string {
  const { buckets, fromUs, toUs, widthUs } = data;
  const { lowest, highest } = boundsOf(data);
  const halfRange = highest / 2 - lowest / 2;
  const levelOf = (mean: number) => {
    if (halfRange === 0) return 3;
    const shareOfRange = (mean / 2 - lowest / 2) / halfRange;
    return Math.min(7, Math.floor(shareOfRange * 8));
  };

  const partCount = Math.ceil((toUs - fromUs) / widthUs);
  const cells = Array.from({ length: partCount }, () => ' ');
  const levelCharacters = isAscii ? levels.ascii : levels.blocks;
  for (const { atUs, avg } of buckets) {
    const partIndex = Math.round((atUs - fromUs) / widthUs);
    cells[partIndex] = levelCharacters[levelOf(avg)] ?? ' ';
  }
  return cells.join('');
}

/** The distances that people expect between two marks. */
const markStepsMs = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 1820].map((days) => days * dayMs),
];

/** Characters for the name of a mark, with the space behind it. */
const nameWidth = 12;

/** The axis of time below a plot: its marks, and their names in the time of the entity. */
function timeAxis(
  { fromUs, toUs }: Pick<PlotData, 'fromUs' | 'toUs'>,
  columns: number,
  timezone: string,
): { marks: string; names: string } {
  const fromMs = fromUs / 1000;
  const toMs = toUs / 1000;
  const spanMs = toMs - fromMs;
  const fitsName = (stepMs: number) => (stepMs / spanMs) * columns >= nameWidth;
  const stepMs = markStepsMs.find(fitsName) ?? spanMs;

  const zoneOffsetMs = offsetMs(fromMs, timezone);
  const firstMarkMs = Math.ceil((fromMs + zoneOffsetMs) / stepMs) * stepMs - zoneOffsetMs;
  const marks = Array.from({ length: columns }, () => '─');
  let nameLine = '';
  for (let evenMs = firstMarkMs; evenMs < toMs; evenMs += stepMs) {
    // Behind a change of clocks the hours and days of the entity begin sooner or later.
    const shiftMs = stepMs > hourMs ? zoneOffsetMs - offsetMs(evenMs, timezone) : 0;
    const markMs = evenMs + shiftMs;
    const shareOfSpan = (markMs - fromMs) / spanMs;
    const column = Math.min(columns - 1, Math.floor(shareOfSpan * columns));
    const localTime = formatLocal(markMs, timezone);
    const markName = stepMs < dayMs ? localTime.slice(11, 16) : localTime.slice(0, 10);
    // A mark without room for its name is left out.
    if (column + markName.length > columns) break;
    marks[column] = '┬';
    nameLine = `${nameLine.padEnd(column)}${markName}`;
  }
  return { marks: marks.join(''), names: nameLine };
}
