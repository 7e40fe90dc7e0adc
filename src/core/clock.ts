import { type Actor, auditDraft, type Domain, requirePermissions } from './actors.ts';
import { type ErrorCode, isHkctlError } from './errors.ts';
import { type Clock, formatInstantMs } from './instants.ts';
import type { ClockLooks, Store } from './store.ts';

/** Looks that are closer than this write nothing. */
const lookGapMs = 10_000;

/**
 * What is known of the machine's clock after one more look at it; the same object where nothing changed. A time counts as
 * steadily seen once a later look was not before it, so that one look at a clock gone wrong proves nothing. Looks within
 * `gapMs` of each other are one.
 */
export function looked(before: ClockLooks, nowMs: number, gapMs = lookGapMs): ClockLooks {
  const { seenMs, candidateMs } = before;
  if (nowMs < candidateMs) return { seenMs, candidateMs: nowMs };
  if (nowMs - candidateMs > gapMs) return { seenMs: Math.max(seenMs, candidateMs), candidateMs: nowMs };
  return seenMs < candidateMs ? { seenMs: nowMs, candidateMs: nowMs } : before;
}

/**
 * Looks at the machine's clock for a store, and gives the clock by which everything in it is judged: the machine's, but
 * never behind the latest time that was steadily seen. A clock that jumps back revives no expired key.
 */
export async function steadyClock(store: Pick<Store, 'clock'>, machine: Clock): Promise<Clock> {
  const nowMs = machine();
  const before = await store.clock.read();
  const after = looked(before, nowMs);
  if (after !== before) {
    try {
      await store.clock.note(nowMs);
    } catch (thrown) {
      // What only reads goes on where nothing can be written; what writes will tell of it itself.
      if (!isHkctlError(thrown) || !passing.has(thrown.code)) throw thrown;
    }
  }
  return () => Math.max(machine(), after.seenMs);
}

const passing: ReadonlySet<ErrorCode> = new Set(['store_locked', 'store_full', 'store_unreadable']);

/**
 * Takes the machine's clock for right again after a jump ahead that was none; gives what was steadily seen before. Nothing
 * is changed where the clock is not behind that. Needs `store.manage`; audited.
 */
export async function acceptClock(domain: Domain, actor: Actor, nowMs: number): Promise<ClockLooks> {
  await requirePermissions(domain, actor, ['store.manage'], { action: 'store.accept_clock', target: 'clock' });
  const before = await domain.store.clock.read();
  if (before.seenMs <= nowMs) return before;
  const detail = { from: formatInstantMs(before.seenMs), to: formatInstantMs(nowMs) };
  const audit = auditDraft({ clock: () => nowMs }, actor, 'store.accept_clock', 'clock', detail);
  await domain.store.clock.accept(nowMs, audit);
  return before;
}
