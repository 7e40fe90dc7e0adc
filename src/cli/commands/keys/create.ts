import {
  clientPermissions,
  type PresetName,
  permissionLabels,
  presets,
} from '../../../core/access/permissions.ts';
import type { Permitted } from '../../../core/domain/actors.ts';
import type { Domain } from '../../../core/domain/domain.ts';
import {
  latestDate,
  longestLifetimeOf,
  parseExpiry,
  requireAhead,
  requireWithinLifetime,
} from '../../../core/keys/expiry.ts';
import {
  type CreateKeyInput,
  createKey,
  requireActiveEntity,
  requireCreatable,
  requireKeyName,
} from '../../../core/keys/issuance.ts';
import { parseNote } from '../../../core/keys/keys.ts';
import { creationCommand } from '../../../core/keys/lapsed.ts';
import { parseNetwork, parseNetworks } from '../../../core/keys/networks.ts';
import { createIntoFile, requireFree } from '../../../core/keys/secret-files/into-file.ts';
import type { Entity } from '../../../core/port/entities.ts';
import type { Key } from '../../../core/port/keys.ts';
import { baseUrlFlag, baseUrlOf, defineCommand, yesFlag } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import {
  commaList,
  type FlagValues,
  oneOf,
  parsed,
  pathFlag,
  requireOneOf,
  textFlag,
  toggle,
} from '../../command/flags.ts';
import { withInner } from '../../command/json-fields.ts';
import { keyFields } from '../../command/output.ts';
import type { StoreSession } from '../../command/store-access.ts';
import { deliverFlag, deliveryStep, pipeAdvice, requireOnePlace } from '../../delivery/flags.ts';
import { decidedSentence, sayDiscarded } from '../../delivery/results.ts';
import { deliveryJson, requireReader } from '../../delivery/stdout.ts';
import { askEntity, askPermissions, entityOrAsk } from '../../questions/choices.ts';
import { askRevisably } from '../../questions/revisable.ts';
import { requireConfirmation, textOrAsk } from '../../questions/values.ts';
import { timesOf } from '../../table/shown-time.ts';

const presetNames = Object.keys(presets) as PresetName[]; // Object.keys loses the literal type of a const object

const flags = {
  name: textFlag('--name <NAME>', 'name of the key: the integration it is for'),
  entity: textFlag('--entity <CODE>', 'the entity (site) the key is bound to'),
  preset: oneOf('--preset <PRESET>', presetNames, 'permissions by preset'),
  permission: commaList(
    '--permission <KEY>',
    'one permission, adds to a preset (repeatable, or KEY,KEY)',
    (text) => requireOneOf(text, clientPermissions),
  ),
  allowIp: {
    ...commaList(
      '--allow-ip <CIDR>',
      'let it in only from this address or network, such as 10.0.0.0/8 (repeatable, or CIDR,CIDR)',
      parseNetwork,
    ),
    // A key without allowed addresses may be used from anywhere.
    requiresVariableValue: true as const,
  },
  note: {
    ...parsed(
      '--note <TEXT>',
      'a note of up to 500 characters: whose key it is, whom to ask',
      parseNote,
    ),
    mayBeBlank: true as const,
  },
  expires: textFlag(
    '--expires <WHEN>',
    'when it ends: never (default without a longest lifetime), 90d, 2027-01-31 or an RFC 3339 instant',
  ),
  copy: toggle('--copy', 'also copy the secret to the clipboard'),
  secretFile: pathFlag(
    '--secret-file <PATH>',
    'write the secret to a new file (mode 0600) instead',
    pipeAdvice,
  ),
  deliver: deliverFlag(
    'hand the secret to this command on its standard input; exit 0 creates the key',
  ),
  baseUrl: baseUrlFlag,
  yes: yesFlag,
};

type CreateFlags = FlagValues<typeof flags>;

export const create = defineCommand({
  summary: 'Create a key for one entity',
  description:
    'The secret is shown once and never again: on a terminal in a panel, else alone on standard output. It is delivered before the key is saved; if that fails, no key is created.',
  fields: [...withInner('key', keyFields), 'secret', 'secret_file'],
  flags,
  examples: [
    [
      'hkctl keys create --name "Oven gateway" --entity BER --preset sensor-gateway',
      'one key for a gateway',
    ],
    [
      'hkctl keys create --name ERP --entity BER --permission parts.view --expires 90d --secret-file erp.key',
      'into a file',
    ],
    [
      'hkctl keys create --name MES --entity BER --preset production-only --allow-ip 10.20.0.0/16 --note "Line 3, ext. 4711"',
      'from one network only, with a note',
    ],
    [
      `hkctl keys create --name ERP --entity BER --preset production-only --deliver "ssh erp 'umask 077; cat > hkctl.key'"`,
      'to another machine',
    ],
    ['hkctl keys create', 'asks for everything'],
  ],
  needs: ({ name = '' }) => ['key.create', name],
  required: ({ name, entity, preset, permission }) => ({
    '--name': name,
    '--entity': entity,
    '--preset or --permission': preset ?? permission[0],
  }),
  async run(context, flags, _args, session) {
    const { domain, actor } = session;
    const { deliver, secretFile } = flags;
    requireOnePlace(flags);
    if (secretFile !== undefined) await requireFree(domain, secretFile);
    else if (deliver === undefined) requireReader(context);
    const input = await askRevisably(context, (revisable) =>
      completeInput(revisable, session, flags),
    );
    const [key, secretPlace] = await createAndDeliver(context, domain, actor, input, flags);
    context.say(
      `API key created: ${key.name} (${key.prefix}) for ${key.entity?.code}${secretPlace}`,
      decidedSentence(key, domain.clock()),
    );

    const namesakes = await namesakesOf(domain, key);
    if (namesakes !== '') context.warn(namesakes);
  },
});

/** Creates the key and delivers its secret; returns the key, and the place of its secret for the last sentence. */
async function createAndDeliver(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.create'>,
  input: CreateKeyInput,
  flags: CreateFlags,
): Promise<[key: Key, secretPlace: string]> {
  const { deliver, secretFile } = flags;
  if (secretFile !== undefined) {
    const key = await createAndFile(context, domain, actor, input, { ...flags, secretFile });
    return [key, `; its secret is in ${secretFile}`];
  }

  const baseUrl = await baseUrlOf(domain, flags.baseUrl);
  const deliveryForm = { clock: domain.clock, keys: 1, several: false, done: 'API key created' };
  const { chooseDelivery } = await import('../../delivery/choose.ts');
  const delivery = chooseDelivery(context, { ...flags, ...deliveryForm, baseUrl });
  if (deliver === undefined) return [await createKey(domain, actor, input, delivery), ''];

  const pending = deliveryStep(context, deliver);
  const { createByCommand } = await import('../../../core/keys/deliveries.ts');
  const { key, isEarlier } = await createByCommand(domain, actor, input, delivery, pending);
  if (isEarlier) context.say('An earlier run of the same command has created the key.');
  if (context.json) context.printJson(deliveryJson(domain.clock(), [{ key }], false));
  return [key, '; its secret was delivered'];
}

async function createAndFile(
  context: Context,
  domain: Domain,
  actor: Permitted<'key.create'>,
  input: CreateKeyInput,
  { secretFile, copy }: CreateFlags & { secretFile: string },
): Promise<Key> {
  const filedKey = await createIntoFile(domain, actor, input, secretFile);
  const { key, secret } = filedKey;
  sayDiscarded(context, filedKey);
  if (secret === undefined) {
    context.say(
      `An earlier run has created the key, and was cut off before ${secretFile} had its name.`,
    );
  } else if (copy) {
    const { copyAndSay } = await import('../../delivery/choose.ts');
    await copyAndSay(context, secret);
  }
  if (context.json) {
    context.printJson(deliveryJson(domain.clock(), [{ key, secretFile }], false));
  }
  return key;
}

/** The sentence about other active keys of the same name, which it cannot distinguish; empty without any. */
async function namesakesOf({ store, clock }: Domain, key: Key): Promise<string> {
  const filter = { nowMs: clock(), statuses: ['Active'], name: key.name } as const;
  const namesakes = await store.keys.list(key.tenantId, filter, { limit: shownNamesakes + 1 });
  const prefixes = namesakes.filter(({ id }) => id !== key.id).map(({ prefix }) => prefix);
  if (prefixes.length === 0) return '';
  if (prefixes.length === 1)
    return `Another active key has this name: ${prefixes[0]}. ${refusedByName}`;

  const shownPrefixes = prefixes.slice(0, shownNamesakes).join(', ');
  const ellipsis = prefixes.length > shownNamesakes ? ' …' : '';
  return `Other active keys have this name: ${shownPrefixes}${ellipsis}. ${refusedByName}`;
}

const shownNamesakes = 5;
const refusedByName = 'Commands with this name are refused: name each key by its prefix.';

/** Asks for missing input in the order of the create dialog (promise 3.10); at the end a question sums up the key. */
async function completeInput(
  context: Context,
  session: StoreSession,
  flags: CreateFlags,
): Promise<CreateKeyInput> {
  const { domain, actor } = session;
  const longestDays = await longestLifetimeOf(domain, actor.user.tenantId);
  const allowedIps = parseNetworks(flags.allowIp);
  const asksDetails = flags.name === undefined || flags.entity === undefined;
  const name = await textOrAsk(context, flags.name, 'Name', requireKeyName);
  const entity = await (flags.entity === undefined
    ? askEntity(context, session)
    : entityOrAsk(context, session, flags.entity));

  const presetPermissions = flags.preset ? presets[flags.preset].permissions : [];
  const typedPermissions = [...presetPermissions, ...flags.permission];
  const permissions =
    typedPermissions.length > 0 ? typedPermissions : await askPermissions(context);

  const asksExpiry = flags.expires === undefined && asksDetails && context.canAsk;
  const expiryText = asksExpiry
    ? await expiryQuestion(context, domain, entity, longestDays)
    : (flags.expires ?? defaultExpiry(longestDays));
  const expiresAtMs = parseExpiry(expiryText, domain.clock(), entity.timezone);

  const input = { name, entity, permissions, expiresAtMs, allowedIps, note: flags.note };
  requireCreatable(input, domain.clock(), longestDays);
  if (asksDetails || typedPermissions.length === 0) {
    const facts = factsOf(input, domain.clock());
    const noteWords = flags.note ? ['--note', flags.note] : [];
    const command = creationCommand(
      { ...input, allowedIps: [...allowedIps] },
      ...['--expires', expiryText, ...noteWords],
    );
    const hint = `To go on from these answers: ${command}`;
    await requireConfirmation(context, 'Create this API key?', 'Create key', facts, hint);
  }
  return input;
}

function factsOf(
  { name, entity, permissions, expiresAtMs, allowedIps = [], note }: CreateKeyInput,
  nowMs: number,
) {
  const facts: [label: string, value: string][] = [
    ['Name', name],
    ['Entity', `${entity.code}  ${entity.name}`],
    ['Permissions', permissions.map((key) => permissionLabels.get(key)).join(', ')],
    ['Expires', timesOf(expiresAtMs, { entity }, nowMs)[0] ?? ''],
    ['Allowed from', allowedIps.join(', ')],
    ['Note', note ?? ''],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** The expiry of a key for which none is given. */
function defaultExpiry(longestDays: number | null): string {
  return longestDays === null ? 'never' : `${longestDays}d`;
}

function expiryQuestion(
  context: Context,
  domain: Domain,
  entity: Entity,
  longestDays: number | null,
): Promise<string> {
  const requireUsable = (text: string) => {
    const expiresAtMs = parseExpiry(text, domain.clock(), entity.timezone);
    requireActiveEntity(entity);
    requireAhead(expiresAtMs, domain.clock());
    requireWithinLifetime(expiresAtMs, longestDays, domain.clock(), entity.timezone);
  };
  const question =
    longestDays === null
      ? 'Expires (never, 90d, 2027-01-31 …)'
      : `Expires (90d, 2027-01-31 …; at latest ${latestDate(longestDays, domain.clock(), entity.timezone)})`;
  return textOrAsk(context, undefined, question, requireUsable, defaultExpiry(longestDays));
}
