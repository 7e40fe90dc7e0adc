import type { Key } from '../../../core/port/keys.ts';

/** Keys as questions and reports name them: name plus prefix in parentheses (specification 5.4). */
export function namesOf(keys: readonly Pick<Key, 'name' | 'prefix'>[]): string {
  return keys.map(({ name, prefix }) => `${name} (${prefix})`).join(', ');
}
