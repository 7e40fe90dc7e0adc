/** Reads at least `length` bytes, or all if there are fewer; returns them as `head`, and `all` bytes from the start. */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const headChunks: Uint8Array[] = [];
  let headLength = 0;
  while (headLength < length) {
    const { done, value } = await iterator.next();
    if (done) break;
    headChunks.push(value);
    headLength += value.length;
  }
  return { head: Buffer.concat(headChunks), all: chainChunks(headChunks, iterator) };
}

async function* chainChunks(
  headChunks: readonly Uint8Array[],
  remaining: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* headChunks;
    yield* { [Symbol.asyncIterator]: () => remaining };
  } finally {
    await remaining.return?.();
  }
}
