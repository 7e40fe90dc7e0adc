import type { Actor, Domain } from '../../../core/access/actors.ts';
import { HkctlError } from '../../../core/errors.ts';
import { rotateKeys } from '../../../core/keys/issuance.ts';
import { requireActiveKeys } from '../../../core/keys/keys.ts';
import { baseUrlFlag, defineCommand, yesFlag } from '../../command.ts';
import { type Context, requireConfirmation } from '../../context.ts';
import { requireFolder } from '../../delivery/files.ts';
import { deliveryJson } from '../../delivery/stdout.ts';
import { text, toggle } from '../../flags.ts';
import { baseUrlOf } from './base-url.ts';
import { namesOf } from './names.ts';
import { finishPending, requireReplaceable } from './pending.ts';

const flags = {
  copy: toggle('--copy', 'also copy the new secret to the clipboard'),
  secretFile: text(
    '--secret-file <PATH>',
    'replace the file that holds the old secret (mode 0600, by way of PATH.new)',
  ),
  secretDir: text('--secret-dir <DIR>', 'write each new secret to a file in DIR, named by its prefix'),
  force: toggle('--force', 'replace PATH whatever it holds'),
  baseUrl: baseUrlFlag,
  yes: yesFlag,
};

/** `hkctl keys rotate` */
export const rotate = defineCommand({
  name: 'rotate',
  summary: 'Replace the secret of active keys at once',
  description: [
    'Name, entity, permissions and expiry stay; to change those, create a new key, cut the integration over, and revoke',
    'the old one. The old key stops at once; there is no grace period. With --secret-file a crash at any moment loses no',
    'secret: run the same command again, and it ends what was begun.',
  ].join(' '),
  arguments: [{ spelling: '<REF...>', doc: 'ids or prefixes of keys' }],
  flags,
  examples: [
    ['hkctl keys rotate hk_Ab3dE', 'asks first, then shows the secret once'],
    ['hkctl keys rotate hk_Ab3dE --secret-file erp.key --yes', 'from a script'],
    ['hkctl keys rotate "$(head -c 8 erp.key)" --secret-file erp.key --yes', 'the key that the file holds'],
    ['hkctl keys rotate hk_Ab3dE hk_9xYz0 --secret-dir new/ --yes', 'several at once'],
  ],
  needs: (_flags, refs) => ({
    permissions: ['api_keys.create', 'api_keys.delete'],
    action: 'key.rotate',
    target: refs.join(' '),
  }),
  async run(context, given, refs) {
    const { domain, actor } = await context.session();
    requireFittingTarget(context, given, refs);
    const { secretFile, force } = given;
    if (secretFile !== undefined) {
      if (await finishPending(context, domain, actor, refs[0] ?? '', { secretFile, force })) return;
    }
    await rotateAndDeliver(context, domain, actor, refs, given);
  },
});

/** Rotates keys after the question of the Rotate API key dialog; `given` says where the secrets go. */
export async function rotateAndDeliver(
  context: Context,
  domain: Domain,
  actor: Actor,
  refs: readonly string[],
  given: { yes: boolean; copy: boolean; force: boolean; secretFile?: string; secretDir?: string; baseUrl?: string },
): Promise<void> {
  const keys = await requireActiveKeys(domain, actor, refs, 'rotated');
  const [first] = keys;
  if (given.secretFile !== undefined && first)
    await requireReplaceable(context, domain, first, given.secretFile, given.force);
  const several = refs.length > 1;
  const baseUrl = await baseUrlOf(domain, given.baseUrl);
  const done = several ? `${keys.length} API keys rotated` : 'API key rotated';
  const { chooseDelivery } = await import('../../delivery/choose.ts');
  const chosen = await chooseDelivery(context, {
    ...given,
    baseUrl,
    clock: domain.clock,
    replace: true,
    keys: refs.length,
    done,
  });
  const title = several ? `Rotate ${keys.length} API keys` : 'Rotate API key';
  const stops = several
    ? 'The old keys stop at once. The new secrets are shown once.'
    : 'The old key stops at once. The new secret is shown once.';
  await requireConfirmation(
    context,
    given.yes,
    `${title}: ${namesOf(keys)}. ${stops}`,
    several ? 'Rotate keys' : 'Rotate key',
  );
  const rotated = await rotateKeys(
    domain,
    actor,
    keys.map(({ id }) => id),
    chosen.delivery,
  );
  const { files } = chosen;
  if (files && context.json) {
    const delivered = rotated.map((pair) => ({ ...pair, secret: '' }));
    context.printJson(deliveryJson(domain.clock, delivered, several, files));
  }
  for (const { key, revoked } of rotated) {
    const where = files ? `; its secret is in ${files.get(key.id)}` : '';
    context.say(`API key rotated: ${key.name} (${revoked.prefix} → ${key.prefix})${where}`);
  }
}

function requireFittingTarget(
  { io }: Context,
  given: { secretFile?: string; secretDir?: string; force: boolean },
  refs: readonly string[],
): void {
  if (given.secretFile !== undefined && given.secretDir !== undefined) {
    throw new HkctlError('usage', 'Give --secret-file or --secret-dir, not both.');
  }
  if (given.secretFile !== undefined && refs.length > 1) {
    throw new HkctlError('usage', '--secret-file takes one key; for several give --secret-dir DIR.');
  }
  if (given.force && given.secretFile === undefined) {
    throw new HkctlError('usage', '--force goes with --secret-file.');
  }
  const { secretDir } = given;
  if (secretDir !== undefined) io.withOwnRights(() => requireFolder(secretDir));
}
