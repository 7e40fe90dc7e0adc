import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { HkctlError } from '../../core/errors.ts';
import { listKeys } from '../../core/keys/keys.ts';
import { findKeys } from '../../core/keys/references.ts';
import type { Key } from '../../core/port/keys.ts';
import type { Context } from '../command/context.ts';
import { timeAt } from '../command/output.ts';
import { relativeTime } from '../table/relative-time.ts';
import type { AskedFact } from '../terminal/asker.ts';

/** More keys than a person reads through; typing filters these. */
const mostKeys = 5000;

/** The keys that references name; without any, the active key that is chosen on the terminal. */
export async function keysOrAsk(
  context: Context,
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
): Promise<Key[]> {
  return refs.length > 0 ? findKeys(domain, actor, refs) : [await askKey(context, domain, actor)];
}

export async function askKey({ io }: Context, domain: Domain, actor: Actor): Promise<Key> {
  const nowMs = domain.clock();
  const keys = await listKeys(domain, actor, { nowMs, statuses: ['Active'] }, { limit: mostKeys });
  if (keys.length === 0) {
    throw new HkctlError('not_found', 'There is no active key.', { hint: 'Create key: hkctl keys create' });
  }
  const { askChoice } = await import('../prompts/prompts.ts');
  const choices = keys.map((key) => ({
    name: `${key.prefix}  ${key.entity?.code ?? '(removed)'}  ${key.name}`,
    value: key,
    description: `Last used: ${lastUseOf(key, nowMs)}`,
  }));
  return askChoice(io, 'Which key?', choices);
}

/** When and from where keys were last used, for the question before they stop. */
export function lastUses(keys: readonly Key[], nowMs: number): AskedFact[] {
  const [only, another] = keys;
  if (only && !another) return [['Last used', lastUseOf(only, nowMs)]];
  return keys.slice(0, 20).map((key) => [key.prefix, `last used: ${lastUseOf(key, nowMs)}`]);
}

function lastUseOf(key: Key, nowMs: number): string {
  const { lastUsedAtMs, lastUsedIp } = key;
  if (lastUsedAtMs === null) return 'Never';
  const from = lastUsedIp === null ? '' : ` from ${lastUsedIp}`;
  return `${timeAt(lastUsedAtMs, key)} (${relativeTime(lastUsedAtMs, nowMs)})${from}`;
}
