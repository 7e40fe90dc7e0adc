import { keyNeeds } from '../../../core/keys/key-permissions.ts';
import { setNote } from '../../../core/keys/notes.ts';
import { requireKey } from '../../../core/keys/references.ts';
import { baseUrlFlag, defineCommand, type Noun, yesFlag } from '../../command.ts';
import { toggle } from '../../flags.ts';
import { canAsk } from '../../terminal/io.ts';
import { keyJson } from '../../terminal/output.ts';
import { canDraw } from '../../terminal/style.ts';
import { create } from './create.ts';
import { list, listAll, listFlags } from './list.ts';
import { revoke } from './revoke.ts';
import { rotate } from './rotate/rotate.ts';
import { scan } from './scan/scan.ts';
import { show } from './show.ts';
import { verify } from './verify.ts';

/** `hkctl keys`: the settings page on a terminal, else as `keys list`. */
const browse = defineCommand({
  name: 'browse',
  summary: 'Browse keys on a terminal; piped as keys list',
  description:
    'on a terminal the settings page of the keys: tiles with Create key, Rotate, Revoke, Show inactive keys and Documentation. Piped, as hkctl keys list; it takes the same flags. --plain gives questions and plain lines instead of a drawn page (screen readers).',
  // A terminal has no pipe to close.
  readOnly: true,
  flags: {
    ...listFlags,
    baseUrl: baseUrlFlag,
    plain: toggle('--plain', 'questions and plain lines instead of a drawn page'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl keys', 'the page'],
    ['hkctl keys --plain', 'for a screen reader'],
    ['hkctl keys --all', 'inactive keys, too'],
  ],
  async run(context, { plain, ...given }) {
    const { io, json } = context;
    if (json || !io.stdout.isTTY || !canAsk(io)) return listAll(context, given);
    if (plain || !canDraw(io.env, io.stdout)) {
      const { browseLinearly } = await import('../../settings-page/linear.ts');
      return browseLinearly(context, given);
    }
    const { browsePage } = await import('../../settings-page/page.ts');
    return browsePage(context, given);
  },
});

const note = defineCommand({
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

export const keys: Noun = {
  name: 'keys',
  summary: 'Create, list, rotate and revoke API keys',
  verbs: [create, list, show, rotate, revoke, note, verify, scan],
  bare: browse,
};
