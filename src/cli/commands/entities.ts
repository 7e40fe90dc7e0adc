import type { Domain } from '../../core/domain/domain.ts';
import { HkctlError } from '../../core/errors.ts';
import {
  addEntity,
  countActiveKeys,
  removeEntity,
  requireEntity,
  requireTimezone,
  setEntityStatus,
  updateEntity,
  workingKeysOfEntity,
} from '../../core/organization/entities.ts';
import type { Entity } from '../../core/port/entities.ts';
import { requireLabel } from '../../core/text/labels.ts';
import { counted } from '../../core/text/words.ts';
import { shownZone } from '../../core/time/zones.ts';
import { defineCommand, type Noun, yesFlag } from '../command/command.ts';
import { parsed, textFlag } from '../command/flags.ts';
import { entityFields, entityJson } from '../command/output.ts';
import { askRevisably } from '../questions/revisable.ts';
import { requireConfirmation, requireTyped, textOrAsk } from '../questions/values.ts';
import { type Column, columnsFlag, printSummary, printTable } from '../table/table.ts';
import { paintStatus } from '../terminal/style.ts';
import { resumed, stopped, stopping } from './keys/shown-keys.ts';

type EntityView = Entity & { keys: number };

async function jsonOf(domain: Domain, entity: Entity) {
  const [keyCount = 0] = await countActiveKeys(domain, [entity]);
  return entityJson(entity, keyCount);
}

const codeArgument = [{ spelling: '<CODE>', doc: 'code of the entity' }];

const listCommand = defineCommand({
  summary: 'List the entities of the organization',
  readOnly: true,
  fields: entityFields,
  flags: { columns: columnsFlag },
  examples: [['hkctl entities list', 'all of them']],
  // Every profile may see them, since every key names one.
  needs: () => ['entity.list', 'entities'],
  async run(context, { columns: chosen }, _args, { domain, actor }) {
    const entities = await domain.store.entities.list(actor.user.tenantId);
    const keyCounts = await countActiveKeys(domain, entities);
    const entityViews = entities.map((entity, entityIndex) => ({
      ...entity,
      keys: keyCounts[entityIndex] ?? 0,
    }));

    const { style } = context;
    const columns: Column<EntityView>[] = [
      { heading: 'CODE', cell: ({ code }) => code, paint: style.cyan, min: 8 },
      { heading: 'NAME', cell: ({ name }) => name, min: 16 },
      {
        heading: 'TIME ZONE',
        cell: ({ timezone }) => shownZone(timezone),
        min: 12,
        leaveOut: 1,
      },
      { heading: 'KEYS', cell: ({ keys }) => String(keys), leaveOut: 2 },
      {
        heading: 'STATUS',
        cell: ({ status }) => status,
        paint: paintStatus(style),
      },
    ];
    const json = (view: EntityView) => entityJson(view, view.keys);
    await printTable(context, columns, entityViews, { json, none: 'No entities.', chosen });
    if (entities.length === 0) {
      context.say('Add one: hkctl entities add CODE --name N --timezone TZ');
      return;
    }

    const inactiveCount = entities.filter(({ status }) => status === 'inactive').length;
    const counts = [counted(entities.length, 'entity')];
    if (inactiveCount > 0) counts.push(`${inactiveCount} inactive`);
    await printSummary(context, counts, 'hkctl keys list --entity CODE');
  },
});

const addCommand = defineCommand({
  summary: 'Add an entity',
  fields: entityFields,
  arguments: codeArgument,
  flags: {
    name: textFlag('--name <NAME>', 'name of the entity'),
    timezone: textFlag('--timezone <ZONE>', 'IANA time zone, such as Europe/Berlin'),
    yes: yesFlag,
  },
  examples: [
    ['hkctl entities add CHI --name "Chicago plant" --timezone America/Chicago', 'a second entity'],
  ],
  needs: (_flags, [code = '']) => ['entity.add', code],
  required: ({ name, timezone }) => ({ '--name': name, '--timezone': timezone }),
  async run(context, flags, [code = ''], { domain, actor }) {
    const { name, timezone } = await askRevisably(context, async (revisable) => ({
      name: await textOrAsk(revisable, flags.name, 'Name', (text) =>
        requireLabel(text, 'The name of an entity'),
      ),
      timezone: await textOrAsk(revisable, flags.timezone, 'IANA time zone', requireTimezone),
    }));
    const entity = await addEntity(domain, actor, { code, name, timezone });
    context.report(entityJson(entity, 0), `Entity added: ${entity.name} (${entity.code})`);
  },
});

const setCommand = defineCommand({
  summary: 'Change the name or the time zone of an entity',
  description:
    'In a new time zone days, weeks and dates count from then on. Instants that are stored, such as the expiry of a key, stay.',
  fields: entityFields,
  arguments: codeArgument,
  flags: {
    name: textFlag('--name <NAME>', 'new name of the entity'),
    timezone: parsed('--timezone <ZONE>', 'new IANA time zone', requireTimezone),
    yes: yesFlag,
  },
  examples: [
    ['hkctl entities set CHI --name "Chicago plant 2"', 'another name'],
    ['hkctl entities set CHI --timezone America/Chicago', 'asks, since days then count otherwise'],
  ],
  needs: (_flags, [code = '']) => ['entity.set', code],
  async run(context, { name, timezone }, [code = ''], { domain, actor }) {
    if (name === undefined && timezone === undefined)
      throw new HkctlError('usage', 'Nothing to change: give --name or --timezone.');
    if (name !== undefined) requireLabel(name, 'The name of an entity');

    const currentEntity = await requireEntity(domain, actor, code);
    const currentZone = shownZone(currentEntity.timezone);
    const changesZone = timezone !== undefined && timezone !== currentZone;
    if (changesZone) {
      const question = `Change the time zone of ${code} from ${currentZone} to ${timezone}? Days, weeks and dates count in it from then on. Stored instants, such as the expiry of a key, stay.`;
      await requireConfirmation(context, question, 'Change it');
    }

    const entity = await updateEntity(domain, actor, code, { name, timezone });
    context.report(
      await jsonOf(domain, entity),
      `Entity set: ${entity.name} (${entity.code}), time zone ${shownZone(entity.timezone)}`,
    );
    if (changesZone) {
      context.say('Days, weeks and dates count in it from now on; the expiry of each key stays.');
    }
  },
});

const activateCommand = defineCommand({
  summary: 'Let the keys of an entity work again',
  fields: entityFields,
  arguments: codeArgument,
  examples: [['hkctl entities activate CHI', 'its active keys work from the next request on']],
  needs: (_flags, [code = '']) => ['entity.activate', code],
  async run(context, _flags, [code = ''], { domain, actor }) {
    const keysBefore = await workingKeysOfEntity(domain, actor, code);
    const entity = await setEntityStatus(domain, actor, code, 'active');
    const keysAfter = await workingKeysOfEntity(domain, actor, code);
    context.report(
      await jsonOf(domain, entity),
      `Entity activated: ${entity.name} (${entity.code}). ${resumed(keysBefore, keysAfter)}`,
    );
  },
});

const deactivateCommand = defineCommand({
  summary: 'Stop the keys of an entity, until it is activated again',
  fields: entityFields,
  arguments: codeArgument,
  flags: { yes: yesFlag },
  examples: [
    ['hkctl entities deactivate CHI', 'names the keys that stop, and asks'],
    ['hkctl entities deactivate CHI --yes', 'from a script'],
  ],
  confirms: true,
  needs: (_flags, [code = '']) => ['entity.deactivate', code],
  async run(context, _flags, [code = ''], { domain, actor }) {
    const keys = await workingKeysOfEntity(domain, actor, code);
    const question = `Deactivate entity ${code}? ${stopping(keys)}`;
    await requireConfirmation(context, question, 'Deactivate');
    const entity = await setEntityStatus(domain, actor, code, 'inactive');
    context.report(
      await jsonOf(domain, entity),
      `Entity deactivated: ${entity.name} (${entity.code}). ${stopped(keys)}`,
    );
  },
});

const removeCommand = defineCommand({
  summary: 'Remove an entity with its records, sensors and readings',
  fields: entityFields,
  description: 'Its keys stay listed, without an entity, and are refused (403).',
  arguments: codeArgument,
  flags: { yes: yesFlag },
  examples: [
    ['hkctl entities remove CHI', 'names the keys that stop; the code must be typed'],
    ['hkctl entities remove CHI --yes', 'from a script'],
  ],
  confirms: true,
  needs: (_flags, [code = '']) => ['entity.remove', code],
  async run(context, _flags, [code = ''], { domain, actor }) {
    const keys = await workingKeysOfEntity(domain, actor, code);
    const question = `Remove entity ${code} with all its records, sensors and readings? No restore brings them back. ${stopping(keys)}`;
    await requireTyped(context, question, code);
    const entity = await removeEntity(domain, actor, code);
    context.report(
      await jsonOf(domain, entity),
      `Entity removed: ${entity.name} (${entity.code}). ${stopped(keys)}`,
    );
  },
});

export default {
  verbs: {
    list: listCommand,
    add: addCommand,
    set: setCommand,
    activate: activateCommand,
    deactivate: deactivateCommand,
    remove: removeCommand,
  },
} satisfies Noun;
