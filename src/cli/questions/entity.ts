import type { Actor, Domain } from '../../core/access/actors.ts';
import { HkctlError } from '../../core/errors.ts';
import { listEntities, requireEntity } from '../../core/organization/entities.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Context } from '../context.ts';
import { valueOrAsk } from './values.ts';

/** The entity that `--entity` names, or one that is asked for. */
export async function entityOrAsk(
  context: Context,
  domain: Domain,
  actor: Actor,
  code: string | undefined,
): Promise<Entity> {
  if (code !== undefined) return requireEntity(domain, actor, code);
  return valueOrAsk(context, undefined, '--entity', () => askEntity(context, domain, actor, () => true));
}

/** Asks for one of the entities that fit. */
export async function askEntity(
  context: Context,
  domain: Domain,
  actor: Actor,
  fits: (entity: Entity) => boolean,
): Promise<Entity> {
  const entities = (await listEntities(domain, actor)).filter(fits);
  if (entities.length === 0) {
    throw new HkctlError('state_forbids', 'There is no active entity to choose.', {
      hint: 'Add one: hkctl entities add CODE --name N --timezone TZ',
    });
  }
  const { askChoice } = await import('../terminal/prompts/prompts.ts');
  return askChoice(
    context.io,
    'Entity',
    entities.map((entity) => ({ name: `${entity.code}  ${entity.name}`, value: entity })),
  );
}
