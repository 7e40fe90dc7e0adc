import { join } from 'node:path';
import { sha256 } from '../../../../core/digest.ts';
import type { Actor, Permitted } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { HkctlError } from '../../../../core/errors.ts';
import { canonicalPath } from '../../../../core/files/place.ts';
import { awaitDeliveries, rotateByCommand } from '../../../../core/keys/deliveries.ts';
import { rotateKeys } from '../../../../core/keys/issuance.ts';
import { requireActive, statusOf } from '../../../../core/keys/keys.ts';
import { findKeys, latestOf } from '../../../../core/keys/references.ts';
import {
  type FiledKey,
  fileHolds,
  finishRotation,
  type RotationFile,
  rotateIntoFile,
} from '../../../../core/keys/secret-files/into-file.ts';
import { requireFolder } from '../../../../core/keys/secret-files/new-files.ts';
import type { Key } from '../../../../core/port/keys.ts';
import { counted } from '../../../../core/text/words.ts';
import { dayMs, formatSpanMs, hourMs, parseClearSpanMs } from '../../../../core/time/spans.ts';
import { baseUrlFlag, baseUrlOf, defineCommand, yesFlag } from '../../../command/command.ts';
import type { Context } from '../../../command/context.ts';
import { type FlagValues, parsed, textFlag, toggle } from '../../../command/flags.ts';
import { keptExpirySentence } from '../../../delivery/decided.ts';
import { sayDiscarded } from '../../../delivery/discarded.ts';
import { deliverFlag, requireOnePlace } from '../../../delivery/flags.ts';
import { deliveryJson, unrotated } from '../../../delivery/stdout.ts';
import { keysOrAsk, lastUses } from '../../../questions/choices.ts';
import { requireConfirmation } from '../../../questions/values.ts';
import { canAsk } from '../../../terminal/io.ts';
import { rotationGuidance } from '../guidance.ts';
import { namesOf, refsArgument } from '../names.ts';

const flags = {
  copy: toggle('--copy', 'also copy the new secret to the clipboard'),
  secretFile: textFlag(
    '--secret-file <PATH>',
    'replace the file that holds the old secret (mode 0600, by way of PATH.new)',
  ),
  secretDir: textFlag(
    '--secret-dir <DIR>',
    'write each new secret to a file in DIR, named by its prefix',
  ),
  deliver: deliverFlag(
    'hand each new secret to this command on its standard input; exit 0 rotates the keys',
  ),
  force: toggle('--force', 'replace PATH whatever it holds'),
  ifOlderThan: parsed(
    '--if-older-than <SPAN>',
    'rotate only keys created longer ago than this, such as 90d',
    parseClearSpanMs,
  ),
  exec: textFlag('--exec <COMMAND>', 'run this by the shell once the new secret is in place'),
  baseUrl: baseUrlFlag,
  yes: yesFlag,
};

type Given = FlagValues<typeof flags>;

export const rotate = defineCommand({
  summary: 'Replace the secret of active keys at once',
  description: [
    'Name, entity, permissions, expiry, note and allowed addresses stay; to change those (except the note), create a new',
    'key, cut the integration over, and revoke the old one. The old key stops at once; there is no grace period. With',
    '--secret-file a crash at any moment loses no secret: run the same command again to finish the rotation.',
  ].join(' '),
  arguments: [refsArgument],
  flagGuidance: rotationGuidance,
  fields: ['key', 'secret', 'secret_file', 'revoked'],
  flags,
  examples: [
    ['hkctl keys rotate hk_Ab3dE', 'asks first, then shows the secret once'],
    ['hkctl keys rotate hk_Ab3dE --secret-file erp.key --yes', 'from a script'],
    [
      'hkctl keys rotate "$(head -c 8 erp.key)" --secret-file erp.key --yes',
      'the key that the file holds',
    ],
    [
      `hkctl keys rotate "$(head -c 8 gw.key)" --secret-file gw.key --if-older-than 90d --exec 'systemctl reload gateway' --yes`,
      'every night: only when it is due',
    ],
    ['hkctl keys rotate hk_Ab3dE hk_9xYz0 --secret-dir new/ --yes', 'several at once'],
    [
      `hkctl keys rotate ERP --if-older-than 90d --deliver "ssh erp 'umask 077; cat > hkctl.key'" --yes`,
      'on another machine',
    ],
  ],
  confirms: true,
  required: (_flags, [ref]) => ({ REF: ref }),
  needs: (_flags, refs) => ['key.rotate', refs.join(' ')],
  async run(context, flags, refs, session) {
    const { domain, actor } = session;
    const { exec, deliver } = flags;
    requireFittingTarget(flags, refs);
    const digest =
      exec === undefined && deliver === undefined ? undefined : digestOf(context, flags);
    const namedKeys = await keysOrAsk(context, session, refs);
    const keys =
      deliver === undefined ? namedKeys : await awaitDeliveries(domain, actor, namedKeys);
    const options = { ...flags, digest, several: refs.length > 1 };
    const successors = await rotateDue(context, domain, actor, keys, options);
    if (exec === undefined || digest === undefined) return;

    const { runCommandDue } = await import('./command-after.ts');
    const latest = await latestOf(domain, actor, await againFrom(domain, actor, keys));
    await runCommandDue(context, domain, {
      keys: latest,
      isNew: successors.length > 0,
      command: exec,
      digest,
    });
  },
});

interface RotationOptions extends Given {
  several: boolean;
  /** By which the store remembers the commands of `--deliver` and `--exec`. */
  digest: string | undefined;
}

/** Rotates the keys that are old enough, or finishes a rotation that was cut off; returns the successors. */
async function rotateDue(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  options: RotationOptions,
): Promise<Key[]> {
  const { ifOlderThan, several } = options;
  const finished = await finishEarlier(context, domain, actor, keys, options);
  if (finished) return [finished];

  const nowMs = domain.clock();
  const earlier = await rotatedEarlier(domain, actor, keys, options);
  if (!earlier) await requireActive(domain, actor, keys, 'rotated');
  const isDue = ({ createdAtMs }: Key) =>
    !earlier && (ifOlderThan === undefined || nowMs - createdAtMs > ifOlderThan);
  const due = keys.filter(isDue);
  const unchanged = earlier ?? keys.filter((key) => !isDue(key));
  if (!earlier) for (const key of unchanged) context.say(notYetDue(key, nowMs, ifOlderThan ?? 0));
  if (earlier && options.exec === undefined)
    await completeEarlier(context, domain, earlier, options);
  if (due.length > 0) return rotateAfterQuestion(context, domain, actor, due, unchanged, options);

  // Nothing is rotated, so that nothing needs --yes; but a script should not fail on the night when the key is old enough.
  if (!earlier && !context.io.asksNothing && !canAsk(context.io))
    context.warn('Once a key is old enough, this needs --yes if there is no terminal to ask.');
  if (context.json) context.printJson(deliveryJson(nowMs, unchanged.map(unrotated), several));
  return [];
}

/** Puts the secret of a rotation in place that was cut off after its commit. */
async function finishEarlier(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  [old]: readonly Key[],
  options: RotationOptions,
): Promise<Key | undefined> {
  const file = fileOf(options);
  if (!file || !old) return undefined;
  const filed = await finishRotation(domain, actor, old, file);
  if (filed) reportFiled(context, domain, filed, file);
  return filed?.key;
}

/** The successors of keys that the same command has rotated before without success of the command after it; else undefined. */
async function rotatedEarlier(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  { digest, secretFile }: RotationOptions,
): Promise<Key[] | undefined> {
  if (digest === undefined || keys.some(({ rotatedTo }) => rotatedTo === null)) return undefined;

  const latest = await latestOf(domain, actor, keys);
  const ids = latest
    .filter((key) => statusOf(key, domain.clock()) === 'Active')
    .map(({ id }) => id);
  if ((await domain.store.commands.due(ids, digest)).length < latest.length) return undefined;

  const [first] = latest;
  if (!first || secretFile === undefined) return latest;
  return (await fileHolds(domain, actor, secretFile, first)) ? latest : undefined;
}

/** An earlier run was cut off between its commit and its end, and nothing else is due. */
async function completeEarlier(
  context: Context,
  { store }: Domain,
  keys: readonly Key[],
  { digest = '' }: RotationOptions,
): Promise<void> {
  const ids = keys.map(({ id }) => id);
  await store.commands.done(ids, digest);
  context.say(`An earlier run of the same command has delivered and rotated: ${namesOf(keys)}`);
}

/** Rotates keys after the question of the Rotate API key dialog; returns the successors. */
async function rotateAfterQuestion(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  unchanged: readonly Key[],
  options: RotationOptions,
): Promise<Key[]> {
  const several = keys.length > 1;
  const file = fileOf(options);
  const rotate = file
    ? () => rotateIntoOneFile(context, domain, actor, keys, file, options)
    : await createRotation(context, domain, actor, keys, unchanged, options);

  const title = several ? `Rotate ${keys.length} API keys` : 'Rotate API key';
  const stops = several ? 'The old keys stop at once.' : 'The old key stops at once.';
  const shown = several ? 'The new secrets are shown once.' : 'The new secret is shown once.';
  const taken = several
    ? 'The command takes the new secrets.'
    : 'The command takes the new secret.';
  const where = options.deliver === undefined ? shown : taken;
  const question = `${title}: ${namesOf(keys)}. ${stops} ${where}`;
  const action = several ? 'Rotate keys' : 'Rotate key';
  await requireConfirmation(context, question, action, lastUses(keys, domain.clock()));
  return rotate();
}

/** Chooses where the new secrets go, and refuses what cannot take them; the rotation runs after the question. */
async function createRotation(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  unchanged: readonly Key[],
  options: RotationOptions,
): Promise<() => Promise<Key[]>> {
  const { deliver, exec, secretDir, digest, several } = options;
  const baseUrl = await baseUrlOf(domain, options.baseUrl);
  const done = keys.length > 1 ? `${keys.length} API keys rotated` : 'API key rotated';
  const { chooseDelivery } = await import('../../../delivery/choose.ts');
  const form = { clock: domain.clock, keys: keys.length, kept: unchanged, done, baseUrl };
  const delivery = chooseDelivery(context, { ...options, ...form });
  const pathOf = ({ prefix }: Key) =>
    secretDir === undefined ? undefined : join(secretDir, prefix);
  const rotate = async () => {
    if (deliver !== undefined && digest !== undefined) {
      const after = { digest, isComplete: exec === undefined };
      return rotateByCommand(domain, actor, keys, delivery, after);
    }
    // Another process may have ended a key meanwhile: no secret is shown for one that is inactive by now.
    const current = await againFrom(domain, actor, keys);
    return rotateKeys(domain, actor, current, delivery, { command: digest });
  };

  return async () => {
    const rotated = await rotate();
    if ((secretDir ?? deliver) !== undefined && context.json) {
      const answers = rotated.map((pair) => ({ ...pair, secretFile: pathOf(pair.key) }));
      const all = [...answers, ...unchanged.map(unrotated)];
      context.printJson(deliveryJson(domain.clock(), all, several));
    }
    for (const pair of rotated) sayRotated(context, sentenceOf(pair, pathOf(pair.key)), pair.key);
    return rotated.map(({ key }) => key);
  };
}

async function rotateIntoOneFile(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  file: RotationFile,
  { copy }: RotationOptions,
): Promise<Key[]> {
  const [old] = keys as [Key]; // --secret-file takes one key
  const filed = await rotateIntoFile(domain, actor, old, file);
  sayDiscarded(context, filed);
  if (copy && filed.secret !== undefined) {
    const { copyAndSay } = await import('../../../delivery/choose.ts');
    await copyAndSay(context, filed.secret);
  }
  reportFiled(context, domain, filed, file);
  return [filed.key];
}

function reportFiled(
  context: Context,
  { clock }: Pick<Domain, 'clock'>,
  { key, revoked, secret }: FiledKey,
  { path }: RotationFile,
): void {
  if (context.json) {
    context.printJson(deliveryJson(clock(), [{ key, revoked, secretFile: path }], false));
  }
  const where =
    secret === undefined
      ? `an earlier run was cut off, and ${path} now holds its secret.`
      : `its secret is in ${path}`;
  sayRotated(context, `${sentenceOf({ key, revoked })}; ${where}`, key);
}

/** The file that `--secret-file` names, which may hold the secret of the old key. */
function fileOf({ secretFile, force, digest }: RotationOptions): RotationFile | undefined {
  return secretFile === undefined ? undefined : { path: secretFile, force, command: digest };
}

function againFrom(domain: Domain, actor: Actor, keys: readonly Key[]): Promise<Key[]> {
  const ids = keys.map(({ id }) => id);
  return findKeys(domain, actor, ids);
}

/**
 * By which the store remembers commands that are not done yet. No account does what another has left, nor for secrets at another
 * place.
 */
function digestOf({ io }: Context, { secretFile, secretDir, exec, deliver }: Given): string {
  const path = secretFile ?? secretDir;
  const place = path === undefined ? null : canonicalPath(path);
  const commands = deliver === undefined ? [exec] : [exec ?? null, deliver];
  return sha256(JSON.stringify([io.osAccount, place, ...commands]), 'base64url');
}

function sentenceOf({ key, revoked }: Pick<FiledKey, 'key' | 'revoked'>, path?: string): string {
  const where = path === undefined ? '' : `; its secret is in ${path}`;
  return `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix})${where}`;
}

/** Z is 12 days old, not yet 90: both in the largest unit that is whole in the limit. */
function notYetDue(key: Key, nowMs: number, limitMs: number): string {
  const [unitMs, unit] = limitMs % dayMs === 0 ? [dayMs, 'day'] : [hourMs, 'hour'];
  const age = counted(Math.floor((nowMs - key.createdAtMs) / unitMs), unit);
  return `Not rotated: ${namesOf([key])} is ${age} old, not yet ${formatSpanMs(limitMs)}`;
}

/** Says that a key was rotated, and until when its successor works, if it expires. */
function sayRotated(context: Context, sentence: string, key: Key): void {
  context.say(sentence);
  const expiry = keptExpirySentence(key);
  if (expiry !== '') context.say(expiry);
}

function requireFittingTarget(flags: Given, refs: readonly string[]): void {
  const { secretFile, secretDir, force } = flags;
  const hasFile = secretFile !== undefined;
  requireOnePlace(flags);
  if (hasFile && refs.length > 1) {
    throw new HkctlError(
      'usage',
      '--secret-file takes one key; for several give --secret-dir DIR.',
    );
  }
  if (force && !hasFile) throw new HkctlError('usage', '--force goes with --secret-file.');
  if (secretDir !== undefined) requireFolder(secretDir);
}
