/** Characters for nothing, and for values from the lowest to the highest. */
const drawn = { none: '·', levels: '▁▂▃▄▅▆▇█' } as const;
/** The same for a terminal without others than ASCII. */
const ascii = { none: '.', levels: ':-=+*#%@' } as const;

export interface Bars {
  line: string;
  /** How many values each bar sums up, the first one perhaps fewer. */
  each: number;
  most: number;
}

/**
 * Draws values as one line of bars, at most `width` wide: if there are more values, each bar sums up two or more of them. The
 * last bar ends with the last value. A value above zero never looks like zero.
 */
export function barsOf(values: readonly number[], width: number, isAscii: boolean): Bars {
  const each = Math.max(1, Math.ceil(values.length / Math.max(1, width)));
  const sums: number[] = [];
  for (let end = values.length; end > 0; end -= each) {
    sums.unshift(values.slice(Math.max(0, end - each), end).reduce((sum, value) => sum + value, 0));
  }
  const { none, levels } = isAscii ? ascii : drawn;
  const most = Math.max(0, ...sums);
  const line = sums.map((sum) => (sum === 0 ? none : levels[Math.ceil((sum / most) * levels.length) - 1])).join('');
  return { line, each, most };
}
