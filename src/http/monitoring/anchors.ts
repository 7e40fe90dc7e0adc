import { anchorMessage } from '../../core/audit/anchors.ts';
import type { AuditStore } from '../../core/port/audit.ts';
import type { Log } from './log.ts';
import { Repetition } from './repetition.ts';

const checkEveryMs = 1000;
const minimumGapMs = 60_000;

/**
 * Writes the head and the count of the audit chain to the daemon's log, which somebody who can change the store cannot
 * change: when the daemon starts, when it ends, and in between after each change, at most once a minute.
 */
export class AuditAnchors {
  readonly #audit: Pick<AuditStore, 'head'>;
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  #written = '';
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  readonly #checks = new Repetition(checkEveryMs, () => this.writeIfDue());

  constructor(audit: Pick<AuditStore, 'head'>, log: Log, monotonicMs: () => number = () => performance.now()) {
    this.#audit = audit;
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  async start(): Promise<void> {
    await this.#write();
    this.#checks.start();
  }

  async stop(): Promise<void> {
    await this.#checks.stop();
    await this.#write();
  }

  /** Writes the head if it has changed and the last one is at least a minute old. */
  async writeIfDue(): Promise<void> {
    if (this.#monotonicMs() - this.#writtenAtMs >= minimumGapMs) await this.#write(true);
  }

  async #write(onlyChanged = false): Promise<void> {
    try {
      const { count, hash } = await this.#audit.head();
      if (onlyChanged && hash === this.#written) return;
      this.#log.info({ count, head: hash }, anchorMessage);
      this.#written = hash;
      this.#writtenAtMs = this.#monotonicMs();
    } catch (thrown) {
      // A locked disk may recover, and requests need no anchor meanwhile.
      this.#log.warn({ err: thrown }, 'the head of the audit chain was not read; trying again');
      this.#writtenAtMs = this.#monotonicMs();
    }
  }
}
