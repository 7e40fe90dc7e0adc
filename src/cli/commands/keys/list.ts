import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { listKeys } from '../../../core/keys/keys.ts';
import { requireEntity } from '../../../core/organization/entities.ts';
import type { Key, KeyFilter } from '../../../core/port/keys.ts';
import { shellWord } from '../../../core/text/quoting.ts';
import { formatSpanMs, parseClearSpanMs } from '../../../core/time/spans.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import {
  type FlagValues,
  limitFlag,
  parsed,
  requireOneOf,
  textFlag,
  toggle,
} from '../../command/flags.ts';
import { keyFields, keyJson, printJsonArray } from '../../command/output.ts';
import type { StoreSession } from '../../command/store-access.ts';
import { columnsFlag } from '../../table/table.ts';
import { type KeyCondition, printKeys } from './listing.ts';

const statuses = ['active', 'expired', 'revoked'] as const;

export const listFlags = {
  all: toggle('--all, --show-inactive', 'show inactive keys, too'),
  entity: textFlag('--entity <CODE>', 'only keys of this entity'),
  status: parsed(
    '--status <STATUS>',
    `only keys in this state: ${statuses.join(', ')}`,
    parseStatus,
  ),
  search: textFlag(
    '--search <TEXT>',
    'only keys with this in their name, note, prefix, entity code or entity name',
  ),
  expiringWithin: spanFlag(
    '--expiring-within',
    'only keys that expire within this time, such as 14d',
  ),
  unusedFor: spanFlag('--unused-for', 'only keys that were not used for this time, such as 90d'),
  olderThan: spanFlag(
    '--older-than',
    'only keys that were created longer ago than this, such as 90d',
  ),
  limit: limitFlag(),
  columns: columnsFlag,
};

function parseStatus(typedStatus: string) {
  const status = statuses.find((name) => name === typedStatus.toLowerCase());
  return requireOneOf(status ?? typedStatus, statuses);
}

function spanFlag(flagName: string, description: string) {
  return parsed(`${flagName} <SPAN>`, description, parseClearSpanMs);
}

export const keysListCommand = defineCommand({
  summary: 'List keys, newest first',
  description:
    'Without --all only active keys are listed; with --expiring-within those that expire soonest come first.',
  readOnly: true,
  excessGuidance: (word) => `hkctl keys list --search ${shellWord(word)} searches.`,
  fields: keyFields,
  flags: listFlags,
  examples: [
    ['hkctl keys list', 'active keys'],
    ['hkctl keys list --all --json', 'every key, for a program'],
    ['hkctl keys list --json name,prefix,expires_at', 'three fields of each'],
    ['hkctl keys list --columns name,expires', 'two columns'],
    ['hkctl keys list --expiring-within 14d', 'what must be replaced soon'],
    ['hkctl keys list --limit 20', 'the newest twenty'],
    ['hkctl keys list --search gateway', 'by a part of the name'],
    ['hkctl keys list --unused-for 90d --entity BER', 'unused keys'],
  ],
  needs: () => ['key.list', 'keys'],
  run: (context, flags, _args, session) => listAll(context, session, flags),
});

export async function listAll(
  context: Context,
  { domain, actor }: StoreSession,
  flags: FlagValues<typeof listFlags>,
): Promise<void> {
  const { filter, conditions } = await filterOf(domain, actor, flags);
  const pages = pagesOf(domain, actor, filter, flags.limit);
  if (context.json) await printJsonArray(context, pages, (key) => keyJson(key, filter.nowMs));
  else {
    const { columns: chosen, limit } = flags;
    await printKeys(context, domain, actor, pages, { filter, conditions, chosen, limit });
  }
}

/** Page by page, so that a million keys take no more memory than five hundred; a limited list reads only what it shows. */
async function* pagesOf(
  domain: Domain,
  actor: Actor,
  filter: KeyFilter,
  mostKeys = Number.POSITIVE_INFINITY,
): AsyncGenerator<Key[]> {
  let after: Key | undefined;
  for (let remaining = mostKeys; remaining > 0; ) {
    const limit = Math.min(pageSize, remaining);
    const page = await listKeys(domain, actor, filter, { limit, after });
    yield page;
    if (page.length < limit) return;
    after = page.at(-1);
    remaining -= page.length;
  }
}

/** The filter of a list, and its conditions except the state, each with the flag as people type it. */
export async function filterOf(
  domain: Domain,
  actor: Actor,
  {
    status,
    all,
    entity,
    search,
    expiringWithin,
    unusedFor,
    olderThan,
  }: FlagValues<typeof listFlags>,
): Promise<{ filter: KeyFilter; conditions: KeyCondition[] }> {
  const nowMs = domain.clock();
  const filter: KeyFilter = { nowMs, statuses: statusesOf(status, all) };
  const conditions: KeyCondition[] = [];
  const addCondition = (flag: string, condition: Partial<KeyFilter>) => {
    Object.assign(filter, condition);
    conditions.push({ flag, condition });
  };

  if (entity !== undefined) {
    const { id } = await requireEntity(domain, actor, entity);
    addCondition(`--entity ${entity}`, { entityId: id });
  }
  if (search) addCondition(`--search ${JSON.stringify(search)}`, { search });
  if (expiringWithin !== undefined)
    addCondition(`--expiring-within ${formatSpanMs(expiringWithin)}`, {
      expiringByMs: nowMs + expiringWithin,
    });
  if (unusedFor !== undefined)
    addCondition(`--unused-for ${formatSpanMs(unusedFor)}`, { unusedSinceMs: nowMs - unusedFor });
  if (olderThan !== undefined)
    addCondition(`--older-than ${formatSpanMs(olderThan)}`, { createdBeforeMs: nowMs - olderThan });
  return { filter, conditions };
}

const pageSize = 500;
const statusNames = { active: 'Active', expired: 'Expired', revoked: 'Revoked' } as const;

/** The states of the listed keys; empty for every state. */
function statusesOf(status: keyof typeof statusNames | undefined, showsAll: boolean) {
  if (status) return [statusNames[status]];
  return showsAll ? [] : ['Active' as const];
}
