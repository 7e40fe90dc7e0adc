import { updateUser, workingKeysOfUser } from '../../../core/organization/users.ts';
import { defineCommand } from '../../command.ts';
import { userJson } from '../../terminal/output.ts';
import { resumed } from '../keys/names.ts';
import { loginArgument } from './login-argument.ts';

/** `hkctl users activate` */
export const activate = defineCommand({
  name: 'activate',
  summary: 'Let a profile act again, and the keys it created work',
  arguments: [loginArgument],
  flags: {},
  examples: [['hkctl users activate alice', 'from the next request on']],
  needs: (_flags, [login = '']) => ({ permissions: ['users.manage'], action: 'user.activate', target: login }),
  async run(context, _flags, [login = '']) {
    const { domain, actor } = await context.session();
    const before = await workingKeysOfUser(domain, actor, login);
    const user = await updateUser(domain, actor, login, { status: 'active' });
    if (context.json) context.printJson(userJson(user));
    else {
      const keys = await workingKeysOfUser(domain, actor, login);
      context.confirm(`User activated: ${user.name} (${user.login}). ${resumed(before, keys)}`);
    }
  },
});
