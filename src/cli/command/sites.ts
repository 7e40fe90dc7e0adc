import type { Entity } from '../../core/port/entities.ts';
import type { StoreSession } from './store-access.ts';

/** The hint for a missing `--entity`: the codes to choose from. */
export async function entityHint(session: StoreSession): Promise<string> {
  return oneOfCodes(await activeEntities(session));
}

/** A hint that names the codes of sites. */
export function oneOfCodes(entities: readonly Entity[]): string {
  return `Give one of --entity ${entities.map(({ code }) => code).join(', ')}.`;
}

/** The active sites of the organization that the actor may see. */
export async function activeEntities({ domain, actor }: StoreSession): Promise<Entity[]> {
  return (await domain.store.entities.list(actor.user.tenantId)).filter(
    ({ status }) => status === 'active',
  );
}
