import { sha256 } from '../../../../core/digest.ts';
import type { Actor, Permitted } from '../../../../core/domain/actors.ts';
import type { Domain } from '../../../../core/domain/domain.ts';
import { HkctlError } from '../../../../core/errors.ts';
import { type RotatedKey, rotateKeys } from '../../../../core/keys/issuance.ts';
import { requireActive, statusOf } from '../../../../core/keys/keys.ts';
import { findKeys, latestOf, requireKey } from '../../../../core/keys/references.ts';
import { isRotationOf } from '../../../../core/keys/secret-files.ts';
import type { Key } from '../../../../core/port/keys.ts';
import { parseSpanMs } from '../../../../core/time/spans.ts';
import { baseUrlFlag, baseUrlOf, defineCommand, yesFlag } from '../../../command/command.ts';
import type { Context } from '../../../command/context.ts';
import { type FlagValues, parsed, text, toggle } from '../../../command/flags.ts';
import { requireFolder } from '../../../delivery/files.ts';
import { createSecretFile, resolved, type SecretFile } from '../../../delivery/secret-file.ts';
import { deliveryJson, unrotated } from '../../../delivery/stdout.ts';
import { keysOrAsk, lastUses } from '../../../questions/choices.ts';
import { requireConfirmation } from '../../../questions/values.ts';
import { canAsk } from '../../../terminal/io.ts';
import { namesOf, refsArgument } from '../names.ts';

const flags = {
  copy: toggle('--copy', 'also copy the new secret to the clipboard'),
  secretFile: text(
    '--secret-file <PATH>',
    'replace the file that holds the old secret (mode 0600, by way of PATH.new)',
  ),
  secretDir: text(
    '--secret-dir <DIR>',
    'write each new secret to a file in DIR, named by its prefix',
  ),
  force: toggle('--force', 'replace PATH whatever it holds'),
  ifOlderThan: parsed(
    '--if-older-than <SPAN>',
    'rotate only keys created longer ago than this, such as 90d',
    parseSpanMs,
  ),
  exec: parsed(
    '--exec <COMMAND>',
    'run this by the shell once the new secret is in place',
    requireCommand,
  ),
  baseUrl: baseUrlFlag,
  yes: yesFlag,
};

type Given = FlagValues<typeof flags>;

export const rotate = defineCommand({
  summary: 'Replace the secret of active keys at once',
  description: [
    'Name, entity, permissions, expiry, note and allowed addresses stay; to change those (except the note), create a new',
    'key, cut the integration over, and revoke the old one. The old key stops at once; there is no grace period. With',
    '--secret-file a crash at any moment loses no secret: run the same command again, and it ends what was begun.',
  ].join(' '),
  arguments: [refsArgument],
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
  ],
  confirms: true,
  required: (_flags, [ref]) => ({ REF: ref }),
  needs: (_flags, refs) => ['key.rotate', refs.join(' ')],
  async run(context, given, refs, { domain, actor }) {
    const { exec } = given;
    requireFittingTarget(given, refs);
    const digest = exec === undefined ? undefined : digestOf(context, given, exec);
    const keys = await keysOrAsk(context, refs);
    const [old] = keys;
    const file = old && fileFor(context, domain, actor, old, given, digest);
    const options = { ...given, file, digest, several: refs.length > 1 };
    const rotated = await rotateDue(context, domain, actor, keys, options);
    if (exec === undefined || digest === undefined) return;
    const { runCommandDue } = await import('./command-after.ts');
    const latest = await latestOf(domain, actor, await againFrom(domain, actor, keys));
    await runCommandDue(context, domain, {
      keys: latest,
      isNew: rotated.length > 0,
      command: exec,
      digest,
    });
  },
});

interface RotationOptions extends Given {
  several: boolean;
  file?: SecretFile;
  digest?: string;
  /** Younger keys that are left as they are; only the JSON names them. */
  kept?: readonly Key[];
}

/** Rotates the keys that are old enough, or finishes a rotation that was cut off; returns the successors. */
async function rotateDue(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  given: RotationOptions,
): Promise<Key[]> {
  const { ifOlderThan, file } = given;
  const finished = await file?.finish();
  if (finished) return [finished];
  const nowMs = domain.clock();
  const earlier = await rotatedEarlier(domain, actor, keys, given);
  if (!earlier) await requireActive(domain, actor, keys, 'rotated');
  const isDue = ({ createdAtMs }: Key) =>
    !earlier && (ifOlderThan === undefined || nowMs - createdAtMs > ifOlderThan);
  const due = keys.filter(isDue);
  const kept = earlier ?? keys.filter((key) => !isDue(key));
  if (!earlier && kept.length > 0)
    context.say(`Not rotated, since not old enough: ${namesOf(kept)}`);
  if (due.length > 0) return rotateAndDeliver(context, domain, actor, due, { ...given, kept });
  // Nothing is rotated, so that nothing needs --yes; but a script should not fail on the night when the key is old enough.
  if (!earlier && !context.io.asksNothing && !canAsk(context.io))
    context.warn('Once a key is old enough, this needs --yes if there is no terminal to ask.');
  if (context.json) context.printJson(deliveryJson(nowMs, kept.map(unrotated), given.several));
  return [];
}

/** The successors of keys that the same command has rotated before without success of the command after it; else undefined. */
async function rotatedEarlier(
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  { digest, file }: RotationOptions,
): Promise<Key[] | undefined> {
  if (digest === undefined || keys.some(({ rotatedTo }) => rotatedTo === null)) return undefined;
  const latest = await latestOf(domain, actor, keys);
  const ids = latest
    .filter((key) => statusOf(key, domain.clock()) === 'Active')
    .map(({ id }) => id);
  if ((await domain.store.commands.due(ids, digest)).length < latest.length) return undefined;
  const [first] = latest;
  return first && file && !(await file.holds(first)) ? undefined : latest;
}

/** Rotates keys after the question of the Rotate API key dialog, and delivers the new secrets; returns the successors. */
async function rotateAndDeliver(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.rotate'>,
  keys: readonly Key[],
  given: RotationOptions,
): Promise<Key[]> {
  const { file, digest } = given;
  const several = keys.length > 1;
  const baseUrl = await baseUrlOf(domain, given.baseUrl);
  const done = several ? `${keys.length} API keys rotated` : 'API key rotated';
  const { chooseDelivery } = await import('../../../delivery/choose.ts');
  const chosen = { ...given, baseUrl, clock: domain.clock, keys: keys.length, done };
  const { delivery, fileOf } = await chooseDelivery(context, chosen);
  const title = several ? `Rotate ${keys.length} API keys` : 'Rotate API key';
  const stops = several
    ? 'The old keys stop at once. The new secrets are shown once.'
    : 'The old key stops at once. The new secret is shown once.';
  const question = `${title}: ${namesOf(keys)}. ${stops}`;
  const action = several ? 'Rotate keys' : 'Rotate key';
  await requireConfirmation(context, question, action, lastUses(keys, domain.clock()));
  const work = async () => {
    // Another process may have ended a key meanwhile: no secret is shown for one that is inactive by now.
    const rotated = await rotateKeys(
      domain,
      actor,
      await againFrom(domain, actor, keys),
      delivery,
      digest,
    );
    if (fileOf && context.json) {
      const delivered = rotated.map((pair) => ({ ...pair, secretFile: fileOf(pair.key) }));
      const kept = given.kept?.map(unrotated) ?? [];
      context.printJson(deliveryJson(domain.clock(), [...delivered, ...kept], given.several));
    }
    for (const pair of rotated) context.say(sentenceOf(pair, fileOf?.(pair.key)));
    return rotated.map(({ key }) => key);
  };
  if (!file) return work();
  const one = async () => (await work())[0] as Key; // a file takes one key
  return [await file.make(one)];
}

/** The file that `--secret-file` names, which may hold the secret of the old key. */
function fileFor(
  context: Context,
  domain: Domain,
  actor: Actor,
  old: Key,
  { secretFile: path, force }: Given,
  digest: string | undefined,
): SecretFile | undefined {
  if (path === undefined) return undefined;
  return createSecretFile(context, domain, actor, {
    path,
    force,
    isOurs: (key, files) => isRotationOf(domain, actor, old, key, { files, force }),
    async finished(key) {
      // The run that was cut off may have had another command, or none.
      if (digest !== undefined) await domain.store.commands.add([key.id], digest);
      const revoked =
        key.rotatedFrom === null ? null : await requireKey(domain, actor, key.rotatedFrom);
      if (context.json)
        context.printJson(
          deliveryJson(domain.clock(), [{ key, revoked, secretFile: path }], false),
        );
      context.say(
        `API key rotated: ${key.name} (${revoked?.prefix} → ${key.prefix}); an earlier run was cut off, and ${path} now holds its secret.`,
      );
    },
  });
}

function againFrom(domain: Domain, actor: Actor, keys: readonly Key[]): Promise<Key[]> {
  const ids = keys.map(({ id }) => id);
  return findKeys(domain, actor, ids);
}

/** By which the store remembers a command. No account runs what another has left, nor for secrets at another place. */
function digestOf({ io }: Context, { secretFile, secretDir }: Given, command: string): string {
  const path = secretFile ?? secretDir;
  return sha256(
    JSON.stringify([io.osAccount, path === undefined ? null : resolved(path), command]),
    'base64url',
  );
}

function sentenceOf({ key, revoked }: RotatedKey, file: string | undefined): string {
  const where = file === undefined ? '' : `; its secret is in ${file}`;
  return `API key rotated: ${key.name} (${revoked.prefix} → ${key.prefix})${where}`;
}

function requireFittingTarget(
  { secretFile, secretDir, force }: Given,
  refs: readonly string[],
): void {
  const hasFile = secretFile !== undefined;
  const faults = [
    hasFile && secretDir !== undefined && 'Give --secret-file or --secret-dir, not both.',
    hasFile && refs.length > 1 && '--secret-file takes one key; for several give --secret-dir DIR.',
    force && !hasFile && '--force goes with --secret-file.',
  ];
  const fault = faults.find((one) => one !== false);
  if (fault !== undefined) throw new HkctlError('usage', fault);
  if (secretDir !== undefined) requireFolder(secretDir);
}

function requireCommand(given: string): string {
  if (given.trim() !== '') return given;
  throw new HkctlError('usage', 'a command is missing.');
}
