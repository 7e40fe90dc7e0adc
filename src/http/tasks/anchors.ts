import { anchorMessage } from '../../core/audit/anchors.ts';
import type { AuditHead, AuditStore } from '../../core/port/audit.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition, type Repetition } from './repetition.ts';

const checkEveryMs = 1000;
const minimumGapMs = 60_000;

/**
 * Writes the head and the count of the audit chain to the daemon's log, which a person who can change the store cannot
 * change: when the daemon starts, when it ends, in between after each change, at most once a minute, and if the store is away.
 * A chain that has become shorter is an error in the log: the store has gone back in time, and revoked keys may work again.
 */
export function createAnchors(
  audit: Pick<AuditStore, 'head'>,
  log: Log,
  monotonicMs: () => number = () => performance.now(),
): Repetition {
  /** The last head that was read, and the hash of the last that was written. */
  let seen: AuditHead | undefined;
  let written = '';
  let writtenAtMs = Number.NEGATIVE_INFINITY;

  function write({ count, hash }: AuditHead): void {
    log.info({ count, head: hash }, anchorMessage);
    written = hash;
    writtenAtMs = monotonicMs();
  }

  /** The log must name the last head that was there. */
  function writeSeen(): void {
    if (seen && seen.hash !== written) write(seen);
  }

  async function check(): Promise<void> {
    const head = await audit.head();
    if (seen && isBehind(head, seen)) {
      writeSeen();
      log.error({ count: head.count, before: seen.count }, wentBack);
    }
    seen = head;
    const isDue = monotonicMs() - writtenAtMs >= minimumGapMs;
    if (isDue) writeSeen();
  }

  const anchors = createRepetition({
    everyMs: checkEveryMs,
    log,
    failure: 'the head of the audit chain was not read; trying again',
    work: check,
    afterFault: writeSeen,
    async atEnd() {
      await anchors.run();
      if (seen) write(seen);
    },
  });
  return anchors;
}

const wentBack =
  'the audit trail has lost records: the store has gone back in time, and what was revoked since then works again';

function isBehind(head: AuditHead, before: AuditHead): boolean {
  return head.count < before.count || (head.count === before.count && head.hash !== before.hash);
}
