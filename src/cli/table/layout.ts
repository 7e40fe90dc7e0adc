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
  const all = columns.map(({ min, wanted = 0, ...column }, at) => {
    const need = needed[at] ?? 0;
    const smallest = Math.min(need, min ?? need);
    const least = min === undefined ? need : leastWidth;
    return { ...column, at, need, smallest, wanted: Math.max(smallest, Math.min(need, wanted)), least, last: 1 };
  });
  let kept = all;
  const leavable = all
    .filter(({ leaveOut }) => leaveOut !== undefined)
    .sort((a, b) => (b.leaveOut ?? 0) - (a.leaveOut ?? 0));
  const leaveOut = (candidates: typeof all, size: 'wanted' | 'smallest') => {
    for (const column of candidates) {
      if (kept.reduce((sum, one) => sum + one[size] + gap, -gap) > available)
        kept = kept.filter((one) => one !== column);
    }
  };
  leaveOut(
    leavable.filter(({ isSpare }) => isSpare),
    'wanted',
  );
  leaveOut(leavable, 'smallest');
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
