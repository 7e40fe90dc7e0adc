import type { Api, Read } from './api/api.ts';
import { isProblem, type Problem } from './api/problems.ts';

/** The one loop of the page (promise 9.2): every view is read, refreshed and tried again by it. */
export interface Loop {
  /** Starts a turn at once, in place of a running one; it takes answers that are still fresh. */
  wake(): void;
  end(): void;
}

/** The next turn begins so long after the last one, so that a revoked key shows within 15 s. */
const refreshMs = 12_000;
/** The pause after a request without an answer. */
const retryMs = 5_000;

/**
 * Repeats turns while the page is visible, and never while it is hidden. `report` gets the problem
 * of each turn, or `undefined`. A `Retry-After` is kept, whatever the person does meanwhile.
 */
export function startLoop(
  api: Api,
  turn: (read: Read) => Promise<void>,
  report: (problem: Problem | undefined) => void,
): Loop {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  let dueAtMs = 0;
  let pausedUntilMs = 0;
  let isEnded = false;

  document.addEventListener('visibilitychange', visibilityChanged);
  runDue();
  return {
    wake: () => void runTurn(),
    end() {
      isEnded = true;
      stop();
      document.removeEventListener('visibilitychange', visibilityChanged);
    },
  };

  function visibilityChanged(): void {
    if (document.hidden) stop();
    else runDue();
  }

  function stop(): void {
    clearTimeout(timer);
    running?.abort();
  }

  function runDue(): void {
    dueAtMs = 0;
    void runTurn();
  }

  async function runTurn(): Promise<void> {
    stop();
    const startMs = performance.now();
    if (isEnded || document.hidden) return;
    if (startMs < pausedUntilMs) return schedule(pausedUntilMs);

    const controller = new AbortController();
    running = controller;
    if (startMs >= dueAtMs) {
      api.expire();
      dueAtMs = startMs + refreshMs;
    }

    let problem: Problem | undefined;
    try {
      await turn(api.readWith(controller.signal));
    } catch (thrown) {
      if (controller.signal.aborted) return;
      if (!isProblem(thrown)) throw thrown;
      problem = thrown;
      pauseAfter(problem);
    } finally {
      if (!controller.signal.aborted) schedule(dueAtMs);
    }
    if (!controller.signal.aborted) report(problem);
  }

  function pauseAfter({ code, retryAfterSeconds }: Problem): void {
    const nowMs = performance.now();
    if (retryAfterSeconds !== undefined) {
      pausedUntilMs = nowMs + 1000 * Math.max(1, retryAfterSeconds);
      dueAtMs = pausedUntilMs;
    } else if (code === 'unreachable') {
      dueAtMs = nowMs + retryMs;
    }
  }

  function schedule(atMs: number): void {
    if (isEnded || document.hidden) return;
    timer = setTimeout(runTurn, Math.max(0, atMs - performance.now()));
  }
}
