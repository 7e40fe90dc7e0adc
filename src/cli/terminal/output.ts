import { statusOf } from '../../core/keys/keys.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Key } from '../../core/port/keys.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import { formatLocal } from '../../core/time/calendar.ts';
import { formatInstantMs, formatOptionalMs } from '../../core/time/instants.ts';
import type { Context } from '../context.ts';

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
export function tenantJson({ id, name, weekStart, retainReadingsDays }: Tenant) {
  return { id, name, week_start: weekStart, retain_readings_days: retainReadingsDays };
}

/** A time in the time zone of a key's entity, or `Never`. */
export function timeAt(ms: number | null, key: Pick<Key, 'entity'>): string {
  return ms === null ? 'Never' : formatLocal(ms, key.entity?.timezone ?? 'UTC');
}

/** Prints a table with headings; where it is wider than the terminal, each row becomes a block of lines. */
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
  const { padded, widthOf } = await import('./wrap.ts');
  const widths = headings.map((heading, i) => Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[i] ?? ''))));
  const gap = 2;
  const width = widths.reduce((sum, one) => sum + one + gap, -gap);
  if (width <= (context.io.stdout.columns() ?? Number.POSITIVE_INFINITY)) {
    const line = (cells: readonly string[]) =>
      cells
        .map((cell, i) => padded(cell, (widths[i] ?? 0) + gap))
        .join('')
        .trimEnd();
    context.print(line(headings.map((heading) => style.bold(heading))), ...rows.map(line));
    return;
  }
  const labelWidth = Math.max(...headings.map((heading) => heading.length));
  const blocks = rows.map((row) =>
    row.map((cell, i) => `${style.bold((headings[i] ?? '').padEnd(labelWidth))}  ${cell}`.trimEnd()),
  );
  context.print(...blocks.flatMap((lines, i) => (i === 0 ? lines : ['', ...lines])));
}

/** Prints a JSON array piece by piece, one value a line, so that memory stays bounded. */
export async function printJsonArray(context: Context, pieces: AsyncIterable<readonly unknown[]>): Promise<void> {
  let count = 0;
  for await (const piece of pieces) {
    const lines = piece.map((value) => toSafeJson(value)).join(',\n');
    if (piece.length > 0) context.io.stdout.write(`${count === 0 ? '[' : ',\n'}${lines}`);
    count += piece.length;
  }
  context.io.stdout.write(count === 0 ? '[]\n' : ']\n');
}
