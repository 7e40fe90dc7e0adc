import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Key, KeyStatus } from '../port/keys.ts';
import { holdsSecret, redactSecrets } from '../secrets.ts';
import { printable } from '../text/shown-text.ts';
import { canonicalText, didYouMean, nearest } from '../text/words.ts';

/**
 * Finds keys as {@link requireKey}, each once; `not_found` (exit 3) names all that are missing. A name that only keys have that
 * are no longer active is `key_not_active` (exit 5).
 */
export async function findKeys(
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
): Promise<Key[]> {
  requireNoSecret(refs);

  const keys = new Map<string, Key>();
  const missingRefs: string[] = [];
  for (const ref of refs) {
    const key = await findKey(domain, actor, ref);
    if (key) keys.set(key.id, key);
    else missingRefs.push(ref);
  }

  if (missingRefs.length > 0) {
    const suggestions = await suggestedKeys(domain, actor, missingRefs);
    throw keyNotFound(refs.length > 1 ? missingRefs : [], suggestions);
  }
  return [...keys.values()];
}

/** The number of keys that are compared with a mistyped name. */
const comparedKeysLimit = 5000;

/** The active keys that mistyped references probably mean, by name or by prefix, each as a person finds it in the list. */
async function suggestedKeys(
  { store, clock }: Domain,
  { user }: Actor,
  refs: readonly string[],
): Promise<string[]> {
  const activeFilter = { nowMs: clock(), statuses: ['Active'] } as const;
  const keys = await store.keys.list(user.tenantId, activeFilter, { limit: comparedKeysLimit });
  const names = keys.map(({ name }) => name);
  const prefixes = keys.map(({ prefix }) => prefix);
  const suggestions = refs.map((ref) => {
    if (/^hk_\w{3,8}$/i.test(ref)) {
      const meantPrefix = nearestPrefix(ref, prefixes);
      return keys.find(({ prefix }) => prefix === meantPrefix);
    }
    const meantName = nearest(ref, names);
    return keys.find(({ name }) => name === meantName);
  });

  return [...new Set(suggestions)]
    .filter((key) => key !== undefined)
    .map(({ name, prefix }) => `${prefix} (${printable(name)})`);
}

function nearestPrefix(ref: string, prefixes: readonly string[]): string | undefined {
  const candidates = prefixes.filter((prefix) => isNearPrefix(ref, prefix));
  return candidates.length === 1 ? candidates[0] : undefined;
}

/** Prefixes are random: more than one wrong character may mean any of them. */
function isNearPrefix(ref: string, prefix: string): boolean {
  if (prefix.toLowerCase() === ref.toLowerCase()) {
    return true;
  }
  if (prefix.startsWith(ref)) return true;
  if (prefix.length !== ref.length) return false;

  const characters = [...prefix];
  const wrongCharacters = characters.filter((character, position) => character !== ref[position]);
  return wrongCharacters.length <= 1;
}

/** A key by its id, its prefix, or a name that only one active key has (promise 3.6); else `not_found`. */
export async function requireKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  const [key] = await findKeys(domain, actor, [ref]);
  return key as Key; // one for each REF, or an error
}

/** A key and the keys that it was rotated to, or from, one after the other. */
export async function chainOf(
  domain: Domain,
  actor: Actor,
  key: Key,
  link: 'rotatedFrom' | 'rotatedTo',
): Promise<Key[]> {
  const lineage = [key];
  let linkedId = key[link];
  while (linkedId !== null) {
    const linkedKey = await requireKey(domain, actor, linkedId);
    lineage.push(linkedKey);
    linkedId = linkedKey[link];
  }
  return lineage;
}

/** The last keys of the chains of rotations that keys stand in. */
export async function latestOf(domain: Domain, actor: Actor, keys: readonly Key[]): Promise<Key[]> {
  const latestKeys = new Map<string, Key>();
  for (const key of keys) {
    const lineage = await chainOf(domain, actor, key, 'rotatedTo');
    const latestKey = lineage.at(-1) ?? key;
    latestKeys.set(latestKey.id, latestKey);
  }
  return [...latestKeys.values()];
}

async function findKey(
  { store, clock }: Domain,
  { user }: Actor,
  ref: string,
): Promise<Key | undefined> {
  const exactKey = await store.keys.find(user.tenantId, ref);
  if (exactKey) return exactKey;

  const namesakesWith = (...statuses: KeyStatus[]) => {
    const filter = { nowMs: clock(), statuses, name: canonicalText(ref) };
    return store.keys.list(user.tenantId, filter, { limit: 10 });
  };
  const namesakes = await namesakesWith('Active');
  if (namesakes.length === 0) {
    const formerNamesakes = await namesakesWith('Expired', 'Revoked');
    if (formerNamesakes.length > 0) throw nameNotActive(ref, formerNamesakes);
  }
  if (namesakes.length < 2) return namesakes[0];

  const prefixes = namesakes.map(({ prefix }) => prefix).join(', ');
  throw new HkctlError(
    'bad_input',
    `Several active keys have the name "${printable(ref)}": ${prefixes}.`,
    {
      hint: 'Name one of them by its prefix.',
    },
  );
}

/** The refusal of a name whose keys all are revoked or expired (exit 5): no other key must be taken for one of them. */
function nameNotActive(name: string, keys: readonly Key[]): HkctlError {
  const prefixes = keys.map(({ prefix }) => prefix);
  const verb = keys.length === 1 ? 'is' : 'are';
  return new HkctlError(
    'key_not_active',
    `No active key has the name "${printable(name)}": ${prefixes.join(', ')} ${verb} no longer active.`,
    { hint: `Name it by its prefix: hkctl keys show ${prefixes[0]}` },
  );
}

/** A secret in place of a reference is refused with a warning: the shell has recorded the command line (promise 3.6). */
function requireNoSecret(refs: readonly string[]): void {
  if (!refs.some(holdsSecret)) return;

  throw new HkctlError(
    'bad_input',
    "A secret was given as REF; it is now in the shell's history.",
    {
      hint: 'Name the key by its id or its eight-character prefix.',
    },
  );
}

/** The refusal of keys that the tenant does not have (exit 3); it names them if several were given. */
export function keyNotFound(
  refs: readonly string[],
  suggestions: readonly string[] = [],
): HkctlError {
  const refList = refs.map((ref) => printable(redactSecrets(ref))).join(', ');
  const suggestion = suggestions.length === 0 ? undefined : suggestions.join(', ');
  return new HkctlError(
    'not_found',
    refList === '' ? 'API key not found' : `API key not found: ${refList}`,
    {
      hint: `${didYouMean(suggestion)}Name it by its id, its eight-character prefix, or its name if it is active; hkctl keys list --all shows every key.`,
    },
  );
}
