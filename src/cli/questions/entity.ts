import type { Actor } from '../../core/domain/actors.ts';
import type { Domain } from '../../core/domain/domain.ts';
import { HkctlError } from '../../core/errors.ts';
import { listEntities, requireEntity } from '../../core/organization/entities.ts';
import type { Entity } from '../../core/port/entities.ts';
import type { Context } from '../command/context.ts';
import { canAsk } from '../terminal/io.ts';

/** The entity that `--entity` names, else the only active one, else one that is asked for. */
export async function entityOrAsk(
  context: Context,
  domain: Domain,
  actor: Actor,
  code: string | undefined,
): Promise<Entity> {
  if (code !== undefined) return requireEntity(domain, actor, code);
  const active = await activeEntities(domain, actor);
  const [first, second] = active;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined && (!canAsk(context.io) || context.json)) {
    throw new HkctlError('usage', '--entity is missing.', { hint: oneOfCodes(active) });
  }
  return askEntity(context, domain, actor);
}

export async function entityHint(domain: Domain, actor: Actor): Promise<string> {
  return oneOfCodes(await activeEntities(domain, actor));
}

function oneOfCodes(entities: readonly Entity[]): string {
  return `Give one of --entity ${entities.map(({ code }) => code).join(', ')}.`;
}

async function activeEntities(domain: Domain, actor: Actor): Promise<Entity[]> {
  return (await listEntities(domain, actor)).filter(({ status }) => status === 'active');
}

export async function askEntity(context: Context, domain: Domain, actor: Actor): Promise<Entity> {
  const entities = await activeEntities(domain, actor);
  if (entities.length === 0) {
    throw new HkctlError('state_forbids', 'There is no active entity to choose.', {
      hint: 'Add one: hkctl entities add CODE --name N --timezone TZ',
    });
  }
  const { askChoice } = await import('../prompts/prompts.ts');
  return askChoice(
    context.io,
    'Entity',
    entities.map((entity) => ({ name: `${entity.code}  ${entity.name}`, value: entity })),
  );
}
