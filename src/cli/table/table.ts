import { withoutSecrets } from '../../core/secrets.ts';
import type { Context } from '../command/context.ts';
import { padded, shortened, truncated, widthOf, wrapWords } from '../terminal/wrap.ts';

export interface Column<T> {
  heading: string;
  /** The text of a cell, without colours. */
  cell(row: T): string;
  paint?(text: string, row: T): string;
  /** At least this wide, so that later rows do not need more: for times, whose texts grow and shrink. */
  width?: number;
  /** On a narrow terminal its cells are cut down to this width; without it only if nothing else helps. */
  min?: number;
  /** Spare columns are left out before this one is cut to less than this width. */
  wanted?: number;
  /** Columns are left out on a narrow terminal by this number, the highest first; without it never. */
  leaveOut?: number;
  /** Its cells go on in further lines instead of being cut. */
  continues?: boolean;
  /** Left out if a cell of another column would be cut to less than it wants; such columns have the highest numbers. */
  isSpare?: boolean;
}

/** Where a table is printed, and for which width. */
interface TablePlace {
  style: Pick<Context['style'], 'bold'>;
  io: { stdout: Pick<Context['io']['stdout'], 'isTTY' | 'columns'> };
  print: Context['print'];
}

/** Prints rows that are all there: as a table, with `--json` as an array; `none` is the sentence if there are none. */
export async function printTable<T>(
  context: Context,
  columns: readonly Column<T>[],
  rows: readonly T[],
  { json, none }: { json(row: T): unknown; none: string },
): Promise<void> {
  if (context.json) context.printJson(rows.map(json));
  else if (rows.length === 0) context.print(none);
  else createTable(context, columns).print(rows);
}

/** Prints the line below a list: its counts and the next command. Only on a terminal, since programs read the rest. */
export async function printSummary(
  context: Context,
  counts: readonly string[],
  next: string,
): Promise<void> {
  const { stdout } = context.io;
  if (!stdout.isTTY || context.json) return;
  // The command stays in one piece, to be copied.
  context.confirm(...wrapWords([counts.join(', '), next], stdout.columns() ?? usualWidth, ' · '));
}

/** The width assumed for a terminal that does not know its own. */
const usualWidth = 80;

const gap = '  ';

/**
 * Creates a table with its headings once. On a terminal it is never wider than that: less important columns are left out,
 * then cells are cut. Off a terminal nothing is left out or cut, for programs.
 */
export function createTable<T>(
  { style, io: { stdout }, print }: TablePlace,
  columns: readonly Column<T>[],
) {
  const available = stdout.isTTY ? (stdout.columns() ?? usualWidth) : Number.POSITIVE_INFINITY;
  const needed = columns.map(({ heading, width = 0 }) => Math.max(heading.length, width));
  let layout: Layout | undefined;
  const line = ({ kept, widths }: Layout, cellOf: (at: number, width: number) => string) => {
    const cells = kept.map((at, i) => padded(cellOf(at, widths[i] ?? 0), widths[i] ?? 0));
    return cells.join(gap).trimEnd();
  };

  return {
    print(rows: readonly T[]): void {
      // Before a cell is cut: the rest of a secret would not be recognised.
      const cells = rows.map((row) => columns.map((column) => withoutSecrets(column.cell(row))));
      for (const row of cells) {
        for (const [at, cell] of row.entries())
          needed[at] = Math.max(needed[at] ?? 0, widthOf(cell));
      }
      // On a terminal the first rows decide, so that later ones stand below the headings; off a terminal nothing is cut.
      const before = layout;
      const current =
        before && stdout.isTTY ? before : layoutOf(columns, needed, available, gap.length);
      layout = current;
      if (!before)
        print(
          line(current, (at, width) => style.bold(truncated(columns[at]?.heading ?? '', width))),
        );
      const lines = rows.flatMap((row, i) => {
        const parts = columns.map(({ continues }, at) => {
          const cell = cells[i]?.[at] ?? '';
          const width = current.widths[current.kept.indexOf(at)];
          if (!stdout.isTTY || width === undefined) return [cell];
          return continues ? wrapWords(cell.split(' '), width) : [shortened(cell, width)];
        });
        const height = Math.max(1, ...current.kept.map((at) => parts[at]?.length ?? 0));
        return Array.from({ length: height }, (_, n) =>
          line(current, (at) => {
            const text = parts[at]?.[n] ?? '';
            return columns[at]?.paint?.(text, row) ?? text;
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
export function layoutOf(
  columns: readonly Pick<Column<never>, 'min' | 'wanted' | 'leaveOut' | 'isSpare'>[],
  needed: readonly number[],
  available: number,
  gap: number,
): Layout {
  let kept = columns.map(({ min, wanted = 0, leaveOut = -1, isSpare }, at) => {
    const need = needed[at] ?? 0;
    const smallest = Math.min(need, min ?? need);
    const least = min === undefined ? need : leastWidth;
    const size = { wanted: Math.max(smallest, Math.min(need, wanted)), smallest, least, last: 1 };
    return {
      at,
      need,
      leaveOut,
      sized: isSpare ? ('wanted' as const) : ('smallest' as const),
      ...size,
    };
  });
  for (const column of kept
    .filter(({ leaveOut }) => leaveOut >= 0)
    .sort((a, b) => b.leaveOut - a.leaveOut)) {
    if (kept.reduce((sum, one) => sum + one[column.sized] + gap, -gap) > available)
      kept = kept.filter((one) => one !== column);
  }
  const space = available - gap * (kept.length - 1);
  const widths = kept.map(({ need }) => Math.min(need, space));
  // If not even the smallest widths fit, the columns are cut further that may be cut at all, such as names: half a time or half a
  // prefix says nothing. Then every column is, so that no line is wider than the terminal.
  for (const limit of ['smallest', 'least', 'last'] as const) {
    shrink(
      widths,
      kept.map((column) => column[limit]),
      space,
    );
  }
  return { kept: kept.map(({ at }) => at), widths };
}

/** Takes one character at a time from the widest column that may still shrink, until the sum fits. */
function shrink(widths: number[], smallest: readonly number[], space: number): void {
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - space; excess > 0; excess--) {
    const most = Math.max(0, ...widths.filter((width, i) => width > (smallest[i] ?? 0)));
    if (most === 0) return;
    widths[widths.findIndex((width, i) => width === most && width > (smallest[i] ?? 0))] = most - 1;
  }
}
