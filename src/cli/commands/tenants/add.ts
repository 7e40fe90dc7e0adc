import { addTenant } from '../../../core/organization/tenants.ts';
import { requireLogin } from '../../../core/organization/users.ts';
import { defineCommand, yesFlag } from '../../command.ts';
import { text } from '../../flags.ts';
import { textOrAsk } from '../../questions/values.ts';
import { tenantJson } from '../../terminal/output.ts';
import { weekStart } from './week-start.ts';

/** `hkctl tenants add` */
export const add = defineCommand({
  name: 'add',
  summary: 'Add an organization with its first Super user',
  description: 'For a Super user of the first organization.',
  arguments: [{ spelling: '<NAME>', doc: 'name of the organization' }],
  flags: { admin: text('--admin <LOGIN>', 'login of its first Super user'), weekStart, yes: yesFlag },
  examples: [['hkctl tenants add "Acme Foundry" --admin bob --week-start sunday', 'bob manages it']],
  needs: (_flags, [name = '']) => ({ permissions: ['tenant.manage'], action: 'tenant.add', target: name }),
  required: ({ admin }) => ({ '--admin': admin }),
  async run(context, flags, [name = '']) {
    const { domain, actor } = await context.session();
    const login = await textOrAsk(context, flags.admin, {
      flag: '--admin',
      question: 'Login of its first Super user',
      rule: requireLogin,
    });
    const input = { name, weekStart: flags.weekStart ?? 'monday', admin: { login, name: login } };
    const tenant = await addTenant(domain, actor, input);
    if (context.json) context.printJson(tenantJson(tenant));
    else context.confirm(`Organization added: ${tenant.name}; ${login} is its Super user`);
  },
});
