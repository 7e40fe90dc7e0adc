/**
 * Repeats work every 15 seconds while the page is visible, and never while it is hidden. A page
 * that becomes visible again works at once.
 */

export const refreshMs = 15_000;

/** Starts the repetition with a first turn; the result ends it. */
export function startRefresh(refresh: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWorking = false;
  let isEnded = false;

  async function runTurn(): Promise<void> {
    if (isWorking || isEnded) return;
    clearTimeout(timer);
    isWorking = true;

    try {
      await refresh();
    } finally {
      isWorking = false;
      schedule();
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!isEnded && !document.hidden) {
      timer = setTimeout(runTurn, refreshMs);
    }
  }

  function visibilityChanged(): void {
    if (document.hidden) clearTimeout(timer);
    else void runTurn();
  }

  document.addEventListener('visibilitychange', visibilityChanged);
  if (!document.hidden) void runTurn();

  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', visibilityChanged);
  };
}
