import { activeRefusalOf } from '../../core/keys/authentication.ts';
import { statusOf } from '../../core/keys/keys.ts';
import type { DayUsage } from '../../core/keys/usage.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Key } from '../../core/port/keys.ts';
import type { Tenant } from '../../core/port/tenants.ts';
import type { User } from '../../core/port/users.ts';
import { toSafeJson } from '../../core/text/shown-text.ts';
import { dateOf } from '../../core/time/calendar.ts';
import { formatInstantMs, formatOptionalMs } from '../../core/time/instants.ts';
import { shownZone } from '../../core/time/zones.ts';
import { wrapLabelled } from '../terminal/wrap.ts';
import type { Context } from './context.ts';
import { withInner } from './json-fields.ts';

/** A key as `--json` shows it (promise 3.2). */
export function keyJson(key: Key, nowMs: number) {
  return {
    id: key.id,
    prefix: key.prefix,
    name: key.name,
    status: statusOf(key, nowMs),
    refused: activeRefusalOf(key, nowMs) ?? null,
    entity: key.entity && {
      id: key.entity.id,
      code: key.entity.code,
      name: key.entity.name,
    },
    permissions: key.permissions,
    created_by: {
      login: key.createdBy.login,
      name: key.createdBy.name,
    },
    created_at: formatInstantMs(key.createdAtMs),
    expires_at: formatOptionalMs(key.expiresAtMs),
    last_used_at: formatOptionalMs(key.lastUsedAtMs),
    revoked_at: formatOptionalMs(key.revokedAtMs),
    revoked_by: key.revokedBy && {
      login: key.revokedBy.login,
      name: key.revokedBy.name,
    },
    rotated_from: key.rotatedFrom,
    rotated_to: key.rotatedTo,
    allowed_ips: key.allowedIps,
    note: key.note,
    last_used_ip: key.lastUsedIp,
  };
}

/** The fields of {@link keyJson}. */
export const keyFields = [
  'id',
  'prefix',
  'name',
  'status',
  'refused',
  ...withInner('entity', ['id', 'code', 'name']),
  'permissions',
  ...withInner('created_by', ['login', 'name']),
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
  ...withInner('revoked_by', ['login', 'name']),
  'rotated_from',
  'rotated_to',
  'allowed_ips',
  'note',
  'last_used_ip',
];

/** The usage of a key on a day as `--json` shows it (promise 3.2). */
export function usageJson({ day, requests, refused, readings, lastRejected }: DayUsage) {
  return {
    date: dateOf(day),
    requests,
    refused,
    readings,
    last_rejected: lastRejected && {
      at: formatInstantMs(lastRejected.atMs),
      code: lastRejected.code,
      sensor: lastRejected.sensor,
    },
  };
}

export const entityFields = ['id', 'code', 'name', 'timezone', 'status', 'keys'] as const;

/** `keys` is the number of active keys. */
export function entityJson({ id, code, name, timezone, status }: Entity, keys: number) {
  return {
    id,
    code,
    name,
    timezone: shownZone(timezone),
    status,
    keys,
  };
}

export const userFields = ['id', 'login', 'name', 'role', 'status', 'entities'] as const;

/** `entities` are the codes to which a user is confined, of the entities given; other users have none. */
export function userJson(user: User, entities: readonly Entity[]) {
  const { id, login, name, role, status } = user;
  const entityCodes = confinementOf(user, entities);
  return {
    id,
    login,
    name,
    role,
    status,
    ...(entityCodes && { entities: entityCodes }),
  };
}

/** The codes of the entities to which a user is confined; null for all entities. A removed entity has no code any more. */
export function confinementOf({ entityIds }: User, entities: readonly Entity[]): string[] | null {
  if (entityIds === null) return null;

  const ownEntities = entities.filter(({ id }) => entityIds.includes(id));
  return ownEntities.map(({ code }) => code);
}

export const tenantFields = [
  'id',
  'name',
  'week_start',
  'retain_readings_days',
  'longest_lifetime_days',
] as const;

export function tenantJson(tenant: Tenant) {
  const { id, name, weekStart, retainReadingsDays, longestLifetimeDays } = tenant;
  return {
    id,
    name,
    week_start: weekStart,
    retain_readings_days: retainReadingsDays,
    longest_lifetime_days: longestLifetimeDays,
  };
}

/** Prints a sentence that was asked for, broken between words on a terminal. */
export function printSentence({ io, print }: Context, sentence: string): void {
  print(...wrapLabelled('', sentence, io.stdout.columns()));
}

/** Prints a JSON array piece by piece, one value a line, so that memory stays bounded. */
export async function printJsonArray<T>(
  context: Context,
  pieces: AsyncIterable<readonly T[]>,
  toJson: (value: T) => unknown,
): Promise<void> {
  let rowCount = 0;
  for await (const piece of pieces) {
    const rowLines = piece.map((row) => {
      const shownFields = context.chosen(toJson(row));
      return toSafeJson(shownFields);
    });
    if (rowLines.length === 0) continue;

    const separator = rowCount === 0 ? '[' : ',\n';
    context.io.stdout.write(separator + rowLines.join(',\n'));
    rowCount += rowLines.length;
  }
  context.io.stdout.write(rowCount === 0 ? '[]\n' : ']\n');
}
