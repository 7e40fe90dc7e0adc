import type { KeyStore, KeyUse } from '../../core/port/keys.ts';
import type { Log } from '../monitoring/log.ts';
import { Repetition } from '../monitoring/repetition.ts';

/** Well under the 2 s after which a time of last use must be on disk. */
const flushMs = 1000;

/** Collects the last use of keys and writes it once a second: a request costs no write of its own. */
export class UseRecorder {
  #uses = new Map<string, KeyUse>();
  readonly #writing = new Repetition(flushMs, () => this.#flush());
  readonly #keys: Pick<KeyStore, 'recordUse'>;
  readonly #log: Log;

  constructor(keys: Pick<KeyStore, 'recordUse'>, log: Log) {
    this.#keys = keys;
    this.#log = log;
  }

  record(keyId: string, atMs: number, ip: string): void {
    const use = this.#uses.get(keyId);
    if (use === undefined) this.#uses.set(keyId, { atMs, ip });
    else {
      // A busy key must not cost an object for each request.
      use.atMs = atMs;
      use.ip = ip;
    }
  }

  start(): void {
    this.#writing.start();
  }

  /** Writes the remaining times. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await this.#keys.recordUse(uses);
    } catch (thrown) {
      // A full or locked disk may recover: the next write includes these times.
      this.#log.warn({ err: thrown }, 'times of last use not written; trying again');
      for (const [keyId, use] of uses) if (!this.#uses.has(keyId)) this.#uses.set(keyId, use);
    }
  }
}
