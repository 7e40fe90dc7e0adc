import { anchorMessage } from '../../core/audit/anchors.ts';
import type { AuditHead, AuditStore } from '../../core/port/audit.ts';
import type { Log } from './log.ts';
import { Repetition } from './repetition.ts';

const checkEveryMs = 1000;
const minimumGapMs = 60_000;

/**
 * Writes the head and the count of the audit chain to the daemon's log, which a person who can change the store cannot
 * change: when the daemon starts, when it ends, in between after each change, at most once a minute, and if the store is away.
 * A chain that has become shorter is an error in the log: the store has gone back in time, and revoked keys may work again.
 */
export class AuditAnchors extends Repetition {
  readonly #audit: Pick<AuditStore, 'head'>;
  readonly #monotonicMs: () => number;
  /** The last head that was read, and the hash of the last that was written. */
  #seen: AuditHead | undefined;
  #written = '';
  #writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(audit: Pick<AuditStore, 'head'>, log: Log, monotonicMs: () => number = () => performance.now()) {
    super(checkEveryMs, log, 'the head of the audit chain was not read; trying again');
    this.#audit = audit;
    this.#monotonicMs = monotonicMs;
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.run();
    if (this.#seen) this.#write(this.#seen);
  }

  /** Reads the head; writes it if it has changed and the last one is at least a minute old. */
  protected async work(): Promise<void> {
    const head = await this.attempt(() => this.#audit.head());
    const before = this.#seen;
    const isShorter = head !== undefined && before !== undefined && isBehind(head, before);
    // The log must name the last head that was there.
    if ((head === undefined || isShorter) && before && before.hash !== this.#written) this.#write(before);
    if (head === undefined) return;
    this.#seen = head;
    if (isShorter) this.log.error({ count: head.count, before: before.count }, wentBack);
    const isDue = this.#monotonicMs() - this.#writtenAtMs >= minimumGapMs;
    if (isDue && head.hash !== this.#written) this.#write(head);
  }

  #write({ count, hash }: AuditHead): void {
    this.log.info({ count, head: hash }, anchorMessage);
    this.#written = hash;
    this.#writtenAtMs = this.#monotonicMs();
  }
}

const wentBack =
  'the audit trail has lost records: the store has gone back in time, and what was revoked since then works again';

function isBehind(head: AuditHead, before: AuditHead): boolean {
  return head.count < before.count || (head.count === before.count && head.hash !== before.hash);
}
