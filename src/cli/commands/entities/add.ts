import { addEntity } from '../../../core/organization/entities.ts';
import { requireLabel } from '../../../core/text/labels.ts';
import { isTimezone } from '../../../core/time/calendar.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { text } from '../../flags.ts';
import { textOrAsk, valueOrAsk } from '../../questions/values.ts';
import { entityJson } from '../../terminal/output.ts';
import { codeArgument } from './code-argument.ts';

/** `hkctl entities add` */
export const add = defineCommand({
  name: 'add',
  summary: 'Add an entity',
  arguments: codeArgument,
  flags: {
    name: text('--name <NAME>', 'name of the site'),
    timezone: text('--timezone <ZONE>', 'IANA time zone, such as Europe/Berlin'),
    yes: yesFlag,
  },
  examples: [['hkctl entities add CHI --name "Chicago plant" --timezone America/Chicago', 'a second site']],
  needs: (_flags, [code = '']) => ({ permissions: ['entities.manage'], action: 'entity.add', target: code }),
  required: ({ name, timezone }) => ({ '--name': name, '--timezone': timezone }),
  async run(context, flags, [code = '']) {
    const { domain, actor } = await context.session();
    const name = await textOrAsk(context, flags.name, {
      flag: '--name',
      question: 'Name',
      rule: (given) => requireLabel(given, 'A name'),
    });
    const timezone = await valueOrAsk(context, flags.timezone, '--timezone', async () => {
      const { askText } = await import('../../terminal/prompts/prompts.ts');
      return askText(context.io, 'IANA time zone', (given) => (isTimezone(given) ? undefined : 'No such time zone.'));
    });
    const entity = await addEntity(domain, actor, { code, name, timezone });
    if (context.json) context.printJson(entityJson(entity));
    else context.confirm(`Entity added: ${entity.name} (${entity.code})`);
  },
});
