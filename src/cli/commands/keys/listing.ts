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
import { refusedText } from './shown-keys.ts';

/** A condition of a list, and its flag as people type it. */
export interface KeyCondition {
  flag: string;
  condition: Partial<KeyFilter>;
}

/** Prints keys as a table while their pages are read, with a summary below; an empty list names the filter without keys. */
export async function printKeys(
  context: Context,
  domain: Domain,
  actor: Actor,
  pages: AsyncIterable<readonly Key[]>,
  {
    filter,
    conditions,
    chosen,
    limit,
  }: {
    filter: KeyFilter;
    conditions: readonly KeyCondition[];
    chosen: readonly string[];
    limit: number | undefined;
  },
): Promise<void> {
  const { nowMs } = filter;
  const isOnlyActive = filter.statuses?.length === 1 && filter.statuses[0] === 'Active';
  const refusals = new Map<string, Refusals>();
  const { isTTY } = context.io.stdout;
  const createKeyListing = (page: readonly Key[]) => {
    const isWhole = !isTTY || chosen.length > 0;
    const columns = keyColumns(context, nowMs, { page, isOnlyActive, isWhole });
    if (isWhole || refusals.size > 0) columns.push(refusedColumn(context, refusals));
    return createListing(context, columns, chosen);
  };

  let listing: Listing<Key> | undefined;
  let listedCount = 0;
  let expiringCount = 0;
  let refusedCount = 0;
  for await (const page of pages) {
    refusals.clear();
    for (const [id, refusal] of await refusalsOf(domain, page)) refusals.set(id, refusal);
    refusedCount += refusals.size;

    listing ??= createKeyListing(page);
    if (page.length > 0) listing.print(page);
    listedCount += page.length;
    expiringCount += page.filter((key) => expiresSoon(key, nowMs)).length;
  }

  if (listedCount === 0) {
    const { sentence, hint } = await noMatch(domain, actor, filter, conditions);
    listing?.printEmpty(sentence);
    if (hint !== undefined) context.say(hint);
    return;
  }
  const listed = counted(listedCount, 'key');
  const summary = [listedCount === limit ? `the first ${listed}` : listed];
  const verb = expiringCount === 1 ? 'expires' : 'expire';
  if (expiringCount > 0) summary.push(`${grouped(expiringCount)} ${verb} within 14 days`);
  if (refusedCount > 0) summary.push(`${grouped(refusedCount)} being refused`);
  await printSummary(context, summary, 'hkctl keys show PREFIX');
}

/** Marks keys with requests or readings that were refused today or yesterday; on a terminal only if the first page has one. */
function refusedColumn({ style }: Printer, refusals: ReadonlyMap<string, Refusals>): Column<Key> {
  const cell = ({ id }: Key) => {
    const refusal = refusals.get(id);
    if (refusal === undefined) return '';
    return `${grouped(refusal.count)}: ${refusal.codes.join(', ')}`;
  };
  return { heading: 'REFUSED', cell, paint: style.yellow, min: 18 };
}

interface ListContent {
  /** The first page of the list. */
  page: readonly Key[];
  isOnlyActive: boolean;
  /** Whether all columns are there, also those without a value on the page. */
  isWhole: boolean;
}

/** A terminal leaves the least important columns out first; programs get all columns, and these stay as they are. */
function keyColumns(context: Context, nowMs: number, content: ListContent): Column<Key>[] {
  const { page, isOnlyActive, isWhole } = content;
  const { style, utc } = context;
  const { isTTY } = context.io.stdout;
  const timeText = createTimeText(context, nowMs);
  const width = isTTY && !utc ? relativeTimeWidth : 0;
  const permissionsText = ({ permissions }: Key) => {
    if (isTTY) return String(permissions.length);
    if (permissions.length > 2) return `${permissions.length} permissions`;
    return permissions.join(', ');
  };

  const statusColumn: Column<Key> = {
    heading: 'STATUS',
    cell: (key) => statusOf(key, nowMs),
    width: isTTY ? 'Revoked'.length : 0,
    paint: (text, key) => (statusOf(key, nowMs) === 'Active' ? text : style.red(text)),
  };
  const accessColumn: Column<Key> = {
    heading: 'ACCESS',
    cell: (key) => refusedText(key, nowMs),
    paint: style.red,
  };
  const permissionsColumn: Column<Key> = {
    heading: 'PERMISSIONS',
    cell: permissionsText,
    leaveOut: 3,
  };
  const creatorColumn: Column<Key> = {
    heading: 'CREATED BY',
    cell: ({ createdBy }) => createdBy.login,
    min: 8,
    leaveOut: 4,
  };

  const isShown = (hasValue: (key: Key) => boolean) => isWhole || page.some(hasValue);
  const isAccessShown = isTTY && isShown((key) => refusedText(key, nowMs) !== '');
  const addressColumns: Column<Key>[] = [];
  if (isShown(({ allowedIps }) => allowedIps.length > 0))
    addressColumns.push({
      heading: 'ALLOWED FROM',
      cell: allowedFrom,
      min: 12,
      leaveOut: 5,
      isSpare: true,
    });
  if (isShown(({ lastUsedIp }) => lastUsedIp !== null))
    addressColumns.push({
      heading: 'USED FROM',
      cell: ({ lastUsedIp }) => lastUsedIp ?? '',
      min: 9,
      leaveOut: 6,
      isSpare: true,
    });

  return [
    { heading: 'PREFIX', cell: ({ prefix }) => prefix, paint: style.cyan },
    { heading: 'NAME', cell: ({ name }) => name, min: 16, wanted: 28 },
    ...(isOnlyActive && !isWhole ? [] : [statusColumn]),
    ...(isAccessShown ? [accessColumn] : []),
    {
      heading: 'ENTITY',
      cell: ({ entity }) => entity?.code ?? (isTTY ? 'removed' : 'none (removed)'),
      min: 8,
      leaveOut: 1,
    },
    { heading: 'LAST USED', cell: (key) => timeText(key.lastUsedAtMs), width, leaveOut: 2 },
    {
      heading: 'EXPIRES',
      cell: (key) => timeText(key.expiresAtMs),
      paint: (text, key) => (expiresSoon(key, nowMs) ? style.yellow(text) : text),
      width,
      // A whole instant next to the status leaves no space for a name on a narrow terminal.
      ...(utc && !isOnlyActive && { leaveOut: 0 }),
    },
    ...(isTTY ? [permissionsColumn, creatorColumn] : [creatorColumn, permissionsColumn]),
    ...addressColumns,
    // Programs find the older columns where they were.
    ...(isTTY ? [] : [accessColumn]),
  ];
}

function allowedFrom({ allowedIps }: Key): string {
  if (allowedIps.length === 0) return 'anywhere';
  return allowedIps.length > 2 ? `${allowedIps.length} networks` : allowedIps.join(', ');
}

/** The sentence for a list without keys, which names each filter that no key passes by itself, and a hint. */
async function noMatch(
  { store }: Domain,
  { user }: Actor,
  { nowMs, statuses = [] }: KeyFilter,
  conditions: readonly KeyCondition[],
): Promise<{ sentence: string; hint?: string }> {
  const { tenantId } = user;
  const keyNoun = statuses.length === 1 ? `${statuses[0]?.toLowerCase()} key` : 'key';
  if (conditions.length === 0) {
    let allHint = '';
    if (statuses.length > 0) {
      const countOfAll = await store.keys.count(tenantId, { nowMs });
      if (countOfAll > 0) allHint = 'Show inactive keys: hkctl keys list --all. ';
    }
    return { sentence: `No ${keyNoun}s.`, hint: `${allHint}Create key: hkctl keys create` };
  }

  const unmatchedFlags: string[] = [];
  for (const { flag, condition } of conditions) {
    const matchCount = await store.keys.count(tenantId, { nowMs, statuses, ...condition });
    if (matchCount === 0) unmatchedFlags.push(flag);
  }
  const allFlags = conditions.map(({ flag }) => flag);
  const filterText =
    unmatchedFlags.length > 0
      ? wordList(unmatchedFlags, 'or')
      : `${wordList(allFlags, 'and')} together`;
  const isActive = statuses.length === 1 && statuses[0] === 'Active';
  return {
    sentence: `No ${keyNoun} matches ${filterText}.`,
    hint: isActive ? 'Inactive keys are listed with --all.' : undefined,
  };
}
