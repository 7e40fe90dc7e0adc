/** Creates a value at its first use and keeps it: statements are prepared once, and only those that a command needs. */
export function lazily<T>(make: () => T): () => T {
  let made: { thing: T } | undefined;
  return () => {
    made ??= { thing: make() };
    return made.thing;
  };
}

/** Returns a function that makes the value of a key at its first use and keeps it; with `most` keys it begins anew. */
export function createKept<Value>(
  most = Number.POSITIVE_INFINITY,
): (key: string, make: () => Value) => Value {
  const kept = new Map<string, Value>();
  return (key, make) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= most) kept.clear();
    const value = make();
    kept.set(key, value);
    return value;
  };
}

/** Removes the oldest entry beyond `most`. Entries are inserted anew when they change: this order is enough. */
export function keepNewest(entries: Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
