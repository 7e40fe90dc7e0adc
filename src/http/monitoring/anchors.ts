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
export class AuditAnchors {
  readonly #audit: Pick<AuditStore, 'head'>;
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  /** The last head that was read, and the hash of the last that was written. */
  #seen: AuditHead | undefined;
  #written = '';
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  readonly #checks = new Repetition(checkEveryMs, () => this.check());

  /** The log must hold back repeated warnings: a head that cannot be read is tried again every second. */
  constructor(audit: Pick<AuditStore, 'head'>, log: Log, monotonicMs: () => number = () => performance.now()) {
    this.#audit = audit;
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  async start(): Promise<void> {
    await this.check();
    this.#checks.start();
  }

  async stop(): Promise<void> {
    await this.#checks.stop();
    await this.check();
    if (this.#seen) this.#write(this.#seen);
  }

  /** Reads the head; writes it if it has changed and the last one is at least a minute old. */
  async check(): Promise<void> {
    const head = await this.#read();
    const before = this.#seen;
    const isShorter = head !== undefined && before !== undefined && isBehind(head, before);
    // The log must name the last head that was there.
    if ((head === undefined || isShorter) && before && before.hash !== this.#written) this.#write(before);
    if (head === undefined) return;
    this.#seen = head;
    if (isShorter) this.#log.error({ count: head.count, before: before.count }, wentBack);
    const isDue = this.#monotonicMs() - this.#writtenAtMs >= minimumGapMs;
    if (isDue && head.hash !== this.#written) this.#write(head);
  }

  async #read(): Promise<AuditHead | undefined> {
    try {
      return await this.#audit.head();
    } catch (thrown) {
      // A locked disk may recover, and requests need no anchor meanwhile.
      this.#log.warn({ err: thrown }, 'the head of the audit chain was not read; trying again');
      return undefined;
    }
  }

  #write({ count, hash }: AuditHead): void {
    this.#log.info({ count, head: hash }, anchorMessage);
    this.#written = hash;
    this.#writtenAtMs = this.#monotonicMs();
  }
}

const wentBack =
  'the audit trail has lost records: the store has gone back in time, and what was revoked since then works again';

function isBehind(head: AuditHead, before: AuditHead): boolean {
  return head.count < before.count || (head.count === before.count && head.hash !== before.hash);
}
