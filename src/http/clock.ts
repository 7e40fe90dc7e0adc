import { looked } from '../core/clock.ts';
import type { Clock } from '../core/instants.ts';
import type { ClockLooks, Store } from '../core/store.ts';
import type { Log } from './log.ts';

const lookMs = 1000;
/** Looks are brought to the store with every so many. */
const looksInNote = 10;
/** A clock so far behind is told of. */
const farBehindMs = 60_000;

/**
 * The clock of a daemon: the machine's, but never behind the latest time that was steadily seen. Looks once a second in
 * memory, brings that to the store every ten, and follows what other processes note or accept there within a second.
 */
export class DaemonClock {
  /** Asked for every request: a call and a comparison. */
  readonly now: Clock;
  readonly #store: Pick<Store, 'clock' | 'keys'>;
  readonly #machine: Clock;
  readonly #log: Log;
  #looks: ClockLooks = { seenMs: 0, candidateMs: 0 };
  /** What the store held as seen when it was last read. */
  #storedMs = 0;
  #version: number | undefined;
  #isBehind = false;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'clock' | 'keys'>, machine: Clock, log: Log) {
    this.#store = store;
    this.#machine = machine;
    this.#log = log;
    this.now = () => {
      const nowMs = machine();
      return nowMs < this.#looks.seenMs ? this.#looks.seenMs : nowMs;
    };
  }

  /** Takes over what the store knows by now, which only an acceptance moves back; before it the clock is the machine's. */
  async follow(): Promise<void> {
    const version = await this.#store.keys.version();
    if (version === this.#version) return;
    const { seenMs } = await this.#store.clock.read();
    const wasAccepted = seenMs < this.#storedMs;
    this.#version = version;
    this.#storedMs = seenMs;
    if (wasAccepted || seenMs > this.#looks.seenMs) this.#looks = { ...this.#looks, seenMs };
  }

  start(): void {
    let count = 0;
    this.#timer = setInterval(() => {
      const note = ++count % looksInNote === 0;
      this.#working = this.#working.then(() => this.#look(note));
    }, lookMs);
    this.#timer.unref();
  }

  /** Brings what was seen last to the store. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
    await this.#look(true);
  }

  async #look(note: boolean): Promise<void> {
    try {
      await this.follow();
      const nowMs = this.#machine();
      this.#looks = looked(this.#looks, nowMs, 0);
      this.#tellWhereBehind(nowMs);
      if (note) await this.#store.clock.bring({ nowMs, fromMs: this.#storedMs, seenMs: this.#looks.seenMs });
    } catch (thrown) {
      // A full or locked disk passes; what was seen meanwhile goes with the next note.
      this.#log.warn({ err: thrown }, 'the time that was seen was not noted; trying again');
    }
  }

  #tellWhereBehind(nowMs: number): void {
    const isBehind = this.#looks.seenMs - nowMs > farBehindMs;
    if (isBehind && !this.#isBehind) {
      const seen = new Date(this.#looks.seenMs).toISOString();
      this.#log.warn(
        { seen },
        'THE CLOCK IS BEHIND a time that was steadily seen, by which keys expire: see hkctl doctor',
      );
    }
    this.#isBehind = isBehind;
  }
}
