/** How a part of the program that has the terminal hears what the operating system does to the process. */
export interface Signals {
  /**
   * Calls back for each signal that would end the process, and keeps it alive. The newest listener is called first; `held`
   * keeps the signal from the older ones.
   */
  onInterrupt(listener: () => 'held' | undefined): () => void;
  /** Calls back before the process is stopped by SIGTSTP, and after it was continued. */
  onStop(listener: { before(): void; after(): void }): () => void;
  /** Stops the process and its group, as the terminal does for Ctrl-Z. */
  stop(): void;
  /** Calls back when the process ends, also by an error that nobody caught. */
  onExit(listener: () => void): () => void;
}

/** What ends a process at a terminal: Ctrl-C, `kill`, a terminal that is closed, Ctrl-\. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** What is needed of a process for its signals. */
export interface SignalSource {
  readonly pid: number;
  on(name: string, listener: () => void): unknown;
  off(name: string, listener: () => void): unknown;
  kill(pid: number, signal: 'SIGTSTP'): unknown;
}

/** The signals of a process. A signal has its usual effect wherever nobody listens. */
export function createSignals(process: SignalSource): Signals {
  const listeners: (() => 'held' | undefined)[] = [];
  const interrupted = () => {
    for (const listener of listeners.toReversed()) if (listener() === 'held') return;
  };
  return {
    onInterrupt(given) {
      // A function of its own, so that it is found again whoever gives the same one twice.
      const listener = () => given();
      if (listeners.length === 0) for (const name of endings) process.on(name, interrupted);
      listeners.push(listener);
      return () => {
        const at = listeners.indexOf(listener);
        if (at === -1) return;
        listeners.splice(at, 1);
        if (listeners.length === 0) for (const name of endings) process.off(name, interrupted);
      };
    },
    onStop({ before, after }) {
      const stopped = () => {
        before();
        // Without a listener the signal stops the process within this call; a group without a shell is not stopped at all.
        process.off('SIGTSTP', stopped);
        process.kill(process.pid, 'SIGTSTP');
        process.on('SIGTSTP', stopped);
        after();
      };
      // After SIGSTOP, which no process can see coming.
      process.on('SIGTSTP', stopped);
      process.on('SIGCONT', after);
      return () => {
        process.off('SIGTSTP', stopped);
        process.off('SIGCONT', after);
      };
    },
    stop: () => void process.kill(0, 'SIGTSTP'),
    onExit(listener) {
      process.on('exit', listener);
      return () => void process.off('exit', listener);
    },
  };
}
