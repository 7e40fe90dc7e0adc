/** Removes the entry of a map that was inserted first where there are more than `most`. */
export function keepNewest(entries: Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
