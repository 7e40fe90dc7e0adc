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
  if (without.length > 0) return { sentence: `No ${key} matches ${wordList(without, 'or')}.`, hint };
  return {
    sentence: `No ${key} matches ${wordList(
      parts.map(({ flag }) => flag),
      'and',
    )} together.`,
    hint,
  };
}

function filterParts(given: GivenFilters, filter: KeyFilter): { flag: string; condition: Partial<KeyFilter> }[] {
  const { entityId, search, expiringByMs, unusedSinceMs, createdBeforeMs } = filter;
  const parts = [
    { flag: '--entity', value: given.entity, condition: { entityId } },
    { flag: '--search', value: search && JSON.stringify(search), condition: { search } },
    { flag: '--expiring-within', value: spanOf(given.expiringWithin), condition: { expiringByMs } },
    { flag: '--unused-for', value: spanOf(given.unusedFor), condition: { unusedSinceMs } },
    { flag: '--older-than', value: spanOf(given.olderThan), condition: { createdBeforeMs } },
  ];
  return parts.flatMap(({ flag, value, condition }) =>
    value === undefined ? [] : [{ flag: `${flag} ${value}`, condition }],
  );
}

function spanOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatSpanMs(ms);
}
