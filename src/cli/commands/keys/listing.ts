import type { Actor } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import { expiresSoon, statusOf } from '../../../core/keys/keys.ts';
import { type Refusals, refusalsOf } from '../../../core/keys/usage.ts';
import type { Key, KeyFilter } from '../../../core/port/keys.ts';
import { counted, grouped, wordList } from '../../../core/text/words.ts';
import type { Context } from '../../command/context.ts';
import type { Printer } from '../../command/printer.ts';
import { createTimeText, relativeTimeWidth } from '../../table/shown-time.ts';
import { type Column, createListing, type Listing, printSummary } from '../../table/table.ts';
import { refusedText } from './refused.ts';

/** A condition of a list, as people type it and by itself. */
export interface KeyCondition {
  flag: string;
  condition: Partial<KeyFilter>;
}

/** Prints keys as a table while their pages are read, with a summary below; if there are none, says which filter had none. */
export async function printKeys(
  context: Context,
  domain: Domain,
  actor: Actor,
  pages: AsyncIterable<readonly Key[]>,
  {
    filter,
    conditions,
    chosen,
  }: {
    filter: KeyFilter;
    conditions: readonly KeyCondition[];
    chosen: readonly string[];
  },
): Promise<void> {
  const { nowMs } = filter;
  const isOnlyActive = filter.statuses?.length === 1 && filter.statuses[0] === 'Active';
  const refusals = new Map<string, Refusals>();
  const { isTTY } = context.io.stdout;
  const createKeyListing = (page: readonly Key[]) => {
    const isWhole = !isTTY || chosen.length > 0;
    const columns = [
      ...keyColumns(context, nowMs, { page, isOnlyActive, isWhole }),
      ...(isWhole || refusals.size > 0 ? [refusedColumn(context, refusals)] : []),
    ];
    return createListing(context, columns, chosen);
  };
  let listing: Listing<Key> | undefined;
  let listed = 0;
  let expiring = 0;
  let refused = 0;
  for await (const page of pages) {
    refusals.clear();
    for (const [id, refusal] of await refusalsOf(domain, page)) refusals.set(id, refusal);
    refused += refusals.size;
    listing ??= createKeyListing(page);
    if (page.length > 0) listing.print(page);
    listed += page.length;
    expiring += page.filter((key) => expiresSoon(key, nowMs)).length;
  }
  if (listed === 0) {
    const { sentence, hint } = await noMatch(domain, actor, filter, conditions);
    listing?.printEmpty(sentence);
    if (hint !== undefined) context.say(hint);
    return;
  }
  const soon =
    expiring > 0
      ? [`${grouped(expiring)} ${expiring === 1 ? 'expires' : 'expire'} within 14 days`]
      : [];
  const ofRefused = refused > 0 ? [`${grouped(refused)} being refused`] : [];
  await printSummary(
    context,
    [counted(listed, 'key'), ...soon, ...ofRefused],
    'hkctl keys show PREFIX',
  );
}

/** Marks keys of which something was refused today or yesterday; on a terminal only if the first page has one. */
function refusedColumn({ style }: Printer, refusals: ReadonlyMap<string, Refusals>): Column<Key> {
  const cell = ({ id }: Key) => {
    const refusal = refusals.get(id);
    return refusal === undefined ? '' : `${grouped(refusal.count)}: ${refusal.codes.join(', ')}`;
  };
  return { heading: 'REFUSED', cell, paint: style.yellow, min: 18 };
}

/** At a terminal the least important columns are left out first; for programs all columns are there and stay as they are. */
function keyColumns(
  context: Context,
  nowMs: number,
  {
    page,
    isOnlyActive,
    isWhole,
  }: { page: readonly Key[]; isOnlyActive: boolean; isWhole: boolean },
): Column<Key>[] {
  const { style, utc } = context;
  const { isTTY } = context.io.stdout;
  const timeText = createTimeText(context, nowMs);
  const width = isTTY && !utc ? relativeTimeWidth : 0;
  const time = (ms: number | null, { entity }: Key) => timeText(ms, entity?.timezone ?? 'UTC');
  const permissionsOf = ({ permissions }: Key) =>
    isTTY
      ? String(permissions.length)
      : permissions.length > 2
        ? `${permissions.length} permissions`
        : permissions.join(', ');
  const status: Column<Key> = {
    heading: 'STATUS',
    cell: (key) => statusOf(key, nowMs),
    width: isTTY ? 'Revoked'.length : 0,
    paint: (text, key) => (statusOf(key, nowMs) === 'Active' ? text : style.red(text)),
  };
  const access: Column<Key> = {
    heading: 'ACCESS',
    cell: (key) => refusedText(key, nowMs),
    paint: style.red,
  };
  const isRefused = (key: Key) => refusedText(key, nowMs) !== '';
  const permissions: Column<Key> = { heading: 'PERMISSIONS', cell: permissionsOf, leaveOut: 3 };
  const createdBy: Column<Key> = {
    heading: 'CREATED BY',
    cell: ({ createdBy }) => createdBy.login,
    min: 8,
    leaveOut: 4,
  };
  const isShown = (has: (key: Key) => boolean) => isWhole || page.some(has);
  return [
    { heading: 'PREFIX', cell: ({ prefix }) => prefix, paint: style.cyan },
    { heading: 'NAME', cell: ({ name }) => name, min: 16, wanted: 28 },
    ...(isOnlyActive && !isWhole ? [] : [status]),
    ...(isTTY && isShown(isRefused) ? [access] : []),
    {
      heading: 'ENTITY',
      cell: ({ entity }) => entity?.code ?? (isTTY ? 'removed' : 'none (removed)'),
      min: 8,
      leaveOut: 1,
    },
    { heading: 'LAST USED', cell: (key) => time(key.lastUsedAtMs, key), width, leaveOut: 2 },
    {
      heading: 'EXPIRES',
      cell: (key) => time(key.expiresAtMs, key),
      paint: (text, key) => (expiresSoon(key, nowMs) ? style.yellow(text) : text),
      width,
      // On a narrow terminal, a whole instant next to the status leaves no space for a name.
      ...(utc && !isOnlyActive && { leaveOut: 0 }),
    },
    ...(isTTY ? [permissions, createdBy] : [createdBy, permissions]),
    ...(isShown(({ allowedIps }) => allowedIps.length > 0)
      ? [{ heading: 'ALLOWED FROM', cell: allowedFrom, min: 12, leaveOut: 5, isSpare: true }]
      : []),
    ...(isShown(({ lastUsedIp }) => lastUsedIp !== null)
      ? [
          {
            heading: 'USED FROM',
            cell: ({ lastUsedIp }: Key) => lastUsedIp ?? '',
            min: 9,
            leaveOut: 6,
            isSpare: true,
          },
        ]
      : []),
    // Programs find the older columns where they were.
    ...(isTTY ? [] : [access]),
  ];
}

function allowedFrom({ allowedIps }: Key): string {
  if (allowedIps.length === 0) return 'anywhere';
  return allowedIps.length > 2 ? `${allowedIps.length} networks` : allowedIps.join(', ');
}

/** The sentence for a list without keys, and what to do next: names each filter that no key passes by itself. */
async function noMatch(
  { store }: Domain,
  { user }: Actor,
  { nowMs, statuses = [] }: KeyFilter,
  conditions: readonly KeyCondition[],
): Promise<{ sentence: string; hint?: string }> {
  const key = statuses.length === 1 ? `${statuses[0]?.toLowerCase()} key` : 'key';
  if (conditions.length === 0) {
    const isOthers = statuses.length > 0 && (await store.keys.count(user.tenantId, { nowMs })) > 0;
    const more = isOthers ? 'Show inactive keys: hkctl keys list --all. ' : '';
    return { sentence: `No ${key}s.`, hint: `${more}Create key: hkctl keys create` };
  }
  const without: string[] = [];
  for (const { flag, condition } of conditions) {
    if ((await store.keys.count(user.tenantId, { nowMs, statuses, ...condition })) === 0)
      without.push(flag);
  }
  const all = conditions.map(({ flag }) => flag);
  const which = without.length > 0 ? wordList(without, 'or') : `${wordList(all, 'and')} together`;
  const isActive = statuses.length === 1 && statuses[0] === 'Active';
  return {
    sentence: `No ${key} matches ${which}.`,
    hint: isActive ? 'Inactive keys are listed with --all.' : undefined,
  };
}
