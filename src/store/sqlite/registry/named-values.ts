/** Values for `$1` and `$2`, whose names are their numbers. */
export function named(values: readonly unknown[]): Record<number, unknown> {
  const named: Record<number, unknown> = {};
  for (let n = 0; n < values.length; n++)
    named[n + 1] = typeof values[n] === 'boolean' ? Number(values[n]) : values[n];
  return named;
}
