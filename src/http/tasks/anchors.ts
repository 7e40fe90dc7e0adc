import { anchorMessage } from '../../core/audit/anchors.ts';
import type { AuditHead, AuditStore } from '../../core/port/audit.ts';
import type { Log } from '../monitoring/log.ts';
import { createRepetition, type Repetition } from './repetition.ts';

const checkEveryMs = 1000;
const minimumGapMs = 60_000;

/**
 * Writes the head and the count of the audit chain to the daemon's log, where an account that can change the store cannot reach it.
 * It does so at the start, at the end, after changes (at most once a minute), and if the store is away. A chain that has become
 * shorter is an error in the log: the store has gone back in time, and revoked keys may work again.
 */
export function createAnchors(
  audit: Pick<AuditStore, 'head'>,
  log: Log,
  monotonicMs: () => number = () => performance.now(),
): Repetition {
  /** The last head that was read, and the hash of the last one that was written. */
  let lastHead: AuditHead | undefined;
  let writtenHash = '';
  let writtenAtMs = Number.NEGATIVE_INFINITY;

  function writeHead({ count, hash }: AuditHead): void {
    log.info({ count, head: hash }, anchorMessage);
    writtenHash = hash;
    writtenAtMs = monotonicMs();
  }

  /** The log must name the last head that was in the store. */
  function writeLastHead(): void {
    if (lastHead && lastHead.hash !== writtenHash) writeHead(lastHead);
  }

  async function checkHead(): Promise<void> {
    const head = await audit.head();
    if (lastHead && isBehind(head, lastHead)) {
      writeLastHead();
      log.error({ count: head.count, before: lastHead.count }, wentBackMessage);
    }
    lastHead = head;
    const isDue = monotonicMs() - writtenAtMs >= minimumGapMs;
    if (isDue) writeLastHead();
  }

  const anchors = createRepetition({
    everyMs: checkEveryMs,
    log,
    failure: 'the head of the audit chain was not read; trying again',
    work: checkHead,
    afterFault: writeLastHead,
    async atEnd() {
      await anchors.run();
      if (lastHead) writeHead(lastHead);
    },
  });
  return anchors;
}

const wentBackMessage =
  'the audit trail has lost records: the store has gone back in time, and what was revoked since then works again';

function isBehind(head: AuditHead, previous: AuditHead): boolean {
  if (head.count !== previous.count) return head.count < previous.count;
  return head.hash !== previous.hash;
}
