import { roleNames, roles } from '../../core/access/roles.ts';
import {
  addUser,
  requireAnotherSuperUser,
  updateUser,
  workingKeysOfUser,
} from '../../core/organization/users.ts';
import type { User } from '../../core/port/users.ts';
import { requireLabel } from '../../core/text/labels.ts';
import { defineCommand, type Noun, yesFlag } from '../command/command.ts';
import { oneOf, requireOneOf, text } from '../command/flags.ts';
import { userFields, userJson } from '../command/output.ts';
import { askerOf, requireConfirmation, textOrAsk } from '../questions/values.ts';
import { columnsFlag, printSummary, printTable } from '../table/table.ts';
import { counted } from '../terminal/sentence.ts';
import { paintStatus } from '../terminal/style.ts';
import { resumed, stopped, stopping } from './keys/names.ts';

const loginArgument = { spelling: '<LOGIN>', doc: 'login of the profile' };

const list = defineCommand({
  summary: 'List the profiles of the organization',
  readOnly: true,
  fields: userFields,
  flags: { columns: columnsFlag },
  examples: [
    ['hkctl users list', 'all of them'],
    ['hkctl users list --json login,role', 'two fields of each'],
  ],
  needs: () => ['user.list', 'users'],
  async run(context, { columns: chosen }, _args, { domain, actor }) {
    const users = await domain.store.users.list(actor.user.tenantId);
    const { style } = context;
    const columns = [
      { heading: 'LOGIN', cell: ({ login }: User) => login, paint: style.cyan, min: 12 },
      { heading: 'NAME', cell: ({ name }: User) => name, min: 16 },
      {
        heading: 'ROLE',
        cell: ({ role }: User) => `${roles[role].label} (${role})`,
        min: 12,
        leaveOut: 1,
      },
      { heading: 'STATUS', cell: ({ status }: User) => status, paint: paintStatus(style) },
    ];
    await printTable(context, columns, users, { json: userJson, none: 'No users.', chosen });
    const inactive = users.filter(({ status }) => status === 'inactive').length;
    const counts = [
      counted(users.length, 'user'),
      ...(inactive > 0 ? [`${inactive} inactive`] : []),
    ];
    await printSummary(context, counts, 'hkctl users add LOGIN');
  },
});

const add = defineCommand({
  summary: 'Add a profile',
  fields: userFields,
  description:
    'A login is the account of the operating system that it acts for; it is unique in the store.',
  arguments: [loginArgument],
  flags: {
    name: text('--name <NAME>', 'name of the person or service'),
    role: oneOf('--role <ROLE>', roleNames, 'what the profile may do'),
    yes: yesFlag,
  },
  examples: [['hkctl users add alice --name "Alice Ng" --role entity_admin', 'may manage keys']],
  needs: (_flags, [login = '']) => ['user.add', login],
  required: ({ name, role }) => ({ '--name': name, '--role': role }),
  async run(context, flags, [login = ''], { domain, actor }) {
    const name = await textOrAsk(context, flags.name, 'Name', (given) =>
      requireLabel(given, 'The name of a user'),
    );
    const choices = roleNames.map((value) => ({ name: roles[value].label, value }));
    const role = flags.role ?? (await (await askerOf(context.io)).choice('Role', choices));
    const user = await addUser(domain, actor, { login, name, role });
    context.report(
      userJson(user),
      `User added: ${user.name} (${user.login}), ${roles[user.role].label}`,
    );
  },
});

const setRole = defineCommand({
  summary: 'Give a profile another role',
  fields: userFields,
  arguments: [loginArgument, { spelling: '<ROLE>', doc: roleNames.join(', ') }],
  examples: [['hkctl users set-role alice super_user', 'may do everything']],
  async run(context, _flags, [login = '', role = '']) {
    const wanted = requireOneOf(role, roleNames);
    const { domain, actor } = await context.session();
    const user = await updateUser(domain, actor, login, { role: wanted });
    context.report(
      userJson(user),
      `Role set: ${user.name} (${user.login}) is ${roles[user.role].label}`,
    );
  },
});

const activate = defineCommand({
  summary: 'Let a profile act again, and the keys it created work',
  fields: userFields,
  arguments: [loginArgument],
  examples: [['hkctl users activate alice', 'from the next request on']],
  needs: (_flags, [login = '']) => ['user.activate', login],
  async run(context, _flags, [login = ''], { domain, actor }) {
    const before = await workingKeysOfUser(domain, actor, login);
    const user = await updateUser(domain, actor, login, { status: 'active' });
    const keys = await workingKeysOfUser(domain, actor, login);
    context.report(
      userJson(user),
      `User activated: ${user.name} (${user.login}). ${resumed(before, keys)}`,
    );
  },
});

const deactivate = defineCommand({
  summary: 'Stop a profile and the keys it created, until it is activated again',
  fields: userFields,
  arguments: [loginArgument],
  flags: { yes: yesFlag },
  examples: [
    ['hkctl users deactivate alice', 'names the keys that stop, and asks'],
    ['hkctl users deactivate alice --yes', 'from a script'],
  ],
  confirms: true,
  needs: (_flags, [login = '']) => ['user.deactivate', login],
  async run(context, _flags, [login = ''], { domain, actor }) {
    await requireAnotherSuperUser(domain, actor, login);
    const keys = await workingKeysOfUser(domain, actor, login);
    await requireConfirmation(context, `Deactivate user ${login}? ${stopping(keys)}`, 'Deactivate');
    const user = await updateUser(domain, actor, login, { status: 'inactive' });
    context.report(
      userJson(user),
      `User deactivated: ${user.name} (${user.login}). ${stopped(keys)}`,
    );
  },
});

export default { verbs: { list, add, activate, deactivate, 'set-role': setRole } } satisfies Noun;
