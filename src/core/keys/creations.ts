import { normalisePermissions } from '../access/permissions.ts';
import type { Key } from '../port/keys.ts';
import { canonicalText } from '../text/canonical.ts';
import type { CreateKeyInput } from './issuance.ts';

/** How much later an expiry such as 90d may be for the same command: what it is counted from is the time of the command. */
const spanToleranceMs = 60_000;

/** Whether the same command has created a key before. */
export function isCreationOf(input: CreateKeyInput, key: Key, nowMs: number): boolean {
  const fields = (one: Omit<CreateKeyInput, 'entity' | 'expiresAtMs'>) => [
    canonicalText(one.name),
    normalisePermissions(one.permissions),
    one.allowedIps ?? [],
    one.note ?? null,
  ];
  const spanMs = (expiresAtMs: number | null, fromMs: number) =>
    (expiresAtMs ?? Number.NaN) - fromMs;
  const difference = spanMs(key.expiresAtMs, key.createdAtMs) - spanMs(input.expiresAtMs, nowMs);
  return (
    key.rotatedFrom === null &&
    key.entity?.id === input.entity.id &&
    JSON.stringify(fields(key)) === JSON.stringify(fields(input)) &&
    (key.expiresAtMs === input.expiresAtMs || Math.abs(difference) < spanToleranceMs)
  );
}
