import { requirePermissions } from '../../core/access/actors.ts';
import { HkctlError } from '../../core/errors.ts';
import { addTenant, listTenants, updateTenant } from '../../core/organization/tenants.ts';
import { requireLogin } from '../../core/organization/users.ts';
import { weekDays } from '../../core/time/calendar.ts';
import { defineCommand, type Noun, yesFlag } from '../command.ts';
import { valueOrAsk } from '../context.ts';
import { oneOf, text } from '../flags.ts';
import { printTable, tenantJson } from '../terminal/output.ts';
import { sentenceOf } from '../terminal/sentence.ts';

const weekStart = oneOf('--week-start <DAY>', weekDays, 'the day its weeks start on');

const list = defineCommand({
  name: 'list',
  summary: 'List organizations',
  description: 'A Super user of the first organization sees all of them, any other their own.',
  readOnly: true,
  flags: {},
  examples: [['hkctl tenants list', 'name and week start of each']],
  async run(context) {
    const { domain, actor } = await context.session();
    const tenants = await listTenants(domain, actor);
    if (context.json) context.printJson(tenants.map(tenantJson));
    else {
      const rows = tenants.map((tenant) => [tenant.name, tenant.weekStart, tenant.id]);
      await printTable(context, ['NAME', 'WEEK START', 'ID'], rows, 'No organizations.');
    }
  },
});

const add = defineCommand({
  name: 'add',
  summary: 'Add an organization with its first Super user',
  description: 'For a Super user of the first organization.',
  words: [{ spelling: '<NAME>', doc: 'name of the organization' }],
  flags: { admin: text('--admin <LOGIN>', 'login of its first Super user'), weekStart, yes: yesFlag },
  examples: [['hkctl tenants add "Acme Foundry" --admin bob --week-start sunday', 'bob manages it']],
  async run(context, flags, [name = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['tenant.manage'], { action: 'tenant.add', target: name });
    const login = await valueOrAsk(context, flags.admin, '--admin', async () => {
      const { askText } = await import('../terminal/prompts.ts');
      return askText(context.io, 'Login of its first Super user', (given) => sentenceOf(() => requireLogin(given)));
    });
    const input = { name, weekStart: flags.weekStart ?? 'monday', admin: { login, name: login } };
    const tenant = await addTenant(domain, actor, input);
    if (context.json) context.printJson(tenantJson(tenant));
    else context.print(`Organization added: ${tenant.name}; ${login} is its Super user`);
  },
});

const set = defineCommand({
  name: 'set',
  summary: 'Change name or week start of your organization',
  flags: { name: text('--name <NAME>', 'new name of the organization'), weekStart },
  examples: [['hkctl tenants set --week-start sunday', 'weekly ranges follow at once']],
  async run(context, { name, weekStart: day }) {
    if (name === undefined && day === undefined) {
      throw new HkctlError('usage', 'Nothing to change: give --name, --week-start or both.');
    }
    const { domain, actor } = await context.session();
    const tenant = await updateTenant(domain, actor, { name, weekStart: day });
    if (context.json) context.printJson(tenantJson(tenant));
    else context.print(`Organization set: ${tenant.name}, weeks start on ${tenant.weekStart}`);
  },
});

/** `hkctl tenants …` */
export const tenants: Noun = { name: 'tenants', summary: 'Organizations and their settings', verbs: [list, add, set] };
