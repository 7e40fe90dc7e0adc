import type { Output } from '../../src/cli/terminal/io.ts';

/** An output that keeps what is written to it. */
interface Collected {
  output: Output;
  readonly text: string;
}

/** Makes an output, of a terminal of some size or of none; `onWrite` may throw, as a closed pipe does. */
export function collect(
  terminal: { columns: number; rows: number } | undefined,
  onWrite: (text: string) => void = () => {},
): Collected {
  const parts: string[] = [];
  const write = (text: string) => {
    onWrite(text);
    parts.push(text);
  };
  return {
    output: {
      isTTY: terminal !== undefined,
      isNull: false,
      columns: () => terminal?.columns,
      rows: () => terminal?.rows,
      write,
      flush: () => {},
      onResize: () => () => {},
    },
    get text() {
      return parts.join('');
    },
  };
}
