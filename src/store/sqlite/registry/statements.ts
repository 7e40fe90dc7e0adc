import type { AuditDraft } from '../../../core/port/audit.ts';
import { createAppend } from '../../shared/registry/audit.ts';
import type { Runner, StatementSteps, Writing } from '../../shared/registry/statements.ts';
import { createExecutor, dialect, type Registry } from './registry.ts';
import { changeWithJournal } from './revocation-journal.ts';

type SqliteExecutor = ReturnType<typeof createExecutor>;

/** A runner whose statements are done when they return. */
export interface SqliteRunner extends Omit<Runner, keyof SqliteExecutor>, SqliteExecutor {
  append(draft: AuditDraft): void;
}

const append = createAppend(dialect);

/** `journal` is the file that names the stopped keys, users and entities. */
export function createRunner(registry: Registry, journal: string): SqliteRunner {
  const executor = createExecutor(registry);
  const writing: Writing = { ...executor, dialect };
  const appendNow = (draft: AuditDraft) => void runStatement(append(writing, draft));

  return {
    ...executor,
    dialect,
    append: appendNow,
    run: (work) => runStatement(work()),
    change(work, kind = 'change') {
      const registryKind = kind === 'merge' ? 'sample' : kind;
      return changeWithJournal(registry, { journal, kind: registryKind }, ({ stop, start }) => {
        const steps = work({
          ...writing,
          append: appendNow,
          stop,
          start: (entries, ...stillHolds) =>
            start(entries, () => executor.query(...stillHolds).length > 0),
        });
        return runStatement(steps);
      });
    },
  };
}

export function runStatement<T>(steps: StatementSteps<T>): T {
  let step = steps.next();
  while (!step.done) {
    step = steps.next(step.value);
  }
  return step.value;
}
