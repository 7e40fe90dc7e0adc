import type { Output } from '../../src/cli/terminal/io.ts';

/** An output of 80 columns and 24 lines that drops what is written; `isTTY` says whether it is a terminal. */
export function silentOutput({ isTTY = false } = {}): Output {
  return {
    isTTY,
    isNull: false,
    columns: () => 80,
    rows: () => 24,
    write() {},
    writeBytes() {},
    flush() {},
    onResize: () => () => {},
  };
}
