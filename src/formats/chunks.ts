/** Reads at least `length` bytes, or all if there are fewer; returns them as `head`, and `all` bytes from the start. */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const chunks = source[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let size = 0;
  while (size < length) {
    const { done, value } = await chunks.next();
    if (done) break;
    read.push(value);
    size += value.length;
  }
  return { head: Buffer.concat(read), all: chain(read, chunks) };
}

async function* chain(
  read: readonly Uint8Array[],
  remaining: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* read;
    yield* { [Symbol.asyncIterator]: () => remaining };
  } finally {
    await remaining.return?.();
  }
}
