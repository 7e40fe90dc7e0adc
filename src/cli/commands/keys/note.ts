import { keyNeeds } from '../../../core/keys/key-permissions.ts';
import { setNote } from '../../../core/keys/notes.ts';
import { requireKey } from '../../../core/keys/references.ts';
import { defineCommand } from '../../command.ts';
import { keyJson } from '../../terminal/output.ts';

/** `hkctl keys note` */
export const note = defineCommand({
  name: 'note',
  summary: 'Set or clear the note of a key',
  description:
    'The note is the only thing about a key that changes without a new secret. An empty text clears it. A rotation keeps it.',
  arguments: [
    { spelling: '<REF>', doc: 'id, prefix, or a name that only one active key has' },
    { spelling: '<TEXT>', doc: 'up to 500 characters on one line; "" clears the note' },
  ],
  flags: {},
  examples: [
    ['hkctl keys note hk_Ab3dE "Line 3, ask Ada (ext. 4711)"', 'says whose it is'],
    ['hkctl keys note hk_Ab3dE ""', 'clears it'],
  ],
  needs: (_flags, [ref = '']) => keyNeeds('note', ref),
  async run(context, _flags, [ref = '', text = ''], actor) {
    const { domain } = await context.session();
    const key = await setNote(domain, actor, await requireKey(domain, actor, ref), text);
    if (context.json) context.printJson({ key: keyJson(key, domain.clock()) });
    else context.say(`Note ${key.note === null ? 'cleared' : 'set'}: ${key.name} (${key.prefix})`);
  },
});
