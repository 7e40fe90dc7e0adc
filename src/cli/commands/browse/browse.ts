import { baseUrlFlag, defineCommand, yesFlag } from '../../command/command.ts';
import { toggle } from '../../command/flags.ts';
import { keyFields } from '../../command/output.ts';
import { canDraw } from '../../terminal/style.ts';
import { listAll, listFlags } from '../keys/list.ts';

/** `hkctl keys`: the settings page on a terminal, else as `keys list`. */
export const browse = defineCommand({
  summary: 'Browse keys on a terminal; piped as keys list',
  description:
    'on a terminal the settings page of the keys: tiles with Create key, Rotate, Revoke, Show inactive keys and Documentation. Piped, as hkctl keys list; it takes the same flags. --plain gives questions and plain lines instead of a drawn page (screen readers).',
  // A terminal has no pipe to close.
  readOnly: true,
  fields: keyFields,
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
  // A role that may not view keys reads so on the page; a list asks for the permission itself.
  needs: () => ['profile.use', 'keys'],
  async run(context, { plain, ...pageFlags }, _args, session) {
    const { io } = context;
    if (!io.stdout.isTTY || !context.canAsk) return listAll(context, session, pageFlags);
    if (plain || !canDraw(io.env, io.stdout)) {
      const { browseLinearly } = await import('./linear.ts');
      return browseLinearly(context, session, pageFlags);
    }
    const { browsePage } = await import('./page.ts');
    return browsePage(context, session, pageFlags);
  },
});
