import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { propertyRuns } from '../../../../properties.ts';
import { emptyDatabase, Model, range, step } from './model.ts';
import { Process } from './process.ts';

/** Checks that two processes on one store hold what a map holds, whatever they do in which order. */
export function checkTwoProcesses(numRuns: number): void {
  const { folder, empty } = emptyDatabase();
  let runs = 0;
  // A process that reads after each step knows what the other one did: one that reads after some of them knows less.
  const readers = fc.constantFrom<number[]>([], [0], [1], [0, 1]);
  const steps = fc.array(fc.tuple(fc.nat({ max: 1 }), step, readers, range), {
    minLength: 1,
    maxLength: 60,
  });
  const property = fc.property(steps, (all) => {
    const file = join(folder, `${runs++}.db`);
    copyFileSync(empty, file);
    const model = new Model();
    const processes = [0, 1].map(() => new Process(file, 'pragma synchronous = off'));
    try {
      for (const [which, next, reading, seen] of all) {
        const result = processes[which]?.perform(next);
        if (result) model.apply(next, result);
        for (const reader of processes.filter((_, n) => reading.includes(n)))
          model.compare(reader, seen);
      }
      for (const reader of processes) model.compare(reader);
    } finally {
      for (const each of processes) each.close();
      for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
    }
  });
  fc.assert(property, propertyRuns(numRuns));
}
