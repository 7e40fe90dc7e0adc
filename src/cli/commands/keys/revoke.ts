import { keyNeeds } from '../../../core/keys/key-permissions.ts';
import { findKeys, requireActive, revokeKeys } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import type { Context } from '../../context.ts';
import { requireConfirmation } from '../../questions/confirmation.ts';
import { keyJson } from '../../terminal/output.ts';
import { lastUseOf, namesOf } from './names.ts';

/** `hkctl keys revoke` */
export const revoke = defineCommand({
  name: 'revoke',
  summary: 'Revoke active keys at once',
  description: 'Access stops with the very next request; no replacement key is made. All of them or none.',
  arguments: [{ spelling: '<REF...>', doc: 'ids or prefixes of keys' }],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl keys revoke hk_Ab3dE', 'asks first'],
    ['hkctl keys revoke hk_Ab3dE hk_9xYz0 --yes', 'two at once, from a script'],
  ],
  confirms: true,
  needs: (_flags, refs) => keyNeeds('revoke', refs.join(' ')),
  async run(context, { yes }, refs, actor) {
    const { domain } = await context.session();
    const keys = await findKeys(domain, actor, refs);
    requireActive(keys, domain.clock(), 'revoked');
    await confirmRevocation(context, yes, keys, domain.clock());
    const revoked = await revokeKeys(domain, actor, keys);
    const answers = revoked.map((key) => ({ key: keyJson(key, domain.clock()) }));
    if (context.json) context.printJson(refs.length > 1 ? answers : answers[0]);
    else for (const key of revoked) context.confirm(`API key revoked: ${key.name} (${key.prefix})`);
  },
});

/** Asks before keys are revoked; see `requireConfirmation`. */
export async function confirmRevocation(
  context: Context,
  yes: boolean,
  keys: readonly Key[],
  nowMs: number,
): Promise<void> {
  const what = keys.length === 1 ? 'Revoke API key' : `Revoke ${keys.length} API keys`;
  const stops = 'Access stops at once; no replacement key is created.';
  const question = `${what}: ${namesOf(keys)}. ${lastUseOf(keys, nowMs)} ${stops}`;
  await requireConfirmation(context, yes, question, keys.length === 1 ? 'Revoke key' : 'Revoke keys');
}
