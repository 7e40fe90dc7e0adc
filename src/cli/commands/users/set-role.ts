import { roleNames, roles } from '../../../core/access/roles.ts';
import { updateUser } from '../../../core/organization/users.ts';
import { defineCommand } from '../../command.ts';
import { requireOneOf } from '../../flags.ts';
import { userJson } from '../../terminal/output.ts';
import { loginArgument } from './login-argument.ts';

/** `hkctl users set-role` */
export const setRole = defineCommand({
  name: 'set-role',
  summary: 'Give a profile another role',
  arguments: [loginArgument, { spelling: '<ROLE>', doc: roleNames.join(', ') }],
  flags: {},
  examples: [['hkctl users set-role alice super_user', 'may do everything']],
  async run(context, _flags, [login = '', role = '']) {
    const wanted = requireOneOf(role, roleNames);
    const { domain, actor } = await context.session();
    const user = await updateUser(domain, actor, login, { role: wanted });
    if (context.json) context.printJson(userJson(user));
    else context.confirm(`Role set: ${user.name} (${user.login}) is ${roles[user.role].label}`);
  },
});
