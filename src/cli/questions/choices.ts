import {
  type ClientPermission,
  defaultPermissions,
  type PresetName,
  permissionGroups,
  presets,
} from '../../core/access/permissions.ts';
import { HkctlError } from '../../core/errors.ts';
import { listKeys } from '../../core/keys/keys.ts';
import { findKeys } from '../../core/keys/references.ts';
import { requireEntity } from '../../core/organization/entities.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Key } from '../../core/port/keys.ts';
import type { Context } from '../command/context.ts';
import { activeEntities, missingError, oneOfCodes } from '../command/missing.ts';
import type { StoreSession } from '../command/store-access.ts';
import { timesOf } from '../table/shown-time.ts';
import type { AskedFact } from '../terminal/interaction.ts';
import { askerOf } from './values.ts';

/** The entity that `--entity` names, else the only active entity, else the answer to a question. */
export async function entityOrAsk(
  context: Context,
  session: StoreSession,
  code: string | undefined,
): Promise<Entity> {
  if (code !== undefined) return requireEntity(session.domain, session.actor, code);

  const candidates = await activeEntities(session);
  const [firstEntity, secondEntity] = candidates;
  if (firstEntity !== undefined && secondEntity === undefined) return firstEntity;

  if (firstEntity !== undefined && !context.canAsk)
    throw missingError(['--entity'], oneOfCodes(candidates));
  return askEntity(context, session);
}

export async function askEntity({ io }: Context, session: StoreSession): Promise<Entity> {
  const entities = await activeEntities(session);
  if (entities.length === 0) {
    throw new HkctlError('state_forbids', 'There is no active entity to choose.', {
      hint: 'Add one: hkctl entities add CODE --name N --timezone TZ',
    });
  }

  const asker = await askerOf(io);
  const choices = entities.map((entity) => ({
    name: `${entity.code}  ${entity.name}`,
    value: entity,
  }));
  return asker.choice('Entity', choices);
}

/** More keys than a person reads through; typing filters these. */
const mostKeys = 5000;

/** The keys that references name; without any, the active key that is chosen on the terminal. */
export async function keysOrAsk(
  context: Context,
  session: StoreSession,
  references: readonly string[],
): Promise<Key[]> {
  if (references.length > 0) return findKeys(session.domain, session.actor, references);
  return [await askKey(context, session)];
}

export async function askKey({ io }: Context, { domain, actor }: StoreSession): Promise<Key> {
  const nowMs = domain.clock();
  const keys = await listKeys(domain, actor, { nowMs, statuses: ['Active'] }, { limit: mostKeys });
  if (keys.length === 0) {
    throw new HkctlError('not_found', 'There is no active key.', {
      hint: 'Create key: hkctl keys create',
    });
  }

  const choices = keys.map((key) => ({
    name: `${key.prefix}  ${key.entity?.code ?? '(removed)'}  ${key.name}`,
    value: key,
    description: `Last used: ${lastUseOf(key, nowMs)}`,
  }));
  const asker = await askerOf(io);
  return asker.choice('Which key?', choices);
}

/** When and from where keys were last used, for the question before they stop. */
export function lastUses(keys: readonly Key[], nowMs: number): AskedFact[] {
  const [onlyKey, anotherKey] = keys;
  if (onlyKey && !anotherKey) return [['Last used', lastUseOf(onlyKey, nowMs)]];

  const shownKeys = keys.slice(0, 20);
  return shownKeys.map((key) => [key.prefix, `last used: ${lastUseOf(key, nowMs)}`]);
}

function lastUseOf(key: Key, nowMs: number): string {
  const fromAddress = key.lastUsedIp === null ? '' : ` from ${key.lastUsedIp}`;
  const [lastUseTime] = timesOf(key.lastUsedAtMs, key, nowMs);
  return `${lastUseTime}${fromAddress}`;
}

/** Asks for a preset, or for a custom selection by group with Jobs and Orders view ticked (promise 4.2). */
export async function askPermissions({ io }: Context): Promise<ClientPermission[]> {
  const asker = await askerOf(io);
  const preset = await asker.choice<PresetName | 'custom'>('Permissions', [
    {
      name: 'Custom selection',
      value: 'custom',
      description: 'Jobs and Orders view is ticked to begin with',
    },
    ...Object.entries(presets).map(([name, { label, permissions }]) => ({
      name: label,
      value: name as PresetName, // the keys of that very object
      description:
        permissions.length > 6 ? 'every listed client permission' : permissions.join(', '),
    })),
  ]);
  if (preset !== 'custom') return [...presets[preset].permissions];

  return asker.choices(
    'Custom selection',
    permissionGroups.map(({ name, permissions }) => ({
      heading: name,
      choices: permissions.map(({ key, label }) => ({
        name: `${label}  (${key})`,
        value: key,
        checked: defaultPermissions.includes(key),
      })),
    })),
  );
}
