import { HkctlError } from '../../core/errors.ts';
import { withoutSecrets } from '../../core/secrets.ts';
import { didYouMean, nearest } from '../../core/text/words.ts';
import type { Context } from '../command/context.ts';
import { commaList, type Flag } from '../command/flags.ts';
import { padded, shortened, truncated, widthOf, wrapWords } from '../terminal/wrap.ts';

export interface Column<T> {
  heading: string;
  /** Its name for `--columns`, if the heading differs from place to place. */
  name?: string;
  /** The text of a cell, without colours. */
  cell(row: T): string;
  paint?(text: string, row: T): string;
  /** At least this wide, so that later rows do not need more: for times, whose texts grow and shrink. */
  width?: number;
  /** On a narrow terminal its cells are cut down to this width; without it only if nothing else helps. */
  min?: number | undefined;
  /** Spare columns are left out before this one is cut to less than this width. */
  wanted?: number;
  /** Columns are left out on a narrow terminal by this number, the highest first; without it never. */
  leaveOut?: number | undefined;
  /** Its cells go on in further lines instead of being cut. */
  continues?: boolean;
  /** Left out if a cell of another column would be cut to less than it wants; such columns have the highest numbers. */
  isSpare?: boolean | undefined;
}

/** The output of a table, and its width. */
interface TablePlace {
  style: Pick<Context['style'], 'bold'>;
  io: { stdout: Pick<Context['io']['stdout'], 'columns'> };
  print: Context['print'];
}

/** The flag of every list that chooses its columns. */
export const columnsFlag: Flag<string[]> = commaList(
  '--columns <NAME>',
  'only these columns, in this order (repeatable, or NAME,NAME)',
  (text) => text,
);

/** Prints rows that are all there: as a list, with `--json` as an array; `none` is the sentence if there are none. */
export async function printTable<T>(
  context: Context,
  columns: readonly Column<T>[],
  rows: readonly T[],
  options: { json(row: T): unknown; none: string; chosen: readonly string[] },
): Promise<void> {
  const { json, none, chosen } = options;
  const listing = createListing(context, columns, chosen);
  if (context.json) context.printJson(rows.map(json));
  else if (rows.length > 0) listing.print(rows);
  else listing.printEmpty(none);
}

/** A list whose rows are printed as they are read. */
export interface Listing<T> {
  print(rows: readonly T[]): void;
  /** Prints that there are no rows: a sentence for people, and for programs the headings. */
  printEmpty(sentence: string): void;
}

/**
 * Creates a list with its headings once: on a terminal a table, else a line of headings and cells behind tabs, for programs. Throws
 * `usage` for an unknown name among the `chosen` columns; without any, all are printed.
 */
export function createListing<T>(
  context: Context,
  allColumns: readonly Column<T>[],
  chosen: readonly string[],
): Listing<T> {
  const columns = chosenColumns(allColumns, chosen);
  if (context.io.stdout.isTTY) {
    return {
      ...createTextTable(context, columns),
      printEmpty: (sentence) => context.print(sentence),
    };
  }

  let hasHeadings = false;
  const print = (rows: readonly T[]) => {
    const headings = columns.map(({ heading }) => heading);
    const headingRows = hasHeadings ? [] : [headings];
    const cellRows = rows.map((row) => cellsOf(columns, row));
    hasHeadings = true;
    context.printTabbed([...headingRows, ...cellRows]);
  };
  return {
    print,
    printEmpty(sentence) {
      print([]);
      context.say(sentence);
    },
  };
}

/** The columns with these names, which may be written as in the headings, or in lower case with - or _ between words. */
function chosenColumns<T>(
  columns: readonly Column<T>[],
  chosenNames: readonly string[],
): readonly Column<T>[] {
  if (chosenNames.length === 0) return columns;

  const columnNames = columns.map(({ heading, name }) => name ?? toColumnName(heading));
  return chosenNames.map((chosenName) => {
    const columnName = toColumnName(chosenName);
    const column = columns[columnNames.indexOf(columnName)];
    // A column that was asked for is never left out.
    if (column) {
      return {
        ...column,
        leaveOut: undefined,
        isSpare: undefined,
      };
    }

    const nearestName = nearest(columnName, columnNames);
    throw new HkctlError('usage', `--columns: unknown column "${chosenName}".`, {
      hint: `${didYouMean(nearestName)}The columns: ${columnNames.join(', ')}.`,
    });
  });
}

function cellsOf<T>(columns: readonly Column<T>[], row: T): string[] {
  return columns.map((column) => column.cell(row));
}

function toColumnName(heading: string): string {
  return heading.toLowerCase().replace(/[ _]/g, '-');
}

/** Prints the line below a list: its counts and the next command. Only on a terminal, since programs read the rest. */
export async function printSummary(
  context: Context,
  counts: readonly string[],
  nextCommand: string,
): Promise<void> {
  const { stdout } = context.io;
  if (!stdout.isTTY || context.json) return;

  // The command stays in one piece, to be copied.
  const parts = [counts.join(', '), nextCommand];
  const width = stdout.columns() ?? usualWidth;
  context.confirm(...wrapWords(parts, width, ' · '));
}

/** The width assumed for a terminal that does not know its own. */
const usualWidth = 80;

const columnGap = '  ';

/**
 * Creates a table for a terminal, with its headings once. A table is never wider than the terminal: less important columns are left out,
 * then cells are cut.
 */
export function createTextTable<T>(
  { style, io: { stdout }, print }: TablePlace,
  columns: readonly Column<T>[],
) {
  const availableWidth = stdout.columns() ?? usualWidth;
  const neededWidths = columns.map(({ heading, width = 0 }) => Math.max(heading.length, width));
  let layout: Layout | undefined;
  const formatLine = (
    { kept, widths }: Layout,
    cellOf: (columnIndex: number, width: number) => string,
  ) => {
    const cells = kept.map((columnIndex, slot) => {
      const width = widths[slot] ?? 0;
      return padded(cellOf(columnIndex, width), width);
    });
    return cells.join(columnGap).trimEnd();
  };

  return {
    print(rows: readonly T[]): void {
      // Before a cell is cut: the rest of a secret would not be recognised.
      const cellRows = rows.map((row) => cellsOf(columns, row).map(withoutSecrets));
      for (const cellRow of cellRows) {
        for (const [columnIndex, cell] of cellRow.entries()) {
          const previousWidth = neededWidths[columnIndex] ?? 0;
          neededWidths[columnIndex] = Math.max(previousWidth, widthOf(cell));
        }
      }

      // The first rows decide, so that later ones stand below the headings.
      const previousLayout = layout;
      const currentLayout =
        previousLayout ?? layoutOf(columns, neededWidths, availableWidth, columnGap.length);
      layout = currentLayout;
      if (!previousLayout) {
        const headingCell = (columnIndex: number, width: number) =>
          style.bold(truncated(columns[columnIndex]?.heading ?? '', width));
        print(formatLine(currentLayout, headingCell));
      }

      const lines = rows.flatMap((row, rowIndex) => {
        const cellLines = columns.map(({ continues }, columnIndex) => {
          const cell = cellRows[rowIndex]?.[columnIndex] ?? '';
          const width = currentLayout.widths[currentLayout.kept.indexOf(columnIndex)];
          if (width === undefined) return [cell];
          if (continues) return wrapWords(cell.split(' '), width);
          return [shortened(cell, width)];
        });

        const cellHeights = currentLayout.kept.map(
          (columnIndex) => cellLines[columnIndex]?.length ?? 0,
        );
        const height = Math.max(1, ...cellHeights);
        return Array.from({ length: height }, (_, lineIndex) =>
          formatLine(currentLayout, (columnIndex) => {
            const cellText = cellLines[columnIndex]?.[lineIndex] ?? '';
            return columns[columnIndex]?.paint?.(cellText, row) ?? cellText;
          }),
        );
      });
      print(...lines);
    },
  };
}

interface Layout {
  kept: readonly number[];
  widths: readonly number[];
}

/** Characters that are left of a name on a very narrow terminal. */
const leastWidth = 5;

/**
 * Distributes the width of a terminal. If the columns need more, it first leaves out columns until the rest fits with every
 * column at its smallest, and then cuts the widest ones.
 */
function layoutOf(
  columns: readonly Pick<Column<never>, 'min' | 'wanted' | 'leaveOut' | 'isSpare'>[],
  neededWidths: readonly number[],
  availableWidth: number,
  gapWidth: number,
): Layout {
  let shownColumns = columns.map((column, columnIndex) => {
    const { min, wanted = 0, leaveOut = -1, isSpare } = column;
    const neededWidth = neededWidths[columnIndex] ?? 0;
    const smallest = Math.min(neededWidth, min ?? neededWidth);
    return {
      columnIndex,
      neededWidth,
      leaveOut,
      sized: isSpare ? ('wanted' as const) : ('smallest' as const),
      wanted: Math.max(smallest, Math.min(neededWidth, wanted)),
      smallest,
      least: min === undefined ? neededWidth : leastWidth,
      last: 1,
    };
  });

  const leaveOutOrder = shownColumns
    .filter(({ leaveOut }) => leaveOut >= 0)
    .sort((column, other) => other.leaveOut - column.leaveOut);
  for (const candidate of leaveOutOrder) {
    const requiredWidth = shownColumns.reduce(
      (sum, column) => sum + column[candidate.sized] + gapWidth,
      -gapWidth,
    );
    if (requiredWidth > availableWidth)
      shownColumns = shownColumns.filter((column) => column !== candidate);
  }

  const cellSpace = availableWidth - gapWidth * (shownColumns.length - 1);
  const widths = shownColumns.map(({ neededWidth }) => Math.min(neededWidth, cellSpace));
  // If not even the smallest widths fit, the columns are cut further that may be cut at all, such as names: half a time or half a
  // prefix says nothing. Then every column is, so that no line is wider than the terminal.
  for (const limit of ['smallest', 'least', 'last'] as const) {
    const limits = shownColumns.map((column) => column[limit]);
    shrink(widths, limits, cellSpace);
  }
  return {
    kept: shownColumns.map(({ columnIndex }) => columnIndex),
    widths,
  };
}

/** Takes one character at a time from the widest column that may still shrink, until the sum fits. */
function shrink(widths: number[], smallest: readonly number[], space: number): void {
  const mayShrink = (width: number, index: number) => width > (smallest[index] ?? 0);
  const totalWidth = widths.reduce((sum, width) => sum + width, 0);
  for (let excess = totalWidth - space; excess > 0; excess--) {
    const widest = Math.max(0, ...widths.filter(mayShrink));
    if (widest === 0) return;

    const widestIndex = widths.findIndex(
      (width, index) => width === widest && mayShrink(width, index),
    );
    widths[widestIndex] = widest - 1;
  }
}
