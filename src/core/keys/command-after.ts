import type { Actor, Domain } from '../access/actors.ts';
import { sha256 } from '../digest.ts';
import type { Key } from '../port/keys.ts';
import { requireKey } from './keys.ts';

/** What makes two commands after a rotation the same: whoever gives the same one again repeats it until it has succeeded. */
export interface CommandAfter {
  /** The account that gave it: no account runs what another has left. */
  osAccount: string;
  /** Where the secrets go: a file, a folder, or nothing for standard output. */
  target: string | undefined;
  command: string;
}

/** The digest by which a store remembers a command. */
export function commandDigest({ osAccount, target, command }: CommandAfter): string {
  return sha256(JSON.stringify([osAccount, target ?? null, command]), 'base64url');
}

/** The last keys of the chains of rotations that keys stand in. */
export async function latestOf(domain: Domain, actor: Actor, keys: readonly Key[]): Promise<Key[]> {
  const latest = new Map<string, Key>();
  for (let key of keys) {
    while (key.rotatedTo !== null) key = await requireKey(domain, actor, key.rotatedTo);
    latest.set(key.id, key);
  }
  return [...latest.values()];
}
