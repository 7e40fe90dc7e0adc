import { describe, expect, it } from 'vitest';
import { layoutOf } from '../../../src/cli/table/table.ts';

describe('a layout', () => {
  const columns = [{}, { min: 6 }, { leaveOut: 1 }, { leaveOut: 2, min: 4 }];

  it('keeps everything where it fits', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 48, 2)).toEqual({
      kept: [0, 1, 2, 3],
      widths: [8, 20, 5, 9],
    });
  });

  it('cuts before it leaves out, and the least important column goes first', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 40, 2)).toEqual({
      kept: [0, 1, 2, 3],
      widths: [8, 12, 5, 9],
    });
    expect(layoutOf(columns, [8, 20, 5, 9], 28, 2)).toEqual({
      kept: [0, 1, 2],
      widths: [8, 11, 5],
    });
    expect(layoutOf(columns, [8, 20, 5, 9], 20, 2)).toEqual({ kept: [0, 1], widths: [8, 10] });
  });

  it('cuts names below their smallest width before times and prefixes', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 15, 2)).toEqual({ kept: [0, 1], widths: [8, 5] });
  });

  it('cuts even what should not be cut, rather than be wider than the terminal', () => {
    expect(layoutOf(columns, [8, 20, 5, 9], 10, 2)).toEqual({ kept: [0, 1], widths: [4, 4] });
  });
});
