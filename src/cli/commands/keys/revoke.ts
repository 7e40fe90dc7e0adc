import { requireActive, revokeKeys } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { withInner } from '../../command/json-fields.ts';
import { keyFields, keyJson } from '../../command/output.ts';
import { keysOrAsk, lastUses } from '../../questions/choices.ts';
import { askRevisably } from '../../questions/revisable.ts';
import { requireConfirmation } from '../../questions/values.ts';
import { namesOf, refsArgument } from './shown-keys.ts';

export const revoke = defineCommand({
  summary: 'Revoke active keys at once',
  description:
    'Access stops with the very next request; no replacement key is made. All of them or none.',
  arguments: [refsArgument],
  fields: withInner('key', keyFields),
  flags: { yes: yesFlag },
  examples: [
    ['hkctl keys revoke hk_Ab3dE', 'asks first'],
    ['hkctl keys revoke', 'offers the active keys'],
    ['hkctl keys revoke hk_Ab3dE hk_9xYz0 --yes', 'two at once, from a script'],
  ],
  confirms: true,
  required: (_flags, [ref]) => ({ REF: ref }),
  needs: (_flags, refs) => ['key.revoke', refs.join(' ')],
  async run(context, _flags, refs, session) {
    const { domain, actor } = session;
    const keys = await askRevisably(context, async (revisable) => {
      const chosenKeys = await keysOrAsk(revisable, session, refs);
      await requireActive(domain, actor, chosenKeys, 'revoked');
      await confirmRevocation(revisable, chosenKeys, domain.clock());
      return chosenKeys;
    });
    const revoked = await revokeKeys(domain, actor, keys);
    const revokedJson = revoked.map((key) => ({ key: keyJson(key, domain.clock()) }));
    if (context.json) {
      context.printJson(refs.length > 1 ? revokedJson : revokedJson[0]);
      return;
    }
    for (const key of revoked) context.confirm(`API key revoked: ${key.name} (${key.prefix})`);
  },
});

async function confirmRevocation(
  context: Context,
  keys: readonly Key[],
  nowMs: number,
): Promise<void> {
  const title = keys.length === 1 ? 'Revoke API key' : `Revoke ${keys.length} API keys`;
  const effect = 'Access stops at once; no replacement key is created.';
  const question = `${title}: ${namesOf(keys)}. ${effect}`;
  const action = keys.length === 1 ? 'Revoke key' : 'Revoke keys';
  await requireConfirmation(context, question, action, lastUses(keys, nowMs));
}
