import { normalisePermissions } from '../access/permissions.ts';
import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import type { Key } from '../port/keys.ts';
import { inTheWay, keyOfPending, type RotationFiles } from './interrupted-rotation.ts';
import type { CreateKeyInput } from './issuance.ts';
import { statusOf } from './keys.ts';

type CreationFiles = Pick<RotationFiles, 'pendingPath' | 'pendingText'>;

/**
 * Finds the active key that an earlier run of the same command has created, by the secret that it left in the pending file: it was
 * killed, or never got the answer to its commit. Undefined if there is none. `state_forbids` (exit 5) for the secret of another
 * active key. Runs under the lock of the files, as `findInterrupted`.
 */
export async function findCreated(
  domain: Domain,
  actor: Actor,
  input: CreateKeyInput,
  { pendingPath, pendingText }: CreationFiles,
): Promise<Key | undefined> {
  if (pendingText === undefined) return undefined;
  const key = await keyOfPending(domain, actor, { pendingPath, pendingText });
  const nowMs = domain.clock();
  if (!key || statusOf(key, nowMs) !== 'Active') return undefined;
  if (isAsked(key, input, nowMs)) return key;
  throw inTheWay(`${pendingPath} holds the secret of another active key, ${key.name} (${key.prefix}).`);
}

/** How much later an expiry such as 90d may be for the same command: what it is counted from is the time of the command. */
const spanToleranceMs = 60_000;

function isAsked(key: Key, input: CreateKeyInput, nowMs: number): boolean {
  const fields = (one: Omit<CreateKeyInput, 'entity' | 'expiresAtMs'>) => [
    one.name,
    normalisePermissions(one.permissions),
    one.allowedIps ?? [],
    one.note ?? null,
  ];
  const spanMs = (expiresAtMs: number | null, fromMs: number) => (expiresAtMs ?? Number.NaN) - fromMs;
  const difference = spanMs(key.expiresAtMs, key.createdAtMs) - spanMs(input.expiresAtMs, nowMs);
  return (
    key.rotatedFrom === null &&
    key.entity?.id === input.entity.id &&
    JSON.stringify(fields(key)) === JSON.stringify(fields(input)) &&
    (key.expiresAtMs === input.expiresAtMs || Math.abs(difference) < spanToleranceMs)
  );
}
