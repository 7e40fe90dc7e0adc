import type { CommandStore } from '../../../core/port/commands.ts';
import { duePrefix } from '../../registry/commands.ts';
import type { Session } from '../connection/session.ts';
import type { Registry } from './registry.ts';

/** Which commands are due after a key, as marks. */
export function createCommandStore({ database }: Registry): CommandStore {
  const marksOf = (keyIds: readonly string[], digest: string) => keyIds.map((id) => duePrefix(id) + digest);
  return {
    add: (keyIds, digest) =>
      database.transaction(async (session) => {
        await session.query('commands.add', insertMarks, [marksOf(keyIds, digest)]);
      }),
    async due(keyIds, digest) {
      const wanted = marksOf(keyIds, digest);
      const rows = await database.query<{ name: string }>(
        'commands.due',
        'select name from marks where name = any($1)',
        [wanted],
      );
      return keyIds.filter((id) => rows.some(({ name }) => name === duePrefix(id) + digest));
    },
    done: (keyIds, digest) =>
      database.transaction(async (session) => {
        await session.query('commands.done', 'delete from marks where name = any($1)', [marksOf(keyIds, digest)]);
      }),
  };
}

/** Moves what is due after a key on to its successor, inside the transaction of a rotation, and adds a command. */
export async function carryCommands(
  session: Session,
  { from, to, digest }: { from: string; to: string; digest: string | undefined },
): Promise<void> {
  const prefix = duePrefix(from);
  await session.query('commands.carry', 'update marks set name = $1 || substr(name, $2) where starts_with(name, $3)', [
    duePrefix(to),
    prefix.length + 1,
    prefix,
  ]);
  if (digest !== undefined) await session.query('commands.add', insertMarks, [[duePrefix(to) + digest]]);
}

const insertMarks = 'insert into marks (name, value) select unnest($1::text[]), 0 on conflict (name) do nothing';
