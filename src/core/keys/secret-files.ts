import { normalisePermissions } from '../access/permissions.ts';
import type { Actor } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Key } from '../port/keys.ts';
import type { FileLock } from '../port/store.ts';
import { hashOf, isCompleteSecret } from '../secrets.ts';
import { canonicalText } from '../text/canonical.ts';
import type { CreateKeyInput } from './issuance.ts';
import { statusOf } from './keys.ts';
import { chainOf } from './references.ts';

/** What a file of a secret and the one next to it hold, without blanks at the ends; a text is undefined if the file is missing. */
export interface SecretFiles {
  path: string;
  text: string | undefined;
  /** The file that holds the next secret until its key is committed and it gets the name of the other. */
  pendingPath: string;
  pendingText: string | undefined;
}

/** How long to wait for another command; one that rotates takes milliseconds once its question is answered. */
const mostWaitMs = 15_000;

/** Takes the lock under which files of secrets are written. `store_locked` (exit 6) if another command keeps it too long. */
export async function takeFileLock({ store }: Pick<Domain, 'store'>): Promise<FileLock> {
  for (const endMs = performance.now() + mostWaitMs; ; ) {
    const lock = await store.lockFiles();
    if (lock) return lock;
    if (performance.now() > endMs) {
      throw new HkctlError(
        'store_locked',
        'Another command writes a secret of this store into a file.',
        {
          hint: 'Try again once it has ended; if it hangs, end it.',
        },
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Finds the active key that an earlier run of the same command has made, by the secret that it left in the pending file: it was
 * killed, or never got the answer to its commit. Undefined if there is none. `state_forbids` (exit 5) for the secret of another active
 * key, by what `isOurs` says, or of a key of another organization.
 */
export async function findCutOff(
  domain: Domain,
  actor: Actor,
  { pendingPath, pendingText }: SecretFiles,
  isOurs: (key: Key) => Promise<boolean>,
): Promise<Key | undefined> {
  if (pendingText === undefined || !isCompleteSecret(pendingText)) return undefined;
  // Under the lock of files no running process owns the pending file, but its commit may still be in progress.
  await domain.store.keys.settle();
  const key = await findKeyOf(domain, actor, pendingText);
  if (!key && (await domain.store.keys.credential(hashOf(pendingText)))) {
    throw inTheWay(`${pendingPath} holds the secret of a key of another organization.`);
  }
  if (!key || statusOf(key, domain.clock()) !== 'Active') return undefined;
  if (await isOurs(key)) return key;
  throw inTheWay(
    `${pendingPath} holds the secret of another active key, ${key.name} (${key.prefix}).`,
  );
}

/** Whether the key of the pending file replaces `old`. `state_forbids`, unless forced, if PATH holds another secret. */
export async function isRotationOf(
  domain: Domain,
  actor: Actor,
  old: Key,
  key: Key,
  { files: { path, text, pendingPath }, force }: { files: SecretFiles; force: boolean },
): Promise<boolean> {
  const chain = await chainOf(domain, actor, key, 'rotatedFrom');
  if (!chain.some(({ id }) => id === old.id)) return false;
  const held = await findKeyOf(domain, actor, text);
  if (chain.slice(1).some(({ id }) => id === held?.id)) return true;
  if (key.id === old.id)
    throw inTheWay(
      `${pendingPath} holds the secret of ${key.name} (${key.prefix}) itself; no rotation was cut off.`,
    );
  if (force || text === undefined) return true;
  throw notReplaceable(`${path} does not hold the secret that ${pendingPath} replaces.`);
}

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

/** A secret or the beginning of one, as a command that was cut off leaves it. */
const leftover = /^(|h|hk|hk_[0-9A-Za-z]{0,49})$/;

/**
 * Refuses, unless forced, to replace a PATH that does not hold the secret of the key that is rotated, and a pending file that holds no
 * secret: `state_forbids` (exit 5). Returns why the pending file, which holds the secret of no active key, is worthless, if there is one.
 */
export async function requireReplaceable(
  domain: Domain,
  actor: Actor,
  { path, text, pendingPath, pendingText }: SecretFiles,
  old: Key | null,
  force: boolean,
): Promise<string | undefined> {
  if (
    old &&
    text !== undefined &&
    !force &&
    (await findKeyOf(domain, actor, text))?.id !== old.id
  ) {
    throw notReplaceable(`${path} does not hold the secret of ${old.name} (${old.prefix}).`);
  }
  if (pendingText === undefined) return undefined;
  if (leftover.test(pendingText)) {
    return 'an earlier run was cut off before its commit, and the secret in it opens nothing';
  }
  if (force) return 'it held no secret';
  throw inTheWay(`${pendingPath} holds no secret, and would be replaced.`);
}

/** The key of the secret in a text, whatever its state; undefined if it is none of the organization's. */
export async function findKeyOf(
  domain: Domain,
  { user }: Actor,
  text: string | undefined,
): Promise<Key | undefined> {
  if (text === undefined || !isCompleteSecret(text)) return undefined;
  return domain.store.keys.findByHash(user.tenantId, hashOf(text));
}

/** The refusal because of a pending file that must not be replaced. */
function inTheWay(message: string): HkctlError {
  return new HkctlError('state_forbids', message, { hint: 'Move that file away first.' });
}

function notReplaceable(message: string): HkctlError {
  return new HkctlError('state_forbids', message, {
    hint: 'Give the path that does, or --force to replace it whatever it holds.',
  });
}
