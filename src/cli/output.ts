import { formatLocal } from '../core/calendar.ts';
import { formatInstantMs, formatOptionalMs } from '../core/instants.ts';
import { statusOf } from '../core/keys.ts';
import type { Entity, Key, Tenant, User } from '../core/store.ts';
import type { Context } from './context.ts';

/** A key as `--json` shows it (contract, section 3). */
export function keyJson(key: Key, nowMs: number) {
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    status: statusOf(key, nowMs),
    entity: key.entity && { id: key.entity.id, code: key.entity.code, name: key.entity.name },
    permissions: key.permissions,
    created_by: { login: key.createdBy.login, name: key.createdBy.name },
    created_at: formatInstantMs(key.createdAtMs),
    expires_at: formatOptionalMs(key.expiresAtMs),
    last_used_at: formatOptionalMs(key.lastUsedAtMs),
    revoked_at: formatOptionalMs(key.revokedAtMs),
    revoked_by: key.revokedBy && { login: key.revokedBy.login, name: key.revokedBy.name },
    rotated_from: key.rotatedFrom,
    rotated_to: key.rotatedTo,
  };
}

/** An entity as `--json` shows it. */
export function entityJson({ id, code, name, timezone, status }: Entity) {
  return { id, code, name, timezone, status };
}

/** A user as `--json` shows it. */
export function userJson({ id, login, name, role, status }: User) {
  return { id, login, name, role, status };
}

/** An organization as `--json` shows it. */
export function tenantJson({ id, name, weekStart }: Tenant) {
  return { id, name, week_start: weekStart };
}

/** A time for people at a key's site, or `Never`. */
export function timeAt(ms: number | null, key: Pick<Key, 'entity'>): string {
  return ms === null ? 'Never' : formatLocal(ms, key.entity?.timezone ?? 'UTC');
}

/** Prints rows under headings, as wide as they are; where the terminal is narrower, each row as a block of lines. */
export async function printTable(
  context: Context,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
): Promise<void> {
  if (rows.length === 0) {
    context.print(empty);
    return;
  }
  const { style } = context;
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: headings.map((heading) => style.bold(heading)),
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': 2, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  const lines = table.toString().split('\n');
  const { default: widthOf } = await import('string-width');
  const width = Math.max(...lines.map((line) => widthOf(line.trimEnd())));
  if (width <= (context.io.stdout.columns() ?? Number.POSITIVE_INFINITY)) {
    context.print(...lines.map((line) => line.trimEnd()));
    return;
  }
  const labelWidth = Math.max(...headings.map((heading) => heading.length));
  const blocks = rows.map((row) =>
    row.map((cell, i) => `${style.bold((headings[i] ?? '').padEnd(labelWidth))}  ${cell}`.trimEnd()).join('\n'),
  );
  context.print(blocks.join('\n\n'));
}

const noBorders = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid']
    .concat(['mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
