/** The headings of `hkctl --help`, each with its nouns; a test requires that every noun stands below one. */
export const nounGroups: Readonly<Record<string, readonly string[]>> = {
  Keys: ['keys', 'permissions'],
  Data: ['import', 'sensors'],
  Plant: ['entities', 'users', 'tenants'],
  Server: [
    'init',
    'serve',
    'openapi',
    'systemd-unit',
    'metrics-rules',
    'postgres-roles',
    'postgres-citus',
    'completion',
  ],
  Care: ['status', 'doctor', 'audit', 'backup', 'restore', 'migrate'],
};

/** The heading of a noun. */
export function groupOf(noun: string): string {
  const [heading = 'Other'] = Object.entries(nounGroups).find(([, names]) => names.includes(noun)) ?? [];
  return `${heading}:`;
}

/** Entries in the order of the headings; one without a heading comes last. */
export function inGroupOrder<T extends { name: string }>(entries: readonly T[]): T[] {
  const order = Object.values(nounGroups).flat();
  const placeOf = ({ name }: T) => (order.includes(name) ? order.indexOf(name) : order.length);
  return entries.toSorted((a, b) => placeOf(a) - placeOf(b));
}
