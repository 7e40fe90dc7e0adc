import { requireAnotherSuperUser, updateUser, workingKeysOfUser } from '../../../core/organization/users.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { requireConfirmation } from '../../questions/confirmation.ts';
import { userJson } from '../../terminal/output.ts';
import { stopped, stopping } from '../keys/names.ts';
import { loginArgument } from './login-argument.ts';

/** `hkctl users deactivate` */
export const deactivate = defineCommand({
  name: 'deactivate',
  summary: 'Stop a profile and the keys it created, until it is activated again',
  arguments: [loginArgument],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl users deactivate alice', 'names the keys that stop, and asks'],
    ['hkctl users deactivate alice --yes', 'from a script'],
  ],
  confirms: true,
  needs: (_flags, [login = '']) => ({ permissions: ['users.manage'], action: 'user.deactivate', target: login }),
  async run(context, { yes }, [login = '']) {
    const { domain, actor } = await context.session();
    await requireAnotherSuperUser(domain, actor, login);
    const keys = await workingKeysOfUser(domain, actor, login);
    await requireConfirmation(context, yes, `Deactivate user ${login}? ${stopping(keys)}`, 'Deactivate');
    const user = await updateUser(domain, actor, login, { status: 'inactive' });
    if (context.json) context.printJson(userJson(user));
    else context.confirm(`User deactivated: ${user.name} (${user.login}). ${stopped(keys)}`);
  },
});
