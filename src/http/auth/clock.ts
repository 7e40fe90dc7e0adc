import { afterSample, sampleClock, steadyTime } from '../../core/domain/steady-clock.ts';
import type { ClockSamples, SteadyTime } from '../../core/port/clock.ts';
import type { Store } from '../../core/port/store.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Log } from '../monitoring/log.ts';
import { Repetition } from '../monitoring/repetition.ts';

const sampleGapMs = 1000;
const samplesPerUpdate = 10;
const farBehindMs = 60_000;

/**
 * The clock of a daemon: the machine's, but never behind the latest time that was steadily seen. It samples the machine's
 * clock once a second in memory, updates the store every ten seconds, and follows within a second what other processes
 * record or accept there.
 */
export class DaemonClock extends Repetition {
  /** Called for every request: one call and a comparison. */
  readonly now: Clock;
  readonly #store: Pick<Store, 'clock' | 'keys'>;
  readonly #machine: Clock;
  readonly #uptime: Clock;
  #samples: ClockSamples = { seenMs: 0, steadyStartMs: 0, candidateStartMs: 0, candidateUpMs: 0 };
  /** The latest time seen that the store held when it was last read. */
  #storedMs = 0;
  #version: number | undefined;
  #isBehind = false;
  /** Samples to take before the store is updated. */
  #untilUpdate = samplesPerUpdate;

  constructor(store: Pick<Store, 'clock' | 'keys'>, machine: Clock, uptime: Clock, log: Log) {
    super(sampleGapMs, log, 'the clock samples were not stored; trying again');
    this.#store = store;
    this.#machine = machine;
    this.#uptime = uptime;
    this.now = () => {
      const nowMs = machine();
      return nowMs < this.#samples.seenMs ? this.#samples.seenMs : nowMs;
    };
  }

  /** Adopts the samples of the store, which only `hkctl doctor` moves back; before the first call the clock is the machine's. */
  async follow(): Promise<void> {
    const version = await this.#store.keys.version();
    if (version === this.#version) return;
    const stored = await this.#store.clock.read();
    const isFirst = this.#version === undefined;
    const wasAccepted = stored.seenMs < this.#storedMs;
    this.#version = version;
    this.#storedMs = stored.seenMs;
    if (isFirst || wasAccepted) this.#samples = stored;
    else if (stored.seenMs > this.#samples.seenMs) this.#samples = { ...this.#samples, seenMs: stored.seenMs };
  }

  /** The time by a clock that was steady for five minutes, see the core. */
  steady(): SteadyTime {
    return steadyTime(this.#samples, sampleClock(this.#machine, this.#uptime));
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.#untilUpdate = 1;
    await this.run();
  }

  protected async work(): Promise<void> {
    await this.follow();
    const sample = sampleClock(this.#machine, this.#uptime);
    this.#samples = afterSample(this.#samples, sample, 0);
    this.#warnWhereBehind(sample.nowMs);
    if (--this.#untilUpdate > 0) return;
    await this.#store.clock.merge({ fromMs: this.#storedMs, samples: this.#samples });
    this.#untilUpdate = samplesPerUpdate;
  }

  #warnWhereBehind(nowMs: number): void {
    const isBehind = this.#samples.seenMs - nowMs > farBehindMs;
    if (isBehind && !this.#isBehind) {
      const seen = new Date(this.#samples.seenMs).toISOString();
      this.log.warn(
        { seen },
        'THE CLOCK IS BEHIND a time that was steadily seen, by which keys expire: see hkctl doctor',
      );
    }
    this.#isBehind = isBehind;
  }
}
