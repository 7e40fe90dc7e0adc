import { HkctlError } from '../../core/errors.ts';
import type { Entity } from '../../core/port/entities.ts';
import { wordList } from '../../core/text/words.ts';
import type { Context } from './context.ts';
import type { StoreSession } from './store-access.ts';

/**
 * If nothing can be asked, throws `usage` with every flag that is missing in `values`, so that all are reported at once.
 */
export function requireGiven(
  { canAsk, asksNothing }: Context,
  values: Readonly<Record<string, unknown>>,
  hint?: string,
): void {
  const missing = missingOf(values);
  if (canAsk || missing.length === 0) return;

  const pronoun = missing.length === 1 ? 'it' : 'them';
  const advice = asksNothing
    ? `With --yes nothing is asked: give ${pronoun}.`
    : `Give ${pronoun}; ${whenAsked}`;
  throw missingError(missing, hint ?? advice);
}

const whenAsked = 'hkctl asks only on a terminal, without --json.';

export function missingError(missing: readonly string[], hint?: string): HkctlError {
  const verb = missing.length === 1 ? 'is' : 'are';
  return new HkctlError('usage', `${wordList(missing, 'and')} ${verb} missing.`, { hint });
}

export function missingOf(values: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(values).filter((name) => values[name] === undefined);
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
