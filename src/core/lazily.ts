/** Creates a value at its first use and keeps it: statements are prepared once, and only those that a command needs. */
export function lazily<T>(make: () => T): () => T {
  let made: { thing: T } | undefined;
  return () => {
    made ??= { thing: make() };
    return made.thing;
  };
}
