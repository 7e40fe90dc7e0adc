import { HkctlError } from '../../../core/errors.ts';
import { verifySecret } from '../../../core/keys/keys.ts';
import { refusals } from '../../../core/keys/refusals.ts';
import type { Key } from '../../../core/port/keys.ts';
import { defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { withInner } from '../../command/json-fields.ts';
import { keyFields, keyJson, printSentence } from '../../command/output.ts';
import { canAsk } from '../../terminal/io.ts';

export const keysVerifyCommand = defineCommand({
  summary: 'Report which key a secret belongs to, and whether it would be let in',
  description:
    'Reads the secret from standard input, on a terminal from a hidden prompt. Exit code 0: it would be let in; 5: it would not, and why; 3: no key has it.',
  excessGuidance: () => 'hkctl keys verify < FILE reads the secret from a file.',
  fields: [...withInner('key', keyFields), 'let_in', 'reason'],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl keys verify < erp.key', 'a secret in a file'],
    ['hkctl keys verify', 'asks for it, without showing it'],
  ],
  needs: () => ['key.verify', 'secret'],
  async run(context, _flags, _args, { domain, actor }) {
    const secret = await readSecret(context);
    const { key, refusal } = await verifySecret(domain, actor, secret);
    if (context.json) {
      context.printJson({
        key: keyJson(key, domain.clock()),
        let_in: refusal === undefined,
        reason: refusal ?? null,
      });
    } else {
      const ofSite = key.entity ? ` of ${key.entity.code}` : '';
      const outcome = refusal === undefined ? `let in${fromOf(key)}` : 'refused';
      printSentence(context, `${key.name} (${key.prefix})${ofSite} would be ${outcome}.`);
    }
    if (refusal !== undefined) throw new HkctlError(refusal, refusals[refusal].detail);
  },
});

function fromOf({ allowedIps }: Key): string {
  return allowedIps.length === 0 ? '' : `, only from ${allowedIps.join(', ')}`;
}

const longestBytes = 4096;

async function readSecret(context: Context): Promise<string> {
  const { io } = context;
  if (!context.asksNothing && canAsk(io)) {
    const { askHidden } = await import('../../prompts/prompts.ts');
    return (await askHidden(io, 'Secret')).trim();
  }
  if (io.stdinIsTTY) {
    throw new HkctlError('usage', 'The secret would stay on this terminal.', {
      hint: 'hkctl keys verify < FILE',
    });
  }
  let secretText = '';
  for await (const chunk of io.stdin) {
    secretText += String(chunk);
    if (secretText.length > longestBytes) break;
  }
  if (secretText.trim() === '')
    throw new HkctlError('usage', 'No secret on standard input.', {
      hint: 'hkctl keys verify < FILE',
    });
  return secretText.trim();
}
