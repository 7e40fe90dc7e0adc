import type { Actor, Domain } from '../../../../core/access/actors.ts';
import type { KeyFilter } from '../../../../core/port/keys.ts';

/** The flags of `keys list` as they were given; spans in milliseconds. */
export interface GivenFilters {
  all: boolean;
  entity: string | undefined;
  status: string | undefined;
  expiringWithin: number | undefined;
  unusedFor: number | undefined;
  olderThan: number | undefined;
}

/** The sentence for a list without keys, and what to do next: names each filter that no key passes by itself. */
export async function noMatch(
  domain: Domain,
  actor: Actor,
  given: GivenFilters,
  filter: KeyFilter,
): Promise<{ sentence: string; hint?: string }> {
  const { nowMs, statuses = [] } = filter;
  const key = statuses.length === 1 ? `${statuses[0]?.toLowerCase()} key` : 'key';
  const isDefault = !given.all && given.status === undefined;
  const parts = filterParts(given, filter);
  if (parts.length === 0) {
    const more = given.all ? '' : 'Show inactive keys: hkctl keys list --all. ';
    return {
      sentence: statuses.length === 0 ? 'No keys.' : `No ${key}s.`,
      hint: `${more}Create key: hkctl keys create`,
    };
  }
  const without: string[] = [];
  for (const { flag, condition } of parts) {
    const count = await domain.store.keys.count(actor.user.tenantId, { nowMs, statuses, ...condition });
    if (count === 0) without.push(flag);
  }
  const hint = isDefault ? 'Inactive keys are listed with --all.' : undefined;
  if (without.length > 0) return { sentence: `No ${key} matches ${listed(without, 'or')}.`, hint };
  return {
    sentence: `No ${key} matches ${listed(
      parts.map(({ flag }) => flag),
      'and',
    )} together.`,
    hint,
  };
}

/** Each filter that was given, as it was given, with its condition alone. */
function filterParts(given: GivenFilters, filter: KeyFilter): { flag: string; condition: Partial<KeyFilter> }[] {
  const { entityId, search, expiringByMs, unusedSinceMs, createdBeforeMs } = filter;
  const parts = [
    { flag: '--entity', value: given.entity, condition: { entityId } },
    { flag: '--search', value: search && JSON.stringify(search), condition: { search } },
    { flag: '--expiring-within', value: spanText(given.expiringWithin), condition: { expiringByMs } },
    { flag: '--unused-for', value: spanText(given.unusedFor), condition: { unusedSinceMs } },
    { flag: '--older-than', value: spanText(given.olderThan), condition: { createdBeforeMs } },
  ];
  return parts.flatMap(({ flag, value, condition }) =>
    value === undefined ? [] : [{ flag: `${flag} ${value}`, condition }],
  );
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** A span as the flag takes it: `90d`. */
function spanText(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined;
  const [unit, size] = units.find(([, each]) => ms % each === 0) ?? ['s', 1000];
  return `${ms / size}${unit}`;
}

function listed(words: readonly string[], conjunction: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
