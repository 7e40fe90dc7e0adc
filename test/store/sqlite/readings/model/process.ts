import { quarterUs } from '../../../../../src/core/readings/reads/quarters.ts';
import { createErasure } from '../../../../../src/store/sqlite/readings/erasure.ts';
import { createDrop, createDroppable } from '../../../../../src/store/sqlite/readings/retention.ts';
import type { StoredReadings } from '../../../../../src/store/sqlite/readings/stored.ts';
import {
  compactSeries,
  compactWhileIdle,
} from '../../../../../src/store/sqlite/readings/writer/compaction.ts';
import { openDatabase } from '../../../../../src/store/sqlite-file/driver.ts';
import { readingsOn, type Sent } from '../sent.ts';

/** What a process does with the readings of a store; those that fail do so at their commit. */
export type Step =
  | { kind: 'send'; sent: Sent[] }
  | { kind: 'fail'; sent: Sent[] }
  | { kind: 'compact'; ofSeries: number; ofAll: number; isUrgent: boolean }
  | { kind: 'sum'; readings: number; fails: boolean }
  | { kind: 'drop'; quarter: number; position?: number }
  | { kind: 'erase'; series: number; fromUs: number; toUs: number }
  | { kind: 'restart' };

/** How many readings a step of a drop takes, and those up to the end of their quarter of an hour. */
export const droppedAtOnce = 5;

/** One process with the store open. Small chunks and small steps, so that few readings meet every case. */
export class Process {
  readonly #file: string;
  readonly #pragmas: string;
  parts: ReturnType<typeof partsOf>;

  constructor(file: string, pragmas: string) {
    this.#file = file;
    this.#pragmas = pragmas;
    this.parts = partsOf(file, pragmas);
  }

  /** Does a step, and returns its result. */
  perform(step: Step) {
    const { stored, send, drop, erasure } = this.parts;
    if (step.kind === 'send') return { sent: send(step.sent) };
    if (step.kind === 'fail') this.#failing(() => send(step.sent));
    else if (step.kind === 'compact') compact(stored, step);
    else if (step.kind === 'sum') this.#sum(step);
    else if (step.kind === 'erase') erasure.erase(step);
    else if (step.kind === 'restart') this.#restart();
    else
      return {
        dropped: drop({
          entityId: 'E',
          untilUs: step.quarter * quarterUs,
          position: step.position,
        }),
      };
    return {};
  }

  close(): void {
    this.parts.connection.close();
  }

  /** Sums up days that wait; perhaps its commit fails. */
  #sum({ readings, fails }: Extract<Step, { kind: 'sum' }>): void {
    const { stored } = this.parts;
    try {
      stored.writing(() => {
        stored.chunks.sumUpDays(readings);
        if (fails) throw new Error('on purpose');
      });
    } catch (thrown) {
      if (!(thrown instanceof Error) || thrown.message !== 'on purpose') throw thrown;
    }
  }

  #restart(): void {
    this.close();
    this.parts = partsOf(this.#file, this.#pragmas);
  }

  /** Runs something whose commit fails after everything else of it was done. */
  #failing(work: () => unknown): void {
    const { connection } = this.parts;
    connection.exec(
      "create temp trigger fails after insert on main.log begin select raise(abort, 'on purpose'); end",
    );
    try {
      work();
    } catch (thrown) {
      if (!(thrown instanceof Error) || thrown.message !== 'on purpose') throw thrown;
    } finally {
      connection.exec('drop trigger fails');
    }
  }
}

/** Compacts as an idle writer does, or as one that has other commits to make. */
function compact(stored: StoredReadings, step: Extract<Step, { kind: 'compact' }>): void {
  if (!step.isUrgent) {
    compactWhileIdle(stored, step);
    return;
  }
  stored.writing(() => {
    compactSeries(stored, step.ofAll, step);
    stored.buffer.trim();
  });
}

function partsOf(file: string, pragmas: string) {
  const connection = openDatabase(file, {});
  connection.exec(pragmas);
  const { stored, send } = readingsOn(connection, { full: 8, small: 3, summedUp: 2, noticed: 2 });
  const drop = createDrop(connection, stored, { readings: droppedAtOnce, series: 2 });
  const erasure = createErasure(stored);
  return {
    connection,
    stored,
    send,
    drop,
    erasure,
    droppable: createDroppable(connection, stored),
  };
}
