import { auditDraft } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { Key } from '../port/keys.ts';
import { requireLabel } from '../text/labels.ts';
import type { KeyActor } from './key-permissions.ts';
import { keyNotFound } from './references.ts';

/** A note as it is stored: up to 500 visible characters (see {@link requireLabel}), null for an empty one. Throws `bad_input`. */
export function parseNote(text: string): string | null {
  if (text === '') return null;
  requireLabel(text, 'A note', 500);
  return text;
}

/** Sets or clears the note of a key in any state, and returns the key as it is then. */
export async function setNote(domain: Domain, actor: KeyActor<'note'>, key: Key, text: string): Promise<Key> {
  const note = parseNote(text);
  const audit = auditDraft(domain, actor, 'key.note', key.prefix, { name: key.name, note });
  if (!(await domain.store.keys.setNote(key.id, note, audit))) throw keyNotFound([]);
  return { ...key, note };
}
