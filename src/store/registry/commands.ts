import type { CommandStore } from '../../core/port/keys.ts';
import { chain } from '../../core/port/maybe-promise.ts';
import type { Runner, Statements, Steps } from './statements.ts';

export function createCommandStore({ query, change, dialect }: Runner): CommandStore {
  const markOf = (keyId: string, digest: string) => duePrefix(keyId) + digest;
  const marksOf = (keyIds: readonly string[], digest: string) =>
    JSON.stringify(keyIds.map((id) => markOf(id, digest)));
  const marked = `from marks where name in (select value from ${dialect.each})`;
  return {
    add: (keyIds, digest) =>
      change(function* ({ query }) {
        for (const id of keyIds) yield query(insertMark, [markOf(id, digest)]);
      }),
    due: (keyIds, digest) =>
      chain(query<{ name: string }>(`select name ${marked}`, [marksOf(keyIds, digest)]), (due) => {
        const names = new Set(due.map(({ name }) => name));
        return keyIds.filter((id) => names.has(markOf(id, digest)));
      }),
    done: (keyIds, digest) =>
      change(function* ({ query }) {
        yield query(`delete ${marked}`, [marksOf(keyIds, digest)]);
      }),
  };
}

/** Moves what is due after a key on to its successor. */
export function* carryCommands(
  { query }: Statements,
  { from, to }: { from: string; to: string },
): Steps<void> {
  const prefix = duePrefix(from);
  yield query(moveMarks, [duePrefix(to), prefix.length + 1, prefix.length, prefix]);
}

/** Notes that a command is due after a key, if there is one. */
export function* addCommand(
  { query }: Statements,
  keyId: string,
  digest: string | undefined,
): Steps<void> {
  if (digest !== undefined) yield query(insertMark, [duePrefix(keyId) + digest]);
}

const insertMark = 'insert into marks (name, value) values ($1, 0) on conflict (name) do nothing';
const moveMarks = 'update marks set name = $1 || substr(name, $2) where substr(name, 1, $3) = $4';

function duePrefix(keyId: string): string {
  return `after_rotation:${keyId}:`;
}
