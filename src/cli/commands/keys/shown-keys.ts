import { activeRefusalOf } from '../../../core/keys/authentication.ts';
import { statusOf } from '../../../core/keys/keys.ts';
import { refusals } from '../../../core/keys/refusals.ts';
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

/** The sentence before a deactivation: it names the active keys that stop. */
export function stopping(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No active keys are affected.';
  return `${countText(keys)} will stop working at once: ${someNamesOf(keys)}.`;
}

export function stopped(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No active key stopped.';
  return `${countText(keys)} stopped working: ${someNamesOf(keys)}.`;
}

/** The sentence after an activation: it names the keys that work again. */
export function resumed(keysBefore: readonly Key[], keysAfter: readonly Key[]): string {
  const idsBefore = new Set(keysBefore.map(({ id }) => id));
  const resumedKeys = keysAfter.filter(({ id }) => !idsBefore.has(id));
  if (resumedKeys.length === 0) return 'No more keys work than before.';
  const verb = resumedKeys.length === 1 ? 'works' : 'work';
  return `${countText(resumedKeys)} ${verb} again: ${someNamesOf(resumedKeys)}.`;
}

function someNamesOf(keys: readonly Key[]): string {
  const ellipsis = keys.length > 20 ? ' …' : '';
  return `${namesOf(keys.slice(0, 20))}${ellipsis}`;
}

function countText(keys: readonly Key[]): string {
  return keys.length === 1 ? 'One active key' : `${keys.length} active keys`;
}

/** Why an active key is refused, as lists show it: `refused: entity inactive`; empty for any other key. */
export function refusedText(key: Key, nowMs: number): string {
  const refusal = activeRefusalOf(key, nowMs);
  return refusal === undefined ? '' : `refused: ${refusals[refusal].short}`;
}

/** The state of a key for people: `Active, but refused: entity inactive`. */
export function statusText(key: Key, nowMs: number): string {
  const refused = refusedText(key, nowMs);
  return refused === '' ? statusOf(key, nowMs) : `${statusOf(key, nowMs)}, but ${refused}`;
}
