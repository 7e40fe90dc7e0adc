import { eq, inArray, sql } from 'drizzle-orm/sql';
import type { CommandStore } from '../../../core/port/keys.ts';
import { chain } from '../../../core/port/maybe-promise.ts';
import { placeholders, statement } from './compiled-statements.ts';
import type { Dialect, Executor, Runner, StatementSteps } from './statements.ts';

/** A command that is due after a key is a mark, whose name has the id of the key and the digest of the command. */
export function createCommandStore({ query, change, dialect }: Runner): CommandStore {
  const statements = createCommandStatements(dialect);
  const markOf = (keyId: string, digest: string) => duePrefix(keyId) + digest;
  const marksOf = (keyIds: readonly string[], digest: string) => ({
    names: JSON.stringify(keyIds.map((id) => markOf(id, digest))),
  });

  return {
    add: (keyIds, digest) =>
      change(function* ({ query }) {
        for (const id of keyIds) yield query(statements.insert, { name: markOf(id, digest) });
      }),
    due: (keyIds, digest) =>
      chain(query(statements.due, marksOf(keyIds, digest)), (due) => {
        const names = new Set(due.map(({ name }) => name));
        return keyIds.filter((id) => names.has(markOf(id, digest)));
      }),
    done: (keyIds, digest) =>
      change(function* ({ query }) {
        yield query(statements.done, marksOf(keyIds, digest));
      }),
  };
}

type CommandStatements = ReturnType<typeof createCommandStatements>;

export function createCommandStatements({ builder, tables: { marks }, elementsOf }: Dialect) {
  const { name, names, newPrefix, oldPrefix, digestAt, prefixLength } = placeholders(
    'name',
    'names',
    'newPrefix',
    'oldPrefix',
    'digestAt',
    'prefixLength',
  );
  const isNamed = inArray(marks.name, elementsOf(names));

  return {
    insert: statement(() => builder.insert(marks).values({ name, value: 0 }).onConflictDoNothing()),
    due: statement(() => builder.select({ name: marks.name }).from(marks).where(isNamed)),
    done: statement(() => builder.delete(marks).where(isNamed)),
    move: statement(() =>
      builder
        .update(marks)
        .set({ name: sql`${newPrefix} || substr(${marks.name}, ${digestAt})` })
        .where(eq(sql`substr(${marks.name}, 1, ${prefixLength})`, oldPrefix)),
    ),
  };
}

/** Moves what is due after a key on to its successor. */
export function* carryCommands(
  { query }: Executor,
  statements: CommandStatements,
  { from, to }: { from: string; to: string },
): StatementSteps<void> {
  const [oldPrefix, newPrefix] = [duePrefix(from), duePrefix(to)];
  const prefixLength = oldPrefix.length;
  yield query(statements.move, { newPrefix, oldPrefix, prefixLength, digestAt: prefixLength + 1 });
}

/** Notes that a command is due after a key, if there is one. */
export function* addCommand(
  { query }: Executor,
  statements: CommandStatements,
  keyId: string,
  digest: string | undefined,
): StatementSteps<void> {
  if (digest === undefined) return;
  yield query(statements.insert, { name: duePrefix(keyId) + digest });
}

function duePrefix(keyId: string): string {
  return `after_rotation:${keyId}:`;
}
