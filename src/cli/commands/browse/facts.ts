import { expiresSoon } from '../../../core/keys/attention.ts';
import type { Key } from '../../../core/port/keys.ts';
import { timeAt } from '../../command/output.ts';
import { relativeTime } from '../../table/relative-time.ts';

/** A fact of a tile: its values say the same, the longest first; the first that fits is shown. */
export interface Fact {
  label: string;
  values: readonly [string, ...string[]];
  isUrgent: boolean;
}

/** The facts of a tile other than prefix, name and status, in the order of the settings page (specification 5.4). */
export function factsOf(key: Key, nowMs: number): Fact[] {
  const { lastUsedAtMs, lastUsedIp, expiresAtMs } = key;
  const expires = timesOf(expiresAtMs, key, nowMs);
  const used = timesOf(lastUsedAtMs, key, nowMs);
  const relative = used.at(-1);
  const withAddress = lastUsedIp && relative ? [`${used[0]} from ${lastUsedIp}`, `${relative} from ${lastUsedIp}`] : [];
  const [longest, ...shorter] = [...withAddress, ...used];
  return [
    fact('Entity', [scopeOf(key)]),
    fact('Last used', [longest ?? 'Never', ...shorter]),
    { ...fact('Expires', expires), isUrgent: expiresSoon(key, nowMs) },
    fact('Created by', [key.createdBy.name]),
  ];
}

/** The facts that only some keys have: the note, and the addresses a key may be used from. */
export function extraFactsOf({ note, allowedIps }: Key): [label: string, value: string][] {
  return [
    ...(note ? [['Note', note] as [string, string]] : []),
    ...(allowedIps.length > 0 ? [['Allowed from', allowedIps.join(', ')] as [string, string]] : []),
  ];
}

function fact(label: string, values: readonly [string, ...string[]]): Fact {
  return { label, values, isUrgent: false };
}

function scopeOf({ entity }: Key): string {
  if (!entity) return 'none (removed)';
  return `${entity.code} ${entity.name}${entity.status === 'inactive' ? ' (inactive)' : ''}`;
}

/** An instant in the entity's zone and as a distance, both, and each alone. */
function timesOf(ms: number | null, key: Key, nowMs: number): readonly [string, ...string[]] {
  const absolute = timeAt(ms, key);
  if (ms === null) return [absolute];
  const relative = relativeTime(ms, nowMs);
  return [`${absolute} (${relative})`, absolute, relative];
}
