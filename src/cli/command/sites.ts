import type { Entity } from '../../core/port/entities.ts';
import type { Context } from './context.ts';

/** The hint for a missing `--entity`: the codes to choose from. */
export async function entityHint(context: Context): Promise<string> {
  return oneOfCodes(await activeEntities(context));
}

/** A hint that names the codes of sites. */
export function oneOfCodes(entities: readonly Entity[]): string {
  return `Give one of --entity ${entities.map(({ code }) => code).join(', ')}.`;
}

/** The active sites of the organization that the actor may see. */
export async function activeEntities(context: Context): Promise<Entity[]> {
  const { domain, actor } = await context.session();
  return (await domain.store.entities.list(actor.user.tenantId)).filter(
    ({ status }) => status === 'active',
  );
}
