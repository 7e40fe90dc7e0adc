/** Creates a value at its first use and caches it: each statement that a command needs is prepared once, and no other. */
export function lazy<T>(create: () => T): () => T {
  let cached: { value: T } | undefined;

  return () => {
    cached ??= { value: create() };
    return cached.value;
  };
}

/** Returns a function that creates the value of a key at its first use and caches it; it clears itself when it holds `limit` keys. */
export function memoizeBy<Value>(
  limit = Number.POSITIVE_INFINITY,
): (key: string, create: () => Value) => Value {
  const cache = new Map<string, Value>();

  return (key, create) => {
    const cachedValue = cache.get(key);
    if (cachedValue !== undefined) return cachedValue;

    if (cache.size >= limit) cache.clear();
    const createdValue = create();
    cache.set(key, createdValue);
    return createdValue;
  };
}

/** Removes the oldest entry beyond `limit`. Changed entries are inserted anew, so the order of insertion is their age. */
export function dropOldest(entries: Map<string, unknown>, limit: number): void {
  if (entries.size <= limit) return;

  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
