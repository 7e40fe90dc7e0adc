import type { Context } from '../command/context.ts';
import { streamNamedFile } from '../terminal/named-files.ts';

/** Opens the file of an import at once, so that a wrong path is reported before anything is read; `-` is standard input. */
export function openSource(
  context: Context,
  file: string,
): { stream: AsyncIterable<Uint8Array>; bytes: number | undefined } {
  if (file === '-') return { stream: bytesOf(context.io.stdin), bytes: undefined };
  return streamNamedFile(file, 'a file of records');
}

async function* bytesOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
