import type { Entity } from '../../core/port/entities.ts';
import type { StoreSession } from './store-access.ts';

/** The hint for a missing `--entity`: the codes to choose from. */
export async function entityHint(session: StoreSession): Promise<string> {
  return oneOfCodes(await activeEntities(session));
}

/** A hint that names the codes of entities. */
export function oneOfCodes(entities: readonly Entity[]): string {
  const codes = entities.map(({ code }) => code);
  return `Give one of --entity ${codes.join(', ')}.`;
}

/** The active entities of the organization that the actor may see. */
export async function activeEntities({ domain, actor }: StoreSession): Promise<Entity[]> {
  const entities = await domain.store.entities.list(actor.user.tenantId);
  return entities.filter(({ status }) => status === 'active');
}
