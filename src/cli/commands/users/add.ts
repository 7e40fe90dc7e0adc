import { roleNames, roles } from '../../../core/access/roles.ts';
import { addUser } from '../../../core/organization/users.ts';
import { requireLabel } from '../../../core/text/labels.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { oneOf, text } from '../../flags.ts';
import { textOrAsk, valueOrAsk } from '../../questions/values.ts';
import { userJson } from '../../terminal/output.ts';
import { loginArgument } from './login-argument.ts';

/** `hkctl users add` */
export const add = defineCommand({
  name: 'add',
  summary: 'Add a profile',
  description: 'A login is the account of the operating system that it acts for; it is unique in the store.',
  arguments: [loginArgument],
  flags: {
    name: text('--name <NAME>', 'name of the person or service'),
    role: oneOf('--role <ROLE>', roleNames, 'what the profile may do'),
    yes: yesFlag,
  },
  examples: [['hkctl users add alice --name "Alice Ng" --role entity_admin', 'may manage keys']],
  needs: (_flags, [login = '']) => ({ permissions: ['users.manage'], action: 'user.add', target: login }),
  required: ({ name, role }) => ({ '--name': name, '--role': role }),
  async run(context, flags, [login = '']) {
    const { domain, actor } = await context.session();
    const name = await textOrAsk(context, flags.name, {
      flag: '--name',
      question: 'Name',
      rule: (given) => requireLabel(given, 'A name'),
    });
    const role = await valueOrAsk(context, flags.role, '--role', async () => {
      const { askChoice } = await import('../../terminal/prompts/prompts.ts');
      return askChoice(
        context.io,
        'Role',
        roleNames.map((value) => ({ name: roles[value].label, value })),
      );
    });
    const user = await addUser(domain, actor, { login, name, role });
    if (context.json) context.printJson(userJson(user));
    else context.confirm(`User added: ${user.name} (${user.login}), ${roles[user.role].label}`);
  },
});
