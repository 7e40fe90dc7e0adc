import { join } from 'node:path';
import type { Actor, Permitted } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { HkctlError } from '../../../../core/errors.ts';
import { awaitDeliveries, rotateByCommand } from '../../../../core/keys/deliveries.ts';
import { rotateKeys } from '../../../../core/keys/issuance.ts';
import { requireActive } from '../../../../core/keys/keys.ts';
import { findKeys, latestOf } from '../../../../core/keys/references.ts';
import {
  type FiledKey,
  finishRotation,
  type RotationFile,
  rotatedEarlier,
  rotateIntoFile,
} from '../../../../core/keys/secret-files/into-file.ts';
import { requireFolder } from '../../../../core/keys/secret-files/new-files.ts';
import type { Key } from '../../../../core/port/keys.ts';
import type { StepOfKey } from '../../../../core/port/pending-steps.ts';
import { counted } from '../../../../core/text/words.ts';
import { formatInstantMs } from '../../../../core/time/instants.ts';
import { dayMs, formatSpanMs, hourMs, parseClearSpanMs } from '../../../../core/time/spans.ts';
import { baseUrlFlag, baseUrlOf, defineCommand, yesFlag } from '../../../command/command.ts';
import type { Context } from '../../../command/context.ts';
import { type FlagValues, parsed, pathFlag, textFlag, toggle } from '../../../command/flags.ts';
import { withInner } from '../../../command/json-fields.ts';
import { keyFields } from '../../../command/output.ts';
import { deliverFlag, pipeAdvice, requireOnePlace } from '../../../delivery/flags.ts';
import { sayDiscarded, successorExpirySentence } from '../../../delivery/results.ts';
import { deliveryJson, unrotated } from '../../../delivery/stdout.ts';
import { keysOrAsk, lastUses } from '../../../questions/choices.ts';
import { askRevisably } from '../../../questions/revisable.ts';
import { requireConfirmation } from '../../../questions/values.ts';
import { canAsk } from '../../../terminal/io.ts';
import { rotationGuidance } from '../guidance.ts';
import { namesOf, refsArgument } from '../shown-keys.ts';
import { completeEarlier, pendingStep, runCommandDue } from './pending-step.ts';

const flags = {
  copy: toggle('--copy', 'also copy the new secret to the clipboard'),
  secretFile: pathFlag(
    '--secret-file <PATH>',
    'replace the file that holds the old secret (mode 0600, by way of PATH.new)',
    pipeAdvice,
  ),
  secretDir: pathFlag(
    '--secret-dir <DIR>',
    'write each new secret to a file in DIR, named by its prefix',
    pipeAdvice,
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

type RotateFlags = FlagValues<typeof flags>;

export const rotate = defineCommand({
  summary: 'Replace the secret of active keys at once',
  description: [
    'Name, entity, permissions, expiry, note and allowed addresses stay; to change those (except the note), create a new',
    'key, cut the integration over, and revoke the old one. The old key stops at once; there is no grace period. With',
    '--secret-file a crash at any moment loses no secret: run the same command again to finish the rotation.',
  ].join(' '),
  arguments: [refsArgument],
  flagGuidance: rotationGuidance,
  fields: [
    ...withInner('key', keyFields),
    'secret',
    'secret_file',
    ...withInner('revoked', keyFields),
  ],
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
    const pending = pendingStep(context, flags);
    const options = { ...flags, pending, several: refs.length > 1 };
    const { keys, successors } = await askRevisably(context, async (revisable) => {
      const namedKeys = await keysOrAsk(revisable, session, refs);
      const dueKeys =
        deliver === undefined ? namedKeys : await awaitDeliveries(domain, actor, namedKeys);
      return {
        keys: dueKeys,
        successors: await rotateDue({ context: revisable, domain, actor, options }, dueKeys),
      };
    });
    if (exec === undefined || pending === undefined) return;

    const currentKeys = await againFrom(domain, actor, keys);
    const latestKeys = await latestOf(domain, actor, currentKeys);
    await runCommandDue(context, domain, {
      keys: latestKeys,
      isNew: successors.length > 0,
      command: exec,
      pending,
    });
  },
});

interface RotationOptions extends RotateFlags {
  several: boolean;
  /** The step that the store remembers until the command of `--deliver` or `--exec` is done. */
  pending: StepOfKey | undefined;
}

/** A run of the command. */
interface Run {
  context: Context;
  domain: Domain;
  actor: Permitted<'key.rotate'>;
  options: RotationOptions;
}

/** Rotates the keys that are old enough, or finishes a rotation that was cut off; returns the successors. */
async function rotateDue(run: Run, keys: readonly Key[]): Promise<Key[]> {
  const { context, domain, actor, options } = run;
  const { ifOlderThan, several } = options;
  const finished = await finishEarlier(run, keys);
  if (finished) return [finished];

  const nowMs = domain.clock();
  const printUnrotated = (unchangedKeys: readonly Key[]) => {
    if (!context.json) return;
    context.printJson(deliveryJson(nowMs, unchangedKeys.map(unrotated), several));
  };

  const rotatedBefore = await rotatedEarlier(domain, actor, keys, options);
  if (rotatedBefore) {
    if (options.exec === undefined)
      await completeEarlier(context, domain, rotatedBefore, options.pending);
    printUnrotated(rotatedBefore);
    return [];
  }

  await requireActive(domain, actor, keys, 'rotated');
  const isDue = ({ createdAtMs }: Key) =>
    ifOlderThan === undefined || nowMs - createdAtMs > ifOlderThan;
  const dueKeys = keys.filter(isDue);
  const unchangedKeys = keys.filter((key) => !isDue(key));
  for (const key of unchangedKeys) {
    // Its age is unknown, and it might stay for long after a clock that was ahead.
    if (key.createdAtMs > nowMs) context.warn(createdAhead(key));
    else context.say(notYetDue(key, nowMs, ifOlderThan ?? 0));
  }
  if (dueKeys.length > 0) return rotateAfterQuestion(run, dueKeys, unchangedKeys);

  // Nothing is rotated, so that nothing needs --yes; but a script should not fail on the night when the key is old enough.
  if (!context.asksNothing && !canAsk(context.io))
    context.warn('Once a key is old enough, this needs --yes if there is no terminal to ask.');
  printUnrotated(unchangedKeys);
  return [];
}

/** Puts the secret in place if a rotation was cut off after its commit. */
async function finishEarlier(
  { context, domain, actor, options }: Run,
  [oldKey]: readonly Key[],
): Promise<Key | undefined> {
  const rotationFile = fileOf(options);
  if (!rotationFile || !oldKey) return undefined;
  const filedKey = await finishRotation(domain, actor, oldKey, rotationFile);
  if (filedKey) reportFiled(context, domain, filedKey, rotationFile);
  return filedKey?.key;
}

/** Rotates keys after the question of the Rotate API key dialog; returns the successors. */
async function rotateAfterQuestion(
  run: Run,
  keys: readonly Key[],
  unchanged: readonly Key[],
): Promise<Key[]> {
  const { context, domain, options } = run;
  const several = keys.length > 1;
  const rotationFile = fileOf(options);
  const runRotation = rotationFile
    ? () => rotateIntoOneFile(run, keys, rotationFile)
    : await createRotation(run, keys, unchanged);

  const question = questionFor(keys, options);
  const action = several ? 'Rotate keys' : 'Rotate key';
  await requireConfirmation(context, question, action, lastUses(keys, domain.clock()));
  return runRotation();
}

function questionFor(keys: readonly Key[], { deliver }: RotationOptions): string {
  const names = namesOf(keys);
  if (keys.length > 1) {
    const secrets =
      deliver === undefined
        ? 'The new secrets are shown once.'
        : 'The command takes the new secrets.';
    return `Rotate ${keys.length} API keys: ${names}. The old keys stop at once. ${secrets}`;
  }
  const secret =
    deliver === undefined ? 'The new secret is shown once.' : 'The command takes the new secret.';
  return `Rotate API key: ${names}. The old key stops at once. ${secret}`;
}

/** Chooses the delivery of the new secrets, or refuses it; the returned function rotates, after the question. */
async function createRotation(
  { context, domain, actor, options }: Run,
  keys: readonly Key[],
  unchanged: readonly Key[],
): Promise<() => Promise<Key[]>> {
  const { deliver, secretDir, pending, several } = options;
  const baseUrl = await baseUrlOf(domain, options.baseUrl);
  const doneText = keys.length > 1 ? `${keys.length} API keys rotated` : 'API key rotated';
  const { chooseDelivery } = await import('../../../delivery/choose.ts');
  const delivery = chooseDelivery(context, {
    ...options,
    clock: domain.clock,
    keys: keys.length,
    kept: unchanged,
    done: doneText,
    baseUrl,
  });

  const pathOf = ({ prefix }: Key) =>
    secretDir === undefined ? undefined : join(secretDir, prefix);
  const rotateNow = async () => {
    if (deliver !== undefined && pending !== undefined) {
      return rotateByCommand(domain, actor, keys, delivery, pending);
    }
    // Another process may have ended a key meanwhile: no secret is shown for one that is inactive by now.
    const currentKeys = await againFrom(domain, actor, keys);
    return rotateKeys(domain, actor, currentKeys, delivery, { pending });
  };

  return async () => {
    const rotated = await rotateNow();
    if ((secretDir ?? deliver) !== undefined && context.json) {
      const successors = rotated.map((rotation) => ({
        ...rotation,
        secretFile: pathOf(rotation.key),
      }));
      const allKeys = [...successors, ...unchanged.map(unrotated)];
      context.printJson(deliveryJson(domain.clock(), allKeys, several));
    }
    for (const rotation of rotated) {
      const sentence = sentenceOf(rotation, pathOf(rotation.key));
      sayRotated(context, sentence, rotation);
    }
    return rotated.map(({ key }) => key);
  };
}

async function rotateIntoOneFile(
  { context, domain, actor, options }: Run,
  keys: readonly Key[],
  rotationFile: RotationFile,
): Promise<Key[]> {
  const [oldKey] = keys as [Key]; // --secret-file takes one key
  const filedKey = await rotateIntoFile(domain, actor, oldKey, rotationFile);
  sayDiscarded(context, filedKey);
  if (options.copy && filedKey.secret !== undefined) {
    const { copyAndSay } = await import('../../../delivery/choose.ts');
    await copyAndSay(context, filedKey.secret);
  }
  reportFiled(context, domain, filedKey, rotationFile);
  return [filedKey.key];
}

function reportFiled(
  context: Context,
  { clock }: Pick<Domain, 'clock'>,
  { key, revoked, secret }: FiledKey,
  { path }: RotationFile,
): void {
  if (context.json) {
    const filed = { key, revoked, secretFile: path };
    context.printJson(deliveryJson(clock(), [filed], false));
  }
  const secretPlace =
    secret === undefined
      ? `an earlier run was cut off, and ${path} now holds its secret.`
      : `its secret is in ${path}`;
  sayRotated(context, `${sentenceOf({ key, revoked })}; ${secretPlace}`, { key, revoked });
}

/** The file that `--secret-file` names, which may hold the secret of the old key. */
function fileOf({ secretFile, force, pending }: RotationOptions): RotationFile | undefined {
  if (secretFile === undefined) return undefined;
  return { path: secretFile, force, pending };
}

function againFrom(domain: Domain, actor: Actor, keys: readonly Key[]): Promise<Key[]> {
  const ids = keys.map(({ id }) => id);
  return findKeys(domain, actor, ids);
}

function sentenceOf({ key, revoked }: Pick<FiledKey, 'key' | 'revoked'>, path?: string): string {
  const secretPlace = path === undefined ? '' : `; its secret is in ${path}`;
  return `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix})${secretPlace}`;
}

/** Z is 12 days old, not yet 90: both in the largest unit that is whole in the limit. */
function notYetDue(key: Key, nowMs: number, limitMs: number): string {
  const [unitMs, unit] = limitMs % dayMs === 0 ? [dayMs, 'day'] : [hourMs, 'hour'];
  const ageMs = nowMs - key.createdAtMs;
  const ageText = counted(Math.floor(ageMs / unitMs), unit);
  return `Not rotated: ${namesOf([key])} is ${ageText} old, not yet ${formatSpanMs(limitMs)}`;
}

function createdAhead(key: Key): string {
  const createdText = formatInstantMs(key.createdAtMs);
  return `Not rotated: ${namesOf([key])} was created at ${createdText}, ahead of the clock. Without --if-older-than it is rotated now.`;
}

/** Says that a key was rotated, and until when its successor works, if it expires. */
function sayRotated(
  context: Context,
  sentence: string,
  { key, revoked }: Pick<FiledKey, 'key' | 'revoked'>,
): void {
  context.say(sentence);
  const expiry = successorExpirySentence(key, revoked);
  if (expiry !== '') context.say(expiry);
}

function requireFittingTarget(flags: RotateFlags, refs: readonly string[]): void {
  requireOnePlace(flags);
  const { secretFile, secretDir, force } = flags;
  const hasFile = secretFile !== undefined;
  if (hasFile && refs.length > 1) {
    throw new HkctlError(
      'usage',
      '--secret-file takes one key; for several give --secret-dir DIR.',
    );
  }
  if (force && !hasFile) throw new HkctlError('usage', '--force goes with --secret-file.');
  if (secretDir !== undefined) requireFolder(secretDir);
}
