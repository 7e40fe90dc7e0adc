import type { Actor } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { expiresSoon } from '../../../../core/keys/attention.ts';
import { statusOf } from '../../../../core/keys/keys.ts';
import { type Refusals, refusalsOf } from '../../../../core/keys/usage.ts';
import type { Key, KeyFilter } from '../../../../core/port/keys.ts';
import type { Context } from '../../../command/context.ts';
import { relativeTimeWidth } from '../../../table/relative-time.ts';
import { createTimeText } from '../../../table/shown-time.ts';
import { type Column, createTable, printSummary } from '../../../table/table.ts';
import { counted, grouped } from '../../../terminal/sentence.ts';
import type { GivenFilters } from './no-match.ts';

/** Prints keys as a table while their pages are read, with a summary below; if there are none, says which filter had none. */
export async function printKeys(
  context: Context,
  domain: Domain,
  actor: Actor,
  pages: AsyncIterable<readonly Key[]>,
  { given, filter }: { given: GivenFilters; filter: KeyFilter },
): Promise<void> {
  const { nowMs } = filter;
  const isOnlyActive = filter.statuses?.length === 1 && filter.statuses[0] === 'Active';
  const refusals = new Map<string, Refusals>();
  const columnsFor = (page: readonly Key[]) => [
    ...(context.io.stdout.isTTY ? shownColumns(context, nowMs, isOnlyActive, page) : plainColumns(context, nowMs)),
    ...refusedColumn(context, refusals),
  ];
  let table: Awaited<ReturnType<typeof createTable<Key>>> | undefined;
  let listed = 0;
  let expiring = 0;
  let refused = 0;
  for await (const page of pages) {
    refusals.clear();
    for (const [id, found] of await refusalsOf(domain, page)) refusals.set(id, found);
    refused += refusals.size;
    if (page.length > 0) {
      table ??= await createTable(context, columnsFor(page));
      table.print(page);
    }
    listed += page.length;
    expiring += page.filter((key) => expiresSoon(key, nowMs)).length;
  }
  if (listed === 0) {
    const { noMatch } = await import('./no-match.ts');
    const { sentence, hint } = await noMatch(domain, actor, given, filter);
    context.print(sentence);
    if (hint !== undefined) context.say(hint);
    return;
  }
  const soon = expiring > 0 ? [`${grouped(expiring)} ${expiring === 1 ? 'expires' : 'expire'} within 14 days`] : [];
  const ofRefused = refused > 0 ? [`${grouped(refused)} being refused`] : [];
  await printSummary(context, [counted(listed, 'key'), ...soon, ...ofRefused], 'hkctl keys show PREFIX');
}

/** Marks keys of which something was refused today or yesterday; on a terminal only if the first page has one. */
function refusedColumn({ style, io }: Context, refusals: ReadonlyMap<string, Refusals>): Column<Key>[] {
  if (io.stdout.isTTY && refusals.size === 0) return [];
  const cell = ({ id }: Key) => {
    const found = refusals.get(id);
    return found === undefined ? '' : `${grouped(found.count)}: ${found.codes.join(', ')}`;
  };
  return [{ heading: 'REFUSED', cell, paint: style.yellow, min: 18 }];
}

/**
 * For people at a terminal: short, and the least important columns are left out first. Addresses have columns only if a key
 * of the first page has some.
 */
function shownColumns(context: Context, nowMs: number, isOnlyActive: boolean, page: readonly Key[]): Column<Key>[] {
  const { style, utc } = context;
  const timeText = createTimeText(context, nowMs);
  const width = utc ? 0 : relativeTimeWidth;
  const time = (ms: number | null, { entity }: Key) => timeText(ms, entity?.timezone ?? 'UTC');
  return [
    { heading: 'PREFIX', cell: ({ prefix }) => prefix, paint: style.cyan },
    { heading: 'NAME', cell: ({ name }) => name, min: 16, wanted: 28 },
    ...(isOnlyActive
      ? []
      : [
          {
            heading: 'STATUS',
            cell: (key: Key) => statusOf(key, nowMs),
            width: 'Revoked'.length,
            paint: (text: string, key: Key) => (statusOf(key, nowMs) === 'Active' ? text : style.red(text)),
          },
        ]),
    { heading: 'ENTITY', cell: ({ entity }) => entity?.code ?? 'removed', min: 8, leaveOut: 1 },
    {
      heading: 'LAST USED',
      cell: (key) => time(key.lastUsedAtMs, key),
      width,
      leaveOut: 2,
    },
    {
      heading: 'EXPIRES',
      cell: (key) => time(key.expiresAtMs, key),
      paint: (text, key) => (expiresSoon(key, nowMs) ? style.yellow(text) : text),
      width,
      // On a narrow terminal, a whole instant next to the status leaves no space for a name.
      ...(utc && !isOnlyActive && { leaveOut: 0 }),
    },
    { heading: 'PERMISSIONS', cell: ({ permissions }) => String(permissions.length), leaveOut: 3 },
    { heading: 'CREATED BY', cell: ({ createdBy }) => createdBy.login, min: 8, leaveOut: 4 },
    ...(page.some(({ allowedIps }) => allowedIps.length > 0)
      ? [{ heading: 'ALLOWED FROM', cell: allowedFrom, min: 12, leaveOut: 5, isSpare: true }]
      : []),
    ...(page.some(({ lastUsedIp }) => lastUsedIp !== null)
      ? [{ heading: 'USED FROM', cell: usedFrom, min: 9, leaveOut: 6, isSpare: true }]
      : []),
  ];
}

function allowedFrom({ allowedIps }: Key): string {
  if (allowedIps.length === 0) return 'anywhere';
  return allowedIps.length > 2 ? `${allowedIps.length} networks` : allowedIps.join(', ');
}

function usedFrom({ lastUsedIp }: Key): string {
  return lastUsedIp ?? '';
}

/** For programs that read no JSON: these columns stay as they are. */
function plainColumns(context: Context, nowMs: number): Column<Key>[] {
  const timeText = createTimeText(context, nowMs);
  const time = (ms: number | null, { entity }: Key) => timeText(ms, entity?.timezone ?? 'UTC');
  return [
    { heading: 'PREFIX', cell: ({ prefix }) => prefix, paint: context.style.cyan },
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'STATUS', cell: (key) => statusOf(key, nowMs) },
    { heading: 'ENTITY', cell: ({ entity }) => entity?.code ?? 'none (removed)' },
    { heading: 'LAST USED', cell: (key) => time(key.lastUsedAtMs, key) },
    { heading: 'EXPIRES', cell: (key) => time(key.expiresAtMs, key) },
    { heading: 'CREATED BY', cell: ({ createdBy }) => createdBy.login },
    {
      heading: 'PERMISSIONS',
      cell: ({ permissions }) =>
        permissions.length > 2 ? `${permissions.length} permissions` : permissions.join(', '),
    },
    { heading: 'ALLOWED FROM', cell: allowedFrom },
    { heading: 'USED FROM', cell: usedFrom },
  ];
}
