import { readFileSync } from 'node:fs';
import { errnoOf } from '../../core/errors.ts';

export type Signals = ReturnType<typeof createSignals>;

/** The signals that end a process at a terminal: Ctrl-C, `kill`, a closed terminal, Ctrl-\. */
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** A continued process receives SIGCONT within this time. */
const continuedMs = 100;

interface SignalSource {
  readonly pid: number;
  on(name: string, listener: () => void): unknown;
  off(name: string, listener: () => void): unknown;
  kill(pid: number, signal: 'SIGTSTP'): unknown;
}

/**
 * Creates the signals of a process, for the part of the program that uses the terminal. Without a listener each signal keeps its
 * default effect; each function that adds a listener returns a function that removes it.
 */
export function createSignals(process: SignalSource, ignoresHangup = false) {
  const interruptSignals = endingSignals.filter((name) => !ignoresHangup || name !== 'SIGHUP');
  return {
    /** Calls back for each signal that would end the process, and keeps the process alive. */
    onInterrupt(listener: () => void) {
      for (const signalName of interruptSignals) process.on(signalName, listener);
      return () => {
        for (const signalName of interruptSignals) process.off(signalName, listener);
      };
    },
    /** Calls back before SIGTSTP stops the process, and after SIGCONT. */
    onStop({ before, after }: { before(): void; after(): void }) {
      let unstopped: NodeJS.Timeout | undefined;
      const stopProcess = () => {
        before();
        // Without a listener the signal stops the process within this call.
        process.off('SIGTSTP', stopProcess);
        process.kill(process.pid, 'SIGTSTP');
        process.on('SIGTSTP', stopProcess);
        // An orphaned process group is not stopped at all, and gets no SIGCONT.
        unstopped = setTimeout(after, continuedMs);
      };
      // SIGCONT also follows SIGSTOP, which no process can catch.
      const continueProcess = () => {
        clearTimeout(unstopped);
        after();
      };
      process.on('SIGTSTP', stopProcess);
      process.on('SIGCONT', continueProcess);
      return () => {
        clearTimeout(unstopped);
        process.off('SIGTSTP', stopProcess);
        process.off('SIGCONT', continueProcess);
      };
    },
    /** Stops the process and its group, as the terminal does for Ctrl-Z. */
    stop: () => void process.kill(0, 'SIGTSTP'),
    /** Calls back when the process ends, also by an uncaught error. */
    onExit(listener: () => void) {
      process.on('exit', listener);
      return () => void process.off('exit', listener);
    },
  };
}

/**
 * Whether the process that started this one ignores SIGHUP, as after `trap '' HUP` in a shell. Node sets the signals of this
 * process to their defaults before any of our code runs, so that its own setting is lost.
 */
export function isHangupIgnored(parentPid: number): boolean {
  const sighupBit = 1n;
  try {
    const parentStatus = readFileSync(`/proc/${parentPid}/status`, 'latin1');
    const [, ignoredSignals = '0'] = /^SigIgn:\s*([\da-f]+)$/m.exec(parentStatus) ?? [];
    return (BigInt(`0x${ignoredSignals}`) & sighupBit) !== 0n;
  } catch (thrown) {
    // Only Linux has this file, and a parent may have ended.
    if (errnoOf(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}
