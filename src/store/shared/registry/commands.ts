import { eq, inArray, sql } from 'drizzle-orm/sql';
import type { CommandStore } from '../../../core/port/keys.ts';
import { chain } from '../../../core/port/maybe-promise.ts';
import { placeholders, statement } from './compiled-statements.ts';
import type { Dialect, Executor, Runner, StatementSteps } from './statements.ts';

/** A command that is due after a key is a mark, whose name has the id of the key and the digest of the command. */
export function createCommandStore({ query, change, dialect }: Runner): CommandStore {
  const statements = createCommandStatements(dialect);
  const markNameOf = (keyId: string, digest: string) => duePrefix(keyId) + digest;
  const markNamesOf = (keyIds: readonly string[], digest: string) => {
    const markNames = keyIds.map((id) => markNameOf(id, digest));
    return { names: JSON.stringify(markNames) };
  };

  return {
    add: (keyIds, digest) =>
      change(function* ({ query }) {
        for (const id of keyIds) {
          yield query(statements.insert, { name: markNameOf(id, digest) });
        }
      }),
    due: (keyIds, digest) =>
      chain(query(statements.due, markNamesOf(keyIds, digest)), (dueMarks) => {
        const dueNames = new Set(dueMarks.map(({ name }) => name));
        return keyIds.filter((id) => dueNames.has(markNameOf(id, digest)));
      }),
    done: (keyIds, digest) =>
      change(function* ({ query }) {
        yield query(statements.done, markNamesOf(keyIds, digest));
      }),
  };
}

type CommandStatements = ReturnType<typeof createCommandStatements>;

export function createCommandStatements({ builder, tables, elementsOf }: Dialect) {
  const { marks } = tables;
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
    insert: statement(() => {
      const insertMark = builder.insert(marks).values({ name, value: 0 });
      return insertMark.onConflictDoNothing();
    }),
    due: statement(() => {
      const selectNames = builder.select({ name: marks.name }).from(marks);
      return selectNames.where(isNamed);
    }),
    done: statement(() => builder.delete(marks).where(isNamed)),
    move: statement(() =>
      builder
        .update(marks)
        .set({ name: sql`${newPrefix} || substr(${marks.name}, ${digestAt})` })
        .where(eq(sql`substr(${marks.name}, 1, ${prefixLength})`, oldPrefix)),
    ),
  };
}

/** Moves the commands that are due after a key on to its successor. */
export function* carryCommands(
  { query }: Executor,
  statements: CommandStatements,
  { from, to }: { from: string; to: string },
): StatementSteps<void> {
  const oldPrefix = duePrefix(from);
  const newPrefix = duePrefix(to);
  const prefixLength = oldPrefix.length;
  const digestAt = prefixLength + 1;
  yield query(statements.move, { newPrefix, oldPrefix, prefixLength, digestAt });
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
