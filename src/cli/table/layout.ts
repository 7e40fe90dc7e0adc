interface ColumnLimits {
  min?: number;
  wanted?: number;
  leaveOut?: number;
  isSpare?: boolean;
}

export interface Layout {
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
  columns: readonly ColumnLimits[],
  needed: readonly number[],
  available: number,
  gap: number,
): Layout {
  const kept = chosenColumns(columns, needed, available, gap);
  const space = available - gap * (kept.length - 1);
  const widths = kept.map((at) => Math.min(needed[at] ?? 0, space));
  const smallest = kept.map((at) => smallestOf(columns[at], needed[at] ?? 0));
  shrink(widths, smallest, space);
  // Not even the smallest widths fit. First the columns are cut further that may be cut at all, such as names: half a time or
  // half a prefix says nothing. Then every column, so that no line is wider than the terminal.
  shrink(
    widths,
    kept.map((at) => (columns[at]?.min === undefined ? (needed[at] ?? 0) : leastWidth)),
    space,
  );
  shrink(
    widths,
    widths.map(() => 1),
    space,
  );
  return { kept, widths };
}

function chosenColumns(
  columns: readonly ColumnLimits[],
  needed: readonly number[],
  available: number,
  gap: number,
): readonly number[] {
  let kept = columns.map((_, at) => at);
  const leaveOut = (widthOf: (at: number) => number, mayGo: (column: ColumnLimits | undefined) => boolean) => {
    while (kept.reduce((sum, at) => sum + widthOf(at) + gap, -gap) > available) {
      const [least] = kept
        .filter((at) => columns[at]?.leaveOut !== undefined && mayGo(columns[at]))
        .sort((a, b) => (columns[b]?.leaveOut ?? 0) - (columns[a]?.leaveOut ?? 0));
      if (least === undefined) return;
      kept = kept.filter((at) => at !== least);
    }
  };
  const smallest = (at: number) => smallestOf(columns[at], needed[at] ?? 0);
  const wanted = (at: number) => Math.max(smallest(at), Math.min(needed[at] ?? 0, columns[at]?.wanted ?? 0));
  leaveOut(wanted, (column) => column?.isSpare === true);
  leaveOut(smallest, () => true);
  return kept;
}

function smallestOf(column: ColumnLimits | undefined, needed: number): number {
  return Math.min(needed, column?.min ?? needed);
}

/** Takes one character at a time from the widest column that may still shrink, until the sum fits. */
function shrink(widths: number[], smallest: readonly number[], space: number): void {
  for (let excess = widths.reduce((sum, width) => sum + width, 0) - space; excess > 0; excess--) {
    let widest = -1;
    widths.forEach((width, i) => {
      if (width > (smallest[i] ?? 0) && width > (widths[widest] ?? 0)) widest = i;
    });
    if (widest === -1) return;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
}
