import { normalisePermissions } from '../access/permissions.ts';
import type { Key } from '../port/keys.ts';
import { canonicalText } from '../text/canonical.ts';
import type { CreateKeyInput } from './issuance.ts';

/** How much later an expiry such as 90d may be for the same command: it is counted from the time of the command. */
const spanToleranceMs = 60_000;

/** Whether the same command has created a key before. */
export function isCreationOf(input: CreateKeyInput, key: Key, nowMs: number): boolean {
  return (
    key.rotatedFrom === null &&
    key.entity?.id === input.entity.id &&
    comparableFields(key) === comparableFields(input) &&
    isSameExpiry(input, key, nowMs)
  );
}

function comparableFields(command: Omit<CreateKeyInput, 'entity' | 'expiresAtMs'>): string {
  return JSON.stringify([
    canonicalText(command.name),
    normalisePermissions(command.permissions),
    command.allowedIps ?? [],
    command.note ?? null,
  ]);
}

function isSameExpiry(input: CreateKeyInput, key: Key, nowMs: number): boolean {
  if (key.expiresAtMs === input.expiresAtMs) return true;
  if (key.expiresAtMs === null || input.expiresAtMs === null) {
    return false;
  }

  const keySpanMs = key.expiresAtMs - key.createdAtMs;
  const inputSpanMs = input.expiresAtMs - nowMs;
  return Math.abs(keySpanMs - inputSpanMs) < spanToleranceMs;
}
