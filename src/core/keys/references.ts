import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Key } from '../port/keys.ts';
import { holdsSecret, redactSecrets } from '../secrets.ts';
import { canonicalText } from '../text/canonical.ts';
import { printable } from '../text/shown-text.ts';
import { didYouMean, nearest } from '../text/words.ts';

/** Finds keys as {@link requireKey}, each once; `not_found` (exit 3) names all that are missing. */
export async function findKeys(
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
): Promise<Key[]> {
  requireNoSecret(refs);
  const keys = new Map<string, Key>();
  const absent: string[] = [];
  for (const ref of refs) {
    const key = await findKey(domain, actor, ref);
    if (key) keys.set(key.id, key);
    else absent.push(ref);
  }
  if (absent.length > 0) {
    const meant = await meantKeys(domain, actor, absent);
    throw keyNotFound(refs.length > 1 ? absent : [], meant);
  }
  return [...keys.values()];
}

/** As many keys as are compared with a mistyped name. */
const mostCompared = 5000;

/** The active keys that mistyped references probably mean, by name or by prefix, each as a person finds it in the list. */
async function meantKeys(
  { store, clock }: Domain,
  { user }: Actor,
  refs: readonly string[],
): Promise<string[]> {
  const filter = { nowMs: clock(), statuses: ['Active'] } as const;
  const keys = await store.keys.list(user.tenantId, filter, { limit: mostCompared });
  const names = keys.map(({ name }) => name);
  const prefixes = keys.map(({ prefix }) => prefix);
  const meant = refs.map((ref) => {
    const isPrefix = /^hk_\w{3,8}$/i.test(ref);
    const near = isPrefix ? nearestPrefix(ref, prefixes) : nearest(ref, names);
    return keys.find(({ name, prefix }) => near === (isPrefix ? prefix : name));
  });
  return [...new Set(meant)]
    .filter((key) => key !== undefined)
    .map(({ name, prefix }) => `${prefix} (${printable(name)})`);
}

/** Prefixes are random: more than one wrong character may mean any of them. */
function nearestPrefix(ref: string, prefixes: readonly string[]): string | undefined {
  const near = prefixes.filter((prefix) => {
    const wrong = [...prefix].filter((character, at) => character !== ref[at]).length;
    const isOtherCase = prefix.toLowerCase() === ref.toLowerCase();
    return isOtherCase || (wrong <= 1 && ref.length === prefix.length) || prefix.startsWith(ref);
  });
  return near.length === 1 ? near[0] : undefined;
}

/** A key by its id, its prefix, or a name that only one active key has (promise 3.6); else `not_found`. */
export async function requireKey(domain: Domain, actor: Actor, ref: string): Promise<Key> {
  const [key] = await findKeys(domain, actor, [ref]);
  return key as Key; // one for each REF, or an error
}

/** A key and those that it was rotated to, or from, one after the other. */
export async function chainOf(
  domain: Domain,
  actor: Actor,
  key: Key,
  link: 'rotatedFrom' | 'rotatedTo',
): Promise<Key[]> {
  const chain = [key];
  const seen = new Set([key.id]);
  // Rows that lead in a circle, as only tampering makes them, must not keep a command for good.
  for (let ref = key[link]; ref !== null && !seen.has(ref); ref = chain.at(-1)?.[link] ?? null) {
    seen.add(ref);
    chain.push(await requireKey(domain, actor, ref));
  }
  return chain;
}

/** The last keys of the chains of rotations that keys stand in. */
export async function latestOf(domain: Domain, actor: Actor, keys: readonly Key[]): Promise<Key[]> {
  const latest = new Map<string, Key>();
  for (const key of keys) {
    const last = (await chainOf(domain, actor, key, 'rotatedTo')).at(-1) ?? key;
    latest.set(last.id, last);
  }
  return [...latest.values()];
}

async function findKey(
  { store, clock }: Domain,
  { user }: Actor,
  ref: string,
): Promise<Key | undefined> {
  const exactKey = await store.keys.find(user.tenantId, ref);
  if (exactKey) return exactKey;
  const filter = { nowMs: clock(), statuses: ['Active'], name: canonicalText(ref) } as const;
  const namesakes = await store.keys.list(user.tenantId, filter, { limit: 10 });
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
export function keyNotFound(refs: readonly string[], meant: readonly string[] = []): HkctlError {
  const names = refs.map((ref) => printable(redactSecrets(ref))).join(', ');
  return new HkctlError(
    'not_found',
    names === '' ? 'API key not found' : `API key not found: ${names}`,
    {
      hint: `${didYouMean(meant.length === 0 ? undefined : meant.join(', '))}Name it by its id, its eight-character prefix, or its name if it is active; hkctl keys list --all shows every key.`,
    },
  );
}
