import { PassThrough } from 'node:stream';
import type { Output } from '../../src/cli/terminal/io.ts';

/** An output that keeps what is written to it. */
interface Collected {
  output: Output;
  stream: NodeJS.WritableStream;
  readonly text: string;
  /** What was written as bytes, which are no text. */
  readonly bytes: Buffer;
}

/** Makes an output, of a terminal of some size or of none; `onWrite` may throw, as a closed pipe does. */
export function collect(
  terminal: { columns: number; rows: number } | undefined,
  onWrite: (text: string) => void = () => {},
): Collected {
  const parts: string[] = [];
  const pieces: Buffer[] = [];
  const write = (text: string) => {
    onWrite(text);
    parts.push(text);
  };
  const stream = Object.assign(new PassThrough(), terminal);
  // Each question ends what it wrote to, which a process's own output does not mind.
  stream.end = () => stream;
  stream.on('data', (chunk: Buffer) => parts.push(chunk.toString()));
  return {
    output: {
      isTTY: terminal !== undefined,
      isNull: false,
      columns: () => terminal?.columns,
      rows: () => terminal?.rows,
      write,
      writeBytes(bytes) {
        onWrite('');
        pieces.push(Buffer.from(bytes));
      },
      flush: () => {},
      onResize: () => () => {},
    },
    stream,
    get text() {
      return parts.join('');
    },
    get bytes() {
      return Buffer.concat(pieces);
    },
  };
}
