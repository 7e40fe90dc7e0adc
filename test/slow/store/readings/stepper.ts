import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { atEndOfFile } from '../../../ends.ts';
import { Model } from '../../../store/sqlite/readings/model/model.ts';
import {
  droppedAtOnce,
  type Process,
  type Step,
} from '../../../store/sqlite/readings/model/process.ts';

/** Builds the program of `stepping.ts`; its path. */
export async function buildStepper(): Promise<string> {
  // The driver is found from where the packages are.
  const program = join(
    process.cwd(),
    'node_modules',
    '.cache',
    'hkctl',
    `stepping-${process.pid}.cjs`,
  );
  atEndOfFile(() => rmSync(program, { force: true }));
  await build({
    input: join(__dirname, 'stepping.ts'),
    platform: 'node',
    external: [/better-sqlite3/],
    output: { file: program, format: 'cjs', codeSplitting: false },
    logLevel: 'silent',
  });
  return program;
}

/** The model that a store holds: one with all steps whose end was seen, or also the next one. Throws if it holds neither. */
export function modelOf(reader: Process, before: Model, next: Step | undefined): Model {
  const found = [before, ...(next ? outcomesOf(before, next) : [])].find((outcome) =>
    holds(outcome, reader),
  );
  // Once more without a catch, which shows what is wrong.
  if (!found) before.compare(reader);
  return found ?? before;
}

/** What a store may hold after a step whose end nobody has seen. */
function outcomesOf(model: Model, next: Step): Model[] {
  const after = (change: (outcome: Model) => void) => {
    const outcome = new Model(model);
    change(outcome);
    return outcome;
  };
  if (next.kind === 'send') return [after((outcome) => outcome.send(next.sent))];
  if (next.kind === 'drop')
    return Array.from({ length: droppedAtOnce + 2 }, (_, n) =>
      after((outcome) => outcome.drop(next, n + 1)),
    );
  if (next.kind !== 'erase') return [];
  // Its readings go first; whoever repeats it removes the sums, too.
  return [true, false].map((isComplete) => after((outcome) => outcome.erase(next, { isComplete })));
}

function holds(model: Model, reader: Process): boolean {
  try {
    model.compare(reader);
    return true;
  } catch {
    return false;
  }
}
