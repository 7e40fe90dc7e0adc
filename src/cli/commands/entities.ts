import { requirePermissions } from '../../core/access/actors.ts';
import {
  addEntity,
  listEntities,
  removeEntity,
  setEntityStatus,
  workingKeysOfEntity,
} from '../../core/organization/entities.ts';
import type { Key } from '../../core/port/keys.ts';
import { requireLabel } from '../../core/text/labels.ts';
import { isTimezone } from '../../core/time/calendar.ts';
import { type CommandDefinition, defineCommand, type Noun, yesFlag } from '../command.ts';
import { requireConfirmation, requireTyped, valueOrAsk } from '../context.ts';
import { text } from '../flags.ts';
import { entityJson, printTable } from '../terminal/output.ts';
import { sentenceOf } from '../terminal/sentence.ts';
import { namesOf } from './keys/names.ts';

const codeWord = [{ spelling: '<CODE>', doc: 'code of the entity' }];

const list = defineCommand({
  name: 'list',
  summary: 'List the entities of the organization',
  readOnly: true,
  flags: {},
  examples: [['hkctl entities list', 'all of them']],
  async run(context) {
    const { domain, actor } = await context.session();
    const entities = await listEntities(domain, actor);
    if (context.json) context.printJson(entities.map(entityJson));
    else {
      const rows = entities.map(({ code, name, timezone, status }) => [
        context.style.cyan(code),
        name,
        timezone,
        status,
      ]);
      await printTable(context, ['CODE', 'NAME', 'TIME ZONE', 'STATUS'], rows, 'No entities.');
    }
  },
});

const add = defineCommand({
  name: 'add',
  summary: 'Add an entity',
  words: codeWord,
  flags: {
    name: text('--name <NAME>', 'name of the site'),
    timezone: text('--timezone <ZONE>', 'IANA time zone, such as Europe/Berlin'),
    yes: yesFlag,
  },
  examples: [['hkctl entities add CHI --name "Chicago plant" --timezone America/Chicago', 'a second site']],
  async run(context, flags, [code = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['entities.manage'], { action: 'entity.add', target: code });
    const name = await valueOrAsk(context, flags.name, '--name', async () => {
      const { askText } = await import('../terminal/prompts.ts');
      return askText(context.io, 'Name', (given) => sentenceOf(() => requireLabel(given, 'A name')));
    });
    const timezone = await valueOrAsk(context, flags.timezone, '--timezone', async () => {
      const { askText } = await import('../terminal/prompts.ts');
      return askText(context.io, 'IANA time zone', (given) => (isTimezone(given) ? undefined : 'No such time zone.'));
    });
    const entity = await addEntity(domain, actor, { code, name, timezone });
    if (context.json) context.printJson(entityJson(entity));
    else context.print(`Entity added: ${entity.name} (${entity.code})`);
  },
});

const activate = defineCommand({
  name: 'activate',
  summary: 'Let the keys of an entity work again',
  words: codeWord,
  flags: {},
  examples: [['hkctl entities activate CHI', 'its active keys work from the next request on']],
  async run(context, _flags, [code = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['entities.manage'], { action: 'entity.activate', target: code });
    const before = await workingKeysOfEntity(domain, actor, code);
    const entity = await setEntityStatus(domain, actor, code, 'active');
    if (context.json) context.printJson(entityJson(entity));
    else {
      const keys = await workingKeysOfEntity(domain, actor, code);
      context.print(`Entity activated: ${entity.name} (${entity.code}). ${resumed(before, keys)}`);
    }
  },
});

const deactivate = defineCommand({
  name: 'deactivate',
  summary: 'Stop the keys of an entity, until it is activated again',
  words: codeWord,
  flags: { yes: yesFlag },
  examples: [
    ['hkctl entities deactivate CHI', 'tells which keys stop and asks'],
    ['hkctl entities deactivate CHI --yes', 'from a script'],
  ],
  async run(context, { yes }, [code = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['entities.manage'], { action: 'entity.deactivate', target: code });
    const keys = await workingKeysOfEntity(domain, actor, code);
    const question = `Deactivate entity ${code}? ${stopping(keys)}`;
    await requireConfirmation(context, yes, question, 'Deactivate');
    const entity = await setEntityStatus(domain, actor, code, 'inactive');
    if (context.json) context.printJson(entityJson(entity));
    else context.print(`Entity deactivated: ${entity.name} (${entity.code}). ${stopped(keys)}`);
  },
});

const remove = defineCommand({
  name: 'remove',
  summary: 'Remove an entity with its records, sensors and readings',
  description: 'Its keys stay listed, without an entity, and are refused (403).',
  words: codeWord,
  flags: { yes: yesFlag },
  examples: [
    ['hkctl entities remove CHI', 'tells which keys stop, and wants the code typed'],
    ['hkctl entities remove CHI --yes', 'from a script'],
  ],
  async run(context, { yes }, [code = '']) {
    const { domain, actor } = await context.session();
    await requirePermissions(domain, actor, ['entities.manage'], { action: 'entity.remove', target: code });
    const keys = await workingKeysOfEntity(domain, actor, code);
    const question = `Remove entity ${code} with all its records, sensors and readings, for good? ${stopping(keys)}`;
    await requireTyped(context, yes, question, code);
    const entity = await removeEntity(domain, actor, code);
    if (context.json) context.printJson(entityJson(entity));
    else context.print(`Entity removed: ${entity.name} (${entity.code}). ${stopped(keys)}`);
  },
});

/** The sentence before a deactivation: which active keys stop. */
export function stopping(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No active key stops.';
  return `${count(keys)} will stop working at once: ${someNamesOf(keys)}.`;
}

/** The sentence after it. */
export function stopped(keys: readonly Key[]): string {
  if (keys.length === 0) return 'No active key stopped.';
  return `${count(keys)} stopped working: ${someNamesOf(keys)}.`;
}

/** The sentence after an activation: which of the keys that work did not work before. */
export function resumed(before: readonly Key[], after: readonly Key[]): string {
  const known = new Set(before.map(({ id }) => id));
  const keys = after.filter(({ id }) => !known.has(id));
  if (keys.length === 0) return 'No more keys work than before.';
  return `${count(keys)} ${keys.length === 1 ? 'works' : 'work'} again: ${someNamesOf(keys)}.`;
}

function someNamesOf(keys: readonly Key[]): string {
  return `${namesOf(keys.slice(0, 20))}${keys.length > 20 ? ' …' : ''}`;
}

function count(keys: readonly Key[]): string {
  return keys.length === 1 ? 'One active key' : `${keys.length} active keys`;
}

const verbs: CommandDefinition[] = [list, add, activate, deactivate, remove];

/** `hkctl entities …` */
export const entities: Noun = { name: 'entities', summary: 'Sites (plants) of the organization', verbs };
