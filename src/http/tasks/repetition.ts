import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { Log } from '../monitoring/log.ts';

interface RepeatedWork {
  everyMs: number;
  /** Must hold back repeated warnings. */
  log: Log;
  /** The warning after a fault; the next time tries again, since a full or locked disk may recover. */
  failure: string;
  work(): MaybePromise<void>;
  /** Called after a warning. */
  afterFault?(): void;
  /** Done once the repetition has stopped. */
  atEnd?(): MaybePromise<void>;
}

export interface Repetition {
  /** Does the work once. */
  run(): Promise<void>;
  start(): void;
  /** Ends after the running work. */
  stop(): Promise<void>;
}

/** Builds work at regular times, but never twice at once: if it takes longer, a time is left out. Keeps no process alive. */
export function createRepetition({
  everyMs,
  log,
  failure,
  work,
  afterFault,
  atEnd,
}: RepeatedWork): Repetition {
  let intervalTimer: NodeJS.Timeout | undefined;
  let runningWork: Promise<void> | undefined;
  async function run(task = work): Promise<void> {
    try {
      await task();
    } catch (thrown) {
      log.warn({ err: thrown }, failure);
      afterFault?.();
    }
  }
  return {
    run: () => run(),
    start() {
      intervalTimer = setInterval(() => {
        runningWork ??= run().finally(() => {
          runningWork = undefined;
        });
      }, everyMs).unref();
    },
    async stop() {
      clearInterval(intervalTimer);
      await runningWork;
      if (atEnd) await run(atEnd);
    },
  };
}
