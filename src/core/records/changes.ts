import { formatInstantUs, parseInstantUs } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';

/**
 * The instant at which an import changes records of a resource: now, but later than the change before it, so that the order
 * of `updated_at` is the order of the changes, even if the clock was set back.
 */
export function changeInstant(nowUs: number, changedAt: string): string {
  const now = formatInstantUs(nowUs);
  return now > changedAt ? now : instantAfter(changedAt);
}

/**
 * Whether the last change is dated so far ahead that the clock was wrong: later ones would all be dated after it. A day is what
 * readings may lie ahead, too.
 */
export function isDatedAhead(nowUs: number, changedAt: string): boolean {
  return changedAt > formatInstantUs(nowUs + dayMs * 1000);
}

/** The first instant after another one; of the empty text, which means "before all changes", itself. */
export function instantAfter(instant: string): string {
  const us = parseInstantUs(instant);
  return us === undefined ? instant : formatInstantUs(us + 1);
}

/** How long a sync token lives (contract, section 5). */
export const syncTokenDays = 90;

/** Removals up to this instant may be forgotten: every sync token that needs them has expired a day before. */
export function forgettableInstant(nowUs: number): string {
  return formatInstantUs(nowUs - (syncTokenDays + 2) * dayMs * 1000);
}
