/**
 * Removes the entry of a map that was inserted first if there are more than `most`. No lru-cache here, which orders entries
 * anew at every use: credentials are inserted anew after each commit and windows when they begin, so that this order is enough.
 */
export function keepNewest(entries: Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
