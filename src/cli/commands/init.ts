import { modeText } from '../../core/files/path-faults.ts';
import {
  countActiveKeys,
  requireEntityCode,
  requireTimezone,
} from '../../core/organization/entities.ts';
import { type FirstTenantInput, initialise } from '../../core/organization/tenants.ts';
import { requireLogin } from '../../core/organization/users.ts';
import { requireLabel } from '../../core/text/labels.ts';
import { weekDays } from '../../core/time/calendar.ts';
import { defineCommand, yesFlag } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { oneOf, textFlag, toggle } from '../command/flags.ts';
import { withInner } from '../command/json-fields.ts';
import { requireGiven } from '../command/missing.ts';
import {
  entityFields,
  entityJson,
  tenantFields,
  tenantJson,
  userFields,
  userJson,
} from '../command/output.ts';
import { askRevisably } from '../questions/revisable.ts';
import { askerOf, textOrAsk } from '../questions/values.ts';

const flags = {
  org: textFlag('--org <NAME>', 'name of the organization'),
  weekStart: oneOf('--week-start <DAY>', weekDays, 'the day its weeks start on (default monday)'),
  entity: textFlag('--entity <CODE>', 'code of the first entity (site)'),
  entityName: textFlag('--entity-name <NAME>', 'name of the first entity'),
  timezone: textFlag('--timezone <ZONE>', 'its IANA time zone, such as Europe/Berlin'),
  admin: textFlag('--admin <LOGIN>', 'login of the first Super user (default: the OS account)'),
  demo: toggle('--demo', 'also load a small made-up plant, which supplies missing values'),
  yes: yesFlag,
};

export default defineCommand({
  summary: 'Make a store with its first organization, entity and Super user',
  description: 'If a store exists already, nothing is changed (exit code 5).',
  fields: [
    'store',
    ...withInner('tenant', tenantFields),
    ...withInner('entity', entityFields),
    ...withInner('user', userFields),
  ],
  flags,
  examples: [
    ['hkctl init', 'asks for everything'],
    [
      'hkctl init --org "Acme" --entity BER --entity-name "Berlin plant" --timezone Europe/Berlin',
      'from a script',
    ],
    ['hkctl init --demo --store ./demo/hkctl.db', 'a made-up plant to try things on'],
  ],
  async run(context, flags) {
    const { io, services, storePath } = context;
    const existingEngine = await services.engine(storePath);
    await existingEngine.requireNone();

    const login = flags.admin ?? io.osAccount;
    const typedFlags = flags.demo ? { ...demoDefaults, ...presentValues(flags) } : flags;
    const input = await askRevisably(context, (revisable) =>
      completeInput(revisable, typedFlags, login),
    );

    let created: Awaited<ReturnType<typeof initialise>> | undefined;
    const engine = await services.engine(storePath, { makesFolder: true });
    const store = await engine.create(async (newStore) => {
      created = await initialise(context.domainOf(newStore), input, io.osAccount);
    });
    try {
      if (!created) throw new Error('a store is made with its first organization');
      const { tenant, entity, user } = created;
      const actor = { user, osAccount: io.osAccount };
      const demoSteps = flags.demo
        ? await services.loadDemo(context.domainOf(store), actor, entity)
        : [];

      if (context.json) {
        const [keys = 0] = await countActiveKeys(context.domainOf(store), [entity]);
        const result = {
          tenant: tenantJson(tenant),
          entity: entityJson(entity, keys),
          user: userJson(user, [entity]),
        };
        context.printJson({ store: storePath, ...result });
      } else {
        const entityText = `entity ${entity.name} (${entity.code})`;
        context.confirm(
          `Store made: ${storePath}`,
          `Organization ${tenant.name}, ${entityText}, Super user ${user.login}`,
        );
        if (flags.demo)
          context.confirm(
            'A made-up plant was loaded, with a day of readings and keys in every state.',
          );
        for (const openFolder of await openFolders(context)) {
          context.warn(
            `warning: others than its owner can write the folder ${openFolder}; best is a folder for the store alone, with mode 0700.`,
          );
        }
        context.say(`Next: hkctl keys create --entity ${entity.code}, then hkctl serve`);
        if (flags.demo) context.say('', 'Three things to try:');
        for (const [sentence, command] of demoSteps)
          context.say(`  ${sentence}`, `    hkctl ${command}`);
      }
    } finally {
      await store.close();
    }
  },
});

/** The folder of the new store, if its mode lets others write in it. */
async function openFolders({ services, storePath }: Context): Promise<string[]> {
  const engine = await services.engine(storePath);
  const inspection = await engine.inspect();
  const files = inspection.files?.() ?? [];
  return files
    .filter(({ kind, mode }) => kind === 'folder' && (mode & 0o022) !== 0)
    .map(({ path, mode }) => `${path} (mode ${modeText(mode)})`);
}

const demoDefaults = {
  org: 'Demo Castings',
  entity: 'BER',
  entityName: 'Berlin plant',
  timezone: 'Europe/Berlin',
  weekStart: 'monday',
} as const;

type InitFlags = Partial<Record<'org' | 'entity' | 'entityName' | 'timezone' | 'admin', string>> & {
  weekStart?: FirstTenantInput['weekStart'];
};

/** Validates all input before a store is created, so that a refusal leaves no store behind. */
async function completeInput(
  context: Context,
  flags: InitFlags,
  login: string,
): Promise<FirstTenantInput> {
  const required = {
    '--org': flags.org,
    '--entity': flags.entity,
    '--entity-name': flags.entityName,
    '--timezone': flags.timezone,
  };
  requireGiven(context, required);
  requireLogin(login);

  // If every required flag was given, the week start alone is no reason to ask.
  const asksNothing = !Object.values(required).includes(undefined);
  const requireNameOf = (noun: string) => (text: string) =>
    requireLabel(text, `The name of an ${noun}`);
  const organizationName = await textOrAsk(
    context,
    flags.org,
    'Name of the organization',
    requireNameOf('organization'),
  );
  const weekStart = flags.weekStart ?? (asksNothing ? 'monday' : await askWeekStart(context));

  const code = await textOrAsk(
    context,
    flags.entity,
    'Code of the first entity (site)',
    requireEntityCode,
  );
  const name = await textOrAsk(context, flags.entityName, 'Its name', requireNameOf('entity'));
  const hostTimezone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const timezone = await textOrAsk(
    context,
    flags.timezone,
    'Its time zone',
    requireTimezone,
    // Servers count in UTC wherever their plant is.
    utcNames.includes(hostTimezone) ? undefined : hostTimezone,
  );
  return {
    name: organizationName,
    weekStart,
    entity: { code, name, timezone },
    admin: { login, name: login },
  };
}

const utcNames = ['UTC', 'Etc/UTC', 'Etc/UCT', 'UCT', 'GMT', 'Etc/GMT', 'Zulu', 'Universal'];

async function askWeekStart(context: Context): Promise<FirstTenantInput['weekStart']> {
  if (!context.canAsk) return 'monday';
  const mondayFirst = [...weekDays.slice(1), weekDays[0]];
  const choices = mondayFirst.map((day) => ({ name: day, value: day }));
  const asker = await askerOf(context.io);
  return asker.choice('Weeks start on', choices, 'monday');
}

function presentValues<T extends object>(values: T): Partial<T> {
  const presentEntries = Object.entries(values).filter(([, value]) => value !== undefined);
  // Only entries are left out, so that the others keep their types.
  return Object.fromEntries(presentEntries) as Partial<T>;
}
