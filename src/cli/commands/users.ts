import { requirePermissions } from '../../core/access/actors.ts';
import { roleNames, roles } from '../../core/access/roles.ts';
import {
  addUser,
  listUsers,
  requireAnotherSuperUser,
  updateUser,
  workingKeysOfUser,
} from '../../core/organization/users.ts';
import { requireLabel } from '../../core/text/labels.ts';
import { defineCommand, type Noun, yesFlag } from '../command.ts';
import { requireConfirmation, valueOrAsk } from '../context.ts';
import { oneOf, requireOneOf, text } from '../flags.ts';
import { printTable, userJson } from '../terminal/output.ts';
import { sentenceOf } from '../terminal/sentence.ts';
import { resumed, stopped, stopping } from './entities.ts';

const loginWord = { spelling: '<LOGIN>', doc: 'login of the profile' };

const list = defineCommand({
  name: 'list',
  summary: 'List the profiles of the organization',
  readOnly: true,
  flags: {},
  examples: [['hkctl users list', 'all of them']],
  async run(context) {
    const { domain, actor } = await context.session();
    const users = await listUsers(domain, actor);
    if (context.json) context.printJson(users.map(userJson));
    else {
      const rows = users.map(({ login, name, role, status }) => [
        context.style.cyan(login),
        name,
        `${roles[role].label} (${role})`,
        status,
      ]);
      await printTable(context, ['LOGIN', 'NAME', 'ROLE', 'STATUS'], rows, 'No users.');
    }
  },
});

const add = defineCommand({
  name: 'add',
  summary: 'Add a profile',
  description: 'A login is the account of the operating system that it acts for; it is unique in the store.',
  words: [loginWord],
  flags: {
    name: text('--name <NAME>', 'name of the person or service'),
    role: oneOf('--role <ROLE>', roleNames, 'what the profile may do'),
    yes: yesFlag,
  },
  examples: [['hkctl users add alice --name "Alice Ng" --role entity_admin', 'may manage keys']],
  async run(context, flags, [login = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['users.manage'], { action: 'user.add', target: login });
    const name = await valueOrAsk(context, flags.name, '--name', async () => {
      const { askText } = await import('../terminal/prompts.ts');
      return askText(context.io, 'Name', (given) => sentenceOf(() => requireLabel(given, 'A name')));
    });
    const role = await valueOrAsk(context, flags.role, '--role', async () => {
      const { askChoice } = await import('../terminal/prompts.ts');
      return askChoice(
        context.io,
        'Role',
        roleNames.map((value) => ({ name: roles[value].label, value })),
      );
    });
    const user = await addUser(domain, actor, { login, name, role });
    if (context.json) context.printJson(userJson(user));
    else context.print(`User added: ${user.name} (${user.login}), ${roles[user.role].label}`);
  },
});

const activate = defineCommand({
  name: 'activate',
  summary: 'Let a profile act again, and the keys it created work',
  words: [loginWord],
  flags: {},
  examples: [['hkctl users activate alice', 'from the next request on']],
  async run(context, _flags, [login = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['users.manage'], { action: 'user.activate', target: login });
    const before = await workingKeysOfUser(domain, actor, login);
    const user = await updateUser(domain, actor, login, { status: 'active' });
    if (context.json) context.printJson(userJson(user));
    else {
      const keys = await workingKeysOfUser(domain, actor, login);
      context.print(`User activated: ${user.name} (${user.login}). ${resumed(before, keys)}`);
    }
  },
});

const deactivate = defineCommand({
  name: 'deactivate',
  summary: 'Stop a profile and the keys it created, until it is activated again',
  words: [loginWord],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl users deactivate alice', 'tells which keys stop and asks'],
    ['hkctl users deactivate alice --yes', 'from a script'],
  ],
  async run(context, { yes }, [login = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['users.manage'], { action: 'user.deactivate', target: login });
    await requireAnotherSuperUser(domain, actor, login);
    const keys = await workingKeysOfUser(domain, actor, login);
    await requireConfirmation(context, yes, `Deactivate user ${login}? ${stopping(keys)}`, 'Deactivate');
    const user = await updateUser(domain, actor, login, { status: 'inactive' });
    if (context.json) context.printJson(userJson(user));
    else context.print(`User deactivated: ${user.name} (${user.login}). ${stopped(keys)}`);
  },
});

const setRole = defineCommand({
  name: 'set-role',
  summary: 'Give a profile another role',
  words: [loginWord, { spelling: '<ROLE>', doc: roleNames.join(', ') }],
  flags: {},
  examples: [['hkctl users set-role alice super_user', 'may do everything']],
  async run(context, _flags, [login = '', role = '']) {
    const wanted = requireOneOf(role, roleNames);
    const { domain, actor } = await context.session();
    const user = await updateUser(domain, actor, login, { role: wanted });
    if (context.json) context.printJson(userJson(user));
    else context.print(`Role set: ${user.name} (${user.login}) is ${roles[user.role].label}`);
  },
});

/** `hkctl users …` */
export const users: Noun = {
  name: 'users',
  summary: 'User profiles and their roles',
  verbs: [list, add, activate, deactivate, setRole],
};
