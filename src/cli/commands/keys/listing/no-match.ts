import type { Actor } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import type { KeyFilter } from '../../../../core/port/keys.ts';
import { wordList } from '../../../../core/text/words.ts';
import { formatSpanMs } from '../../../../core/time/spans.ts';

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
    const isOthers = statuses.length > 0 && (await domain.store.keys.count(actor.user.tenantId, { nowMs })) > 0;
    const more = isOthers ? 'Show inactive keys: hkctl keys list --all. ' : '';
    return { sentence: `No ${key}s.`, hint: `${more}Create key: hkctl keys create` };
  }
  const without: string[] = [];
  for (const [flag, condition] of parts) {
    const count = await domain.store.keys.count(actor.user.tenantId, { nowMs, statuses, ...condition });
    if (count === 0) without.push(flag);
  }
  const all = parts.map(([flag]) => flag);
  const which = without.length > 0 ? wordList(without, 'or') : `${wordList(all, 'and')} together`;
  return {
    sentence: `No ${key} matches ${which}.`,
    hint: isDefault ? 'Inactive keys are listed with --all.' : undefined,
  };
}

/** The filters that were given: each as people type it, and as a condition by itself. */
function filterParts(given: GivenFilters, filter: KeyFilter): [flag: string, condition: Partial<KeyFilter>][] {
  const { entityId, search, expiringByMs, unusedSinceMs, createdBeforeMs } = filter;
  const spanOf = (ms: number | undefined) => (ms === undefined ? undefined : formatSpanMs(ms));
  const parts: [flag: string, value: string | undefined, condition: Partial<KeyFilter>][] = [
    ['--entity', given.entity, { entityId }],
    ['--search', search && JSON.stringify(search), { search }],
    ['--expiring-within', spanOf(given.expiringWithin), { expiringByMs }],
    ['--unused-for', spanOf(given.unusedFor), { unusedSinceMs }],
    ['--older-than', spanOf(given.olderThan), { createdBeforeMs }],
  ];
  return parts.flatMap(([flag, value, condition]) => (value === undefined ? [] : [[`${flag} ${value}`, condition]]));
}
