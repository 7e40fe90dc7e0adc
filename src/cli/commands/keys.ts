import { setNote } from '../../core/keys/keys.ts';
import { requireKey } from '../../core/keys/references.ts';
import { defineCommand, type Noun } from '../command/command.ts';
import { withInner } from '../command/json-fields.ts';
import { keyFields, keyJson } from '../command/output.ts';
import { browse } from './browse/browse.ts';
import { create } from './keys/create.ts';
import { keyGuidance } from './keys/guidance.ts';
import { keysListCommand } from './keys/list.ts';
import { revoke } from './keys/revoke.ts';
import { rotate } from './keys/rotate/rotate.ts';
import { keysScanCommand } from './keys/scan/scan.ts';
import { keysShowCommand } from './keys/show.ts';
import { keysVerifyCommand } from './keys/verify.ts';

const note = defineCommand({
  summary: 'Set or clear the note of a key',
  description:
    'The note is the only thing about a key that changes without a new secret. An empty text clears it. A rotation keeps it.',
  arguments: [
    { spelling: '<REF>', doc: 'id, prefix, or a name that only one active key has' },
    {
      spelling: '<TEXT>',
      doc: 'up to 500 characters on one line; "" clears the note',
      mayBeBlank: true,
    },
  ],
  examples: [
    ['hkctl keys note hk_Ab3dE "Line 3, ask Ada (ext. 4711)"', 'says whose it is'],
    ['hkctl keys note hk_Ab3dE ""', 'clears it'],
  ],
  fields: withInner('key', keyFields),
  needs: (_flags, [ref = '']) => ['key.note', ref],
  async run(context, _flags, [ref = '', noteText = ''], { domain, actor }) {
    const namedKey = await requireKey(domain, actor, ref);
    const key = await setNote(domain, actor, namedKey, noteText);
    if (context.json) {
      context.printJson({ key: keyJson(key, domain.clock()) });
      return;
    }
    const effect = key.note === null ? 'cleared' : 'set';
    context.say(`Note ${effect}: ${key.name} (${key.prefix})`);
  },
});

export default {
  verbs: {
    create,
    list: keysListCommand,
    show: keysShowCommand,
    rotate,
    revoke,
    note,
    verify: keysVerifyCommand,
    scan: keysScanCommand,
  },
  bare: browse,
  guidance: keyGuidance,
} satisfies Noun;
