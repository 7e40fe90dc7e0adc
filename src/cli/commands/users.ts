import { type Role, roleHolds, roleNames, roles } from '../../core/access/roles.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { HkctlError } from '../../core/errors.ts';
import {
  addUser,
  requireAnotherSuperUser,
  updateUser,
  workingKeysOfUser,
} from '../../core/organization/users.ts';
import type { User } from '../../core/port/users.ts';
import { requireLabel } from '../../core/text/labels.ts';
import { counted } from '../../core/text/words.ts';
import { defineCommand, type Noun, yesFlag } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { listFlag, oneOf, requireOneOf, textFlag, toggle } from '../command/flags.ts';
import { confinementOf, userFields, userJson } from '../command/output.ts';
import { askRevisably } from '../questions/revisable.ts';
import { askerOf, requireConfirmation, textOrAsk } from '../questions/values.ts';
import { type Column, columnsFlag, printSummary, printTable } from '../table/table.ts';
import { paintStatus } from '../terminal/style.ts';
import { resumed, stopped, stopping } from './keys/shown-keys.ts';

const loginArgument = { spelling: '<LOGIN>', doc: 'login of the profile' };

const entityFlag = listFlag(
  '--entity <CODE>',
  'confine the profile to this entity: it sees and does everything for it alone (repeatable)',
);

const roleOf = ({ role }: User) => roles[role].label;

/** Reports a changed profile, with the entities to which it is confined. */
async function report(
  context: Context,
  domain: Domain,
  user: User,
  sentence: string,
): Promise<void> {
  const entities = await domain.store.entities.list(user.tenantId);
  const entityCodes = confinementOf(user, entities);
  if (!entityCodes) {
    context.report(userJson(user, entities), sentence);
    return;
  }
  const codesText = entityCodes.join(', ') || 'none';
  const withoutPeriod = sentence.replace(/\.$/, '');
  context.report(userJson(user, entities), `${withoutPeriod}. Entities: ${codesText}`);
}

const listCommand = defineCommand({
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
    const { tenantId } = actor.user;
    const users = await domain.store.users.list(tenantId);
    const entities = await domain.store.entities.list(tenantId);

    const { style } = context;
    const codesOf = (user: User) => confinementOf(user, entities)?.join(', ');
    const columns: Column<User>[] = [
      { heading: 'LOGIN', cell: ({ login }) => login, paint: style.cyan, min: 12 },
      { heading: 'NAME', cell: ({ name }) => name, min: 16 },
      {
        heading: 'ROLE',
        cell: ({ role }) => `${roles[role].label} (${role})`,
        min: 12,
        leaveOut: 1,
      },
    ];
    // Most organizations confine nobody.
    if (users.some(({ entityIds }) => entityIds !== null))
      columns.push({ heading: 'ENTITIES', cell: (user) => codesOf(user) ?? 'all', min: 8 });
    columns.push({ heading: 'STATUS', cell: ({ status }) => status, paint: paintStatus(style) });

    const json = (user: User) => userJson(user, entities);
    await printTable(context, columns, users, { json, none: 'No users.', chosen });

    const inactiveCount = users.filter(({ status }) => status === 'inactive').length;
    const counts = [counted(users.length, 'user')];
    if (inactiveCount > 0) counts.push(`${inactiveCount} inactive`);
    await printSummary(context, counts, 'hkctl users add LOGIN');
  },
});

const addCommand = defineCommand({
  summary: 'Add a profile',
  fields: userFields,
  description:
    'A login is the account of the operating system that it acts for; it is unique in the store.',
  arguments: [loginArgument],
  flags: {
    name: textFlag('--name <NAME>', 'name of the person or service'),
    role: oneOf('--role <ROLE>', roleNames, 'what the profile may do'),
    entities: entityFlag,
    yes: yesFlag,
  },
  examples: [
    ['hkctl users add alice --name "Alice Ng" --role entity_admin', 'may manage keys'],
    ['hkctl users add bob --name "Bob Ek" --role entity_admin --entity BER', 'of one entity only'],
  ],
  needs: (_flags, [login = '']) => ['user.add', login],
  required: ({ name, role }) => ({ '--name': name, '--role': role }),
  async run(context, flags, [login = ''], { domain, actor }) {
    const { name, role } = await askRevisably(context, async (revisable) => ({
      name: await textOrAsk(revisable, flags.name, 'Name', (text) =>
        requireLabel(text, 'The name of a user'),
      ),
      role: flags.role ?? (await askRole(revisable)),
    }));
    const { entities } = flags;
    const user = await addUser(domain, actor, { login, name, role, entities });
    const sentence = `User added: ${user.name} (${user.login}), ${roleOf(user)}`;
    await report(context, domain, user, sentence);
    context.say(`This role ${keyRightsOf(role)}.`);
  },
});

async function askRole({ io }: Context): Promise<Role> {
  const choices = roleNames.map((value) => ({
    name: roles[value].label,
    value,
    description: keyRightsOf(value),
  }));
  const asker = await askerOf(io);
  // A Super user should never be made by Enter alone.
  return asker.choice('Role', choices, 'operator');
}

/** A role's rights to keys, which its name does not tell. */
function keyRightsOf(role: Role): string {
  return roleHolds(role, 'api_keys.create')
    ? 'may view, create, rotate and revoke API keys'
    : 'may neither view nor change API keys';
}

const setRoleCommand = defineCommand({
  summary: 'Give a profile another role, or confine it to entities',
  fields: userFields,
  description:
    'Without --entity and --all-entities it stays confined as it is; a Super user is confined to none.',
  arguments: [loginArgument, { spelling: '<ROLE>', doc: roleNames.join(', ') }],
  flags: {
    entities: entityFlag,
    allEntities: toggle('--all-entities', 'let the profile see every entity again'),
  },
  examples: [
    ['hkctl users set-role alice super_user', 'may do everything'],
    [
      'hkctl users set-role bob entity_admin --entity BER --entity CHI',
      'may manage keys of two entities',
    ],
  ],
  needs: (_flags, [login = '']) => ['user.set_role', login],
  async run(context, flags, [login = '', roleName = ''], { domain, actor }) {
    const { entities, allEntities } = flags;
    const role = requireOneOf(roleName, roleNames);
    if (allEntities && entities.length > 0)
      throw new HkctlError('usage', 'Give either --entity or --all-entities.');
    const change = { role, entities: allEntities ? ('all' as const) : entities };
    const user = await updateUser(domain, actor, login, change);
    const sentence = `Role set: ${user.name} (${user.login}) is ${roleOf(user)}`;
    await report(context, domain, user, sentence);
  },
});

const activateCommand = defineCommand({
  summary: 'Let a profile act again, and the keys it created work',
  fields: userFields,
  arguments: [loginArgument],
  examples: [['hkctl users activate alice', 'from the next request on']],
  needs: (_flags, [login = '']) => ['user.activate', login],
  async run(context, _flags, [login = ''], { domain, actor }) {
    const keysBefore = await workingKeysOfUser(domain, actor, login);
    const user = await updateUser(domain, actor, login, { status: 'active' });
    const keysAfter = await workingKeysOfUser(domain, actor, login);
    const effect = resumed(keysBefore, keysAfter);
    const sentence = `User activated: ${user.name} (${user.login}). ${effect}`;
    await report(context, domain, user, sentence);
  },
});

const deactivateCommand = defineCommand({
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
    const sentence = `User deactivated: ${user.name} (${user.login}). ${stopped(keys)}`;
    await report(context, domain, user, sentence);
  },
});

export default {
  verbs: {
    list: listCommand,
    add: addCommand,
    activate: activateCommand,
    deactivate: deactivateCommand,
    'set-role': setRoleCommand,
  },
} satisfies Noun;
