import type { MaybePromise } from './maybe-promise.ts';

export interface Daemon {
  baseUrl: string;
  /** On its own machine. */
  pid: number;
  sinceMs: number;
  /** The version of hkctl that it runs; null if it did not record one. */
  version: string | null;
  /** From when and until when its certificate is valid; null without TLS. */
  certificateFromMs: number | null;
  certificateUntilMs: number | null;
}

export interface CertificateValidity {
  fromMs: number;
  untilMs: number;
}

export interface RecordedDaemon extends Daemon {
  /** Whether it serves, or ended in another way; undefined if the store cannot show that, as on a read-only file system. */
  serves: boolean | undefined;
}

/** Tasks that one daemon of a store does once in a while, whichever comes first. */
export type DaemonTask = 'retention' | `warned ${string}` | `notified ${string}`;

export interface DaemonStore {
  /** Registers this process as a daemon until it clears its address or ends in any way. `state_forbids` during a restore. */
  begin(): MaybePromise<void>;
  /** Records the address of a running daemon and its version, for the curl examples; begins if that was not done. */
  recordAddress(baseUrl: string, pid: number, version?: string): MaybePromise<void>;
  /** Records the certificate of a daemon whose address is recorded. */
  recordCertificate(pid: number, validity: CertificateValidity): MaybePromise<void>;
  clearAddress(pid: number): MaybePromise<void>;
  /** The address last recorded, while a daemon serves the store in any container. */
  address(): MaybePromise<string | undefined>;
  /** Whether this daemon may begin a task now: false if one of the store has begun it less than `gapMs` before, or after. */
  beginTask(task: DaemonTask, nowMs: number, gapMs: number): MaybePromise<boolean>;
  /** When a daemon of the store last began a task, by the clock of that time; undefined for never. */
  taskBegunMs(task: DaemonTask): MaybePromise<number | undefined>;
  /** The daemons that were not stopped, newest first; what ended otherwise is forgotten once another takes its place. */
  recorded(): MaybePromise<RecordedDaemon[]>;
}
