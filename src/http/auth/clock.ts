import type { ClockSamples } from '../../core/port/clock.ts';
import type { Store } from '../../core/port/store.ts';
import type { Clock } from '../../core/time/instants.ts';
import { afterSample, sampleClock } from '../../core/time/steady-clock.ts';
import type { Log } from '../monitoring/log.ts';

const sampleGapMs = 1000;
/** What is known is brought to the store with every so many samples. */
const samplesInNote = 10;
/** A clock so far behind is told of. */
const farBehindMs = 60_000;

/**
 * The clock of a daemon: the machine's, but never behind the latest time that was steadily seen. Samples it once a second in
 * memory, brings that to the store every ten, and follows what other processes note or accept there within a second.
 */
export class DaemonClock {
  /** Asked for every request: a call and a comparison. */
  readonly now: Clock;
  readonly #store: Pick<Store, 'clock' | 'keys'>;
  readonly #machine: Clock;
  readonly #uptime: Clock;
  readonly #log: Log;
  #looks: ClockSamples = { seenMs: 0, steadyStartMs: 0, candidateStartMs: 0, candidateUpMs: 0 };
  /** What the store held as seen when it was last read. */
  #storedMs = 0;
  #version: number | undefined;
  #isBehind = false;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'clock' | 'keys'>, machine: Clock, uptime: Clock, log: Log) {
    this.#store = store;
    this.#machine = machine;
    this.#uptime = uptime;
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
    const stored = await this.#store.clock.read();
    const isFirst = this.#version === undefined;
    const wasAccepted = stored.seenMs < this.#storedMs;
    this.#version = version;
    this.#storedMs = stored.seenMs;
    if (isFirst || wasAccepted) this.#looks = stored;
    else if (stored.seenMs > this.#looks.seenMs) this.#looks = { ...this.#looks, seenMs: stored.seenMs };
  }

  start(): void {
    let count = 0;
    this.#timer = setInterval(() => {
      const note = ++count % samplesInNote === 0;
      this.#working = this.#working.then(() => this.#sample(note));
    }, sampleGapMs);
    this.#timer.unref();
  }

  /** Brings what was seen last to the store. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
    await this.#sample(true);
  }

  async #sample(note: boolean): Promise<void> {
    try {
      await this.follow();
      const sample = sampleClock(this.#machine, this.#uptime);
      this.#looks = afterSample(this.#looks, sample, 0);
      this.#tellWhereBehind(sample.nowMs);
      if (note) await this.#store.clock.merge({ fromMs: this.#storedMs, samples: this.#looks });
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
