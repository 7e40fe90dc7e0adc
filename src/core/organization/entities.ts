import { type Actor, auditDraft, requirePermissions } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { Entity, EntityChange } from '../port/entities.ts';
import type { Key } from '../port/keys.ts';
import { requireLabel } from '../text/labels.ts';
import { quotedName } from '../text/shown-text.ts';
import { didYouMean, nearest } from '../text/words.ts';
import { meantZone, zoneNamed } from '../time/zones.ts';

/** Adds a site. `duplicate` (exit 5) for a taken code, whatever its case. Needs `entities.manage`. */
export async function addEntity(
  domain: Domain,
  actor: Actor,
  input: { code: string; name: string; timezone: string },
): Promise<Entity> {
  await requirePermissions(domain, actor, 'entity.add', input.code);
  const entity = newEntity(domain, actor.user.tenantId, input);
  await requireNewCode(domain, entity);
  await domain.store.entities.insert(
    entity,
    auditDraft(domain, actor, 'entity.add', entity.code, {
      name: entity.name,
      timezone: entity.timezone,
    }),
  );
  return entity;
}

/** Builds a site from validated input; throws `bad_input`. */
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
  const lower = code.toLowerCase();
  const entities = await store.entities.list(tenantId);
  const taken = entities.find((one) => one.code.toLowerCase() === lower);
  if (taken === undefined) return;
  throw new HkctlError('duplicate', `There is an entity with the code ${taken.code} already.`, {
    hint: 'Codes must differ by more than case: choose another one.',
  });
}

/** Changes the name or the time zone of a site. Stored instants, such as a key's expiry, stay. Needs `entities.manage`. */
export async function updateEntity(
  domain: Domain,
  actor: Actor,
  code: string,
  change: EntityChange,
): Promise<Entity> {
  await requirePermissions(domain, actor, 'entity.set', code);
  const entity = await requireEntity(domain, actor, code);
  const { name, timezone } = change;
  const changed = {
    ...(name !== undefined && { name: requireLabel(name, 'The name of an entity') }),
    ...(timezone !== undefined && { timezone: requireTimezone(timezone) }),
  };
  const audit = auditDraft(domain, actor, 'entity.set', entity.code, changed);
  await domain.store.entities.update(entity.id, changed, audit);
  return { ...entity, ...changed };
}

/** The number of active keys of each site, in their order. */
export function countActiveKeys(
  { store, clock }: Domain,
  entities: readonly Entity[],
): Promise<number[]> {
  const filter = { nowMs: clock(), statuses: ['Active'] } as const;
  return Promise.all(
    entities.map(({ tenantId, id }) => store.keys.count(tenantId, { ...filter, entityId: id })),
  );
}

/** The keys that stop with a site, and work again with it: not those of inactive profiles, and none of an inactive site. */
export async function workingKeysOfEntity(
  domain: Domain,
  actor: Actor,
  code: string,
): Promise<Key[]> {
  const entity = await requireEntity(domain, actor, code);
  if (entity.status === 'inactive') return [];
  const users = await domain.store.users.list(actor.user.tenantId);
  const inactive = new Set(users.filter(({ status }) => status === 'inactive').map(({ id }) => id));
  const keys = await domain.store.keys.activeOf({ entityId: entity.id }, domain.clock());
  return keys.filter(({ createdBy }) => !inactive.has(createdBy.id));
}

/** Activates or deactivates a site; its keys follow at once. Needs `entities.manage`. */
export async function setEntityStatus(
  domain: Domain,
  actor: Actor,
  code: string,
  status: Entity['status'],
): Promise<Entity> {
  const action = status === 'active' ? 'entity.activate' : 'entity.deactivate';
  await requirePermissions(domain, actor, action, code);
  const entity = await requireEntity(domain, actor, code);
  await domain.store.entities.setStatus(entity.id, status, auditDraft(domain, actor, action, code));
  return { ...entity, status };
}

/** Removes a site with its records and sensors; its keys stay listed, without an entity, and are refused. Needs `entities.manage`. */
export async function removeEntity(domain: Domain, actor: Actor, code: string): Promise<Entity> {
  await requirePermissions(domain, actor, 'entity.remove', code);
  const entity = await requireEntity(domain, actor, code);
  await domain.store.entities.remove(
    entity.id,
    auditDraft(domain, actor, 'entity.remove', code, { name: entity.name }),
  );
  return entity;
}

/** Finds a site of the actor's tenant by code, or `not_found` with the codes that exist. */
export async function requireEntity(domain: Domain, actor: Actor, code: string): Promise<Entity> {
  const entity = await domain.store.entities.find(actor.user.tenantId, code);
  if (entity) return entity;
  const entities = await domain.store.entities.list(actor.user.tenantId);
  throw new HkctlError('not_found', `No entity ${quotedName(code)} in this organization.`, {
    hint: hintOf(code, entities),
  });
}

function hintOf(typedCode: string, entities: readonly Entity[]): string {
  if (entities.length === 0) return 'Add one: hkctl entities add CODE --name N --timezone TZ';
  const codes = entities.map(({ code }) => code);
  const near = nearest(typedCode, codes) ?? codeByName(typedCode, entities);
  const more = codes.length > 20 ? ' …' : '';
  return `${didYouMean(near)}There are: ${codes.slice(0, 20).join(', ')}${more}`;
}

/** The code of the entity whose name contains what was given instead of it. */
function codeByName(typedName: string, entities: readonly Entity[]): string | undefined {
  if (typedName.length < 3) return undefined;
  return entities.find(({ name }) => name.toLowerCase().includes(typedName.toLowerCase()))?.code;
}

/** The time zone in IANA's spelling, however it was typed. Throws `bad_input`. */
export function requireTimezone(typed: string): string {
  const zone = zoneNamed(typed);
  if (zone !== undefined) return zone;
  throw new HkctlError('bad_input', `${quotedName(typed)} is not an IANA time zone.`, {
    hint: `${didYouMean(meantZone(typed))}Give a name such as Europe/Berlin, America/Chicago or UTC.`,
  });
}

export function isEntityCode(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(text);
}

/** A site's code: 1 to 32 letters, digits, `_` and `-`. Throws `bad_input`. */
export function requireEntityCode(code: string): void {
  if (!isEntityCode(code)) {
    throw new HkctlError(
      'bad_input',
      `${quotedName(code)} is not an entity code: use 1 to 32 letters, digits, _ and -.`,
    );
  }
}
