import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Entity, EntityChange } from '../port/entities.ts';
import type { Key } from '../port/keys.ts';
import { requireLabel } from '../text/labels.ts';
import { quotedName } from '../text/shown-text.ts';
import { didYouMean, nearest } from '../text/words.ts';
import { meantZone, zoneNamed } from '../time/zones.ts';

/** Adds an entity. `duplicate` (exit 5) for a taken code, whatever its case. Needs `entities.manage`. */
export async function addEntity(
  domain: Domain,
  actor: Actor,
  input: { code: string; name: string; timezone: string },
): Promise<Entity> {
  await requirePermissions(domain, actor, 'entity.add', input.code);
  const entity = newEntity(domain, actor.user.tenantId, input);
  await requireNewCode(domain, entity);

  const { name, timezone } = entity;
  const audit = auditDraft(domain, actor, 'entity.add', entity.code, { name, timezone });
  await domain.store.entities.insert(entity, audit);
  return entity;
}

/** Builds an entity from validated input; throws `bad_input`. */
export function newEntity(
  domain: Domain,
  tenantId: string,
  input: { code: string; name: string; timezone: string },
): Entity {
  requireEntityCode(input.code);
  return {
    code: input.code,
    name: requireLabel(input.name, 'The name of an entity'),
    timezone: requireTimezone(input.timezone),
    id: domain.newId(),
    tenantId,
    status: 'active',
    createdAtMs: domain.clock(),
  };
}

/** Codes differ by more than case: people do not tell MUC from muc. */
async function requireNewCode({ store }: Domain, { tenantId, code }: Entity): Promise<void> {
  const lowerCode = code.toLowerCase();
  const entities = await store.entities.list(tenantId);
  const takenBy = entities.find((other) => other.code.toLowerCase() === lowerCode);
  if (takenBy === undefined) return;

  throw new HkctlError('duplicate', `There is an entity with the code ${takenBy.code} already.`, {
    hint: 'Codes must differ by more than case: choose another one.',
  });
}

/** Changes the name or the time zone of an entity. Stored instants, such as a key's expiry, stay. Needs `entities.manage`. */
export async function updateEntity(
  domain: Domain,
  actor: Actor,
  code: string,
  change: EntityChange,
): Promise<Entity> {
  await requirePermissions(domain, actor, 'entity.set', code);
  const entity = await requireEntity(domain, actor, code);
  const { name, timezone } = change;
  const validChange = {
    ...(name !== undefined && { name: requireLabel(name, 'The name of an entity') }),
    ...(timezone !== undefined && { timezone: requireTimezone(timezone) }),
  };
  const audit = auditDraft(domain, actor, 'entity.set', entity.code, validChange);
  await domain.store.entities.update(entity.id, validChange, audit);
  return { ...entity, ...validChange };
}

/** The number of active keys of each entity, in their order. */
export function countActiveKeys(
  { store, clock }: Domain,
  entities: readonly Entity[],
): Promise<number[]> {
  const activeFilter = { nowMs: clock(), statuses: ['Active'] } as const;
  return Promise.all(
    entities.map(({ tenantId, id }) =>
      store.keys.count(tenantId, { ...activeFilter, entityId: id }),
    ),
  );
}

/** The keys that stop and work again with an entity: not the keys of inactive profiles, and none of an inactive entity. */
export async function workingKeysOfEntity(
  domain: Domain,
  actor: Actor,
  code: string,
): Promise<Key[]> {
  const entity = await requireEntity(domain, actor, code);
  if (entity.status === 'inactive') return [];

  const users = await domain.store.users.list(actor.user.tenantId);
  const inactiveUsers = users.filter(({ status }) => status === 'inactive');
  const inactiveIds = new Set(inactiveUsers.map(({ id }) => id));
  const keys = await domain.store.keys.activeOf({ entityId: entity.id }, domain.clock());
  return keys.filter(({ createdBy }) => !inactiveIds.has(createdBy.id));
}

/** Activates or deactivates an entity; its keys follow at once. Needs `entities.manage`. */
export async function setEntityStatus(
  domain: Domain,
  actor: Actor,
  code: string,
  status: Entity['status'],
): Promise<Entity> {
  const action = status === 'active' ? 'entity.activate' : 'entity.deactivate';
  await requirePermissions(domain, actor, action, code);
  const entity = await requireEntity(domain, actor, code);
  const audit = auditDraft(domain, actor, action, code);
  await domain.store.entities.setStatus(entity.id, status, audit);
  return { ...entity, status };
}

/** Removes an entity with its records and sensors; its keys stay listed, without an entity, and are refused. Needs `entities.manage`. */
export async function removeEntity(domain: Domain, actor: Actor, code: string): Promise<Entity> {
  await requirePermissions(domain, actor, 'entity.remove', code);
  const entity = await requireEntity(domain, actor, code);
  const audit = auditDraft(domain, actor, 'entity.remove', code, { name: entity.name });
  await domain.store.entities.remove(entity.id, audit);
  return entity;
}

/** Finds an entity of the actor's tenant by code, or `not_found` with the codes that exist. */
export async function requireEntity(domain: Domain, actor: Actor, code: string): Promise<Entity> {
  const entity = await domain.store.entities.find(actor.user.tenantId, code);
  if (entity) return entity;

  const entities = await domain.store.entities.list(actor.user.tenantId);
  throw new HkctlError('not_found', `No entity ${quotedName(code)} in this organization.`, {
    hint: unknownCodeHint(code, entities),
  });
}

function unknownCodeHint(typedCode: string, entities: readonly Entity[]): string {
  if (entities.length === 0) return 'Add one: hkctl entities add CODE --name N --timezone TZ';

  const codes = entities.map(({ code }) => code);
  const suggestion = nearest(typedCode, codes) ?? codeByName(typedCode, entities);
  const shownCodes = codes.slice(0, shownCodesLimit).join(', ');
  const ellipsis = codes.length > shownCodesLimit ? ' …' : '';
  return `${didYouMean(suggestion)}There are: ${shownCodes}${ellipsis}`;
}

const shownCodesLimit = 20;

/** The code of the entity whose name contains the text that was typed as a code. */
function codeByName(typedName: string, entities: readonly Entity[]): string | undefined {
  if (typedName.length < 3) return undefined;

  const lowerName = typedName.toLowerCase();
  const entity = entities.find(({ name }) => name.toLowerCase().includes(lowerName));
  return entity?.code;
}

/** The time zone in IANA's spelling, however it was typed. Throws `bad_input`. */
export function requireTimezone(typedZone: string): string {
  const timezone = zoneNamed(typedZone);
  if (timezone !== undefined) return timezone;
  throw new HkctlError('bad_input', `${quotedName(typedZone)} is not an IANA time zone.`, {
    hint: `${didYouMean(meantZone(typedZone))}Give a name such as Europe/Berlin, America/Chicago or UTC.`,
  });
}

function isEntityCode(codeText: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(codeText);
}

/** An entity's code: 1 to 32 letters, digits, `_` and `-`. Throws `bad_input`. */
export function requireEntityCode(code: string): void {
  if (!isEntityCode(code)) {
    throw new HkctlError(
      'bad_input',
      `${quotedName(code)} is not an entity code: use 1 to 32 letters, digits, _ and -.`,
    );
  }
}
