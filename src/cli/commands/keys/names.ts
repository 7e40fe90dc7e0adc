import type { Key } from '../../../core/port/keys.ts';

/** The keys of a command that also offers them; see `requireKey`. */
export const refsArgument = {
  spelling: '[REF...]',
  doc: 'ids, prefixes, or names that only one active key has (default: asks on a terminal)',
};

/** Keys as questions and reports name them: name plus prefix in parentheses (promise 3.6). */
export function namesOf(keys: readonly Pick<Key, 'name' | 'prefix'>[]): string {
  return keys.map(({ name, prefix }) => `${name} (${prefix})`).join(', ');
}

/** The sentence before a deactivation: which active keys stop. */
export function stopping(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No active keys are affected.';
  return `${count(keys)} will stop working at once: ${someNamesOf(keys)}.`;
}

export function stopped(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No active key stopped.';
  return `${count(keys)} stopped working: ${someNamesOf(keys)}.`;
}

/** The sentence after an activation: which of the keys that work did not work before. */
export function resumed(before: readonly Key[], after: readonly Key[]): string {
  const idsBefore = new Set(before.map(({ id }) => id));
  const keys = after.filter(({ id }) => !idsBefore.has(id));
  if (keys.length === 0) return 'No more keys work than before.';
  return `${count(keys)} ${keys.length === 1 ? 'works' : 'work'} again: ${someNamesOf(keys)}.`;
}

function someNamesOf(keys: readonly Key[]): string {
  return `${namesOf(keys.slice(0, 20))}${keys.length > 20 ? ' …' : ''}`;
}

function count(keys: readonly Key[]): string {
  return keys.length === 1 ? 'One active key' : `${keys.length} active keys`;
}
