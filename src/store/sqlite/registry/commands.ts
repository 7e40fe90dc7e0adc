import { lazily } from '../../../core/lazily.ts';
import type { CommandStore } from '../../../core/port/commands.ts';
import { duePrefix } from '../../registry/commands.ts';
import type { Registry } from './registry.ts';

/** Which commands are due after a key, as marks; `carry` moves them on inside the transaction of a rotation. */
export function createCommandStore(
  registry: Registry,
): CommandStore & { carry(from: string, to: string, digest: string | undefined): void } {
  const { connection } = registry;
  const insert = lazily(() => connection.prepare<[string]>('insert or ignore into marks (name, value) values (?, 0)'));
  const has = lazily(() => connection.prepare<[string], number>('select 1 from marks where name = ?').pluck());
  const remove = lazily(() => connection.prepare<[string]>('delete from marks where name = ?'));
  const move = lazily(() =>
    connection.prepare<[string, number, number, string]>(
      'update marks set name = ? || substr(name, ?) where substr(name, 1, ?) = ?',
    ),
  );
  return {
    add: (keyIds, digest) =>
      registry.change(() => {
        for (const id of keyIds) insert().run(duePrefix(id) + digest);
      }),
    due: (keyIds, digest) =>
      registry.read(() => keyIds.filter((id) => has().get(duePrefix(id) + digest) !== undefined)),
    done: (keyIds, digest) =>
      registry.change(() => {
        for (const id of keyIds) remove().run(duePrefix(id) + digest);
      }),
    carry(from, to, digest) {
      const prefix = duePrefix(from);
      move().run(duePrefix(to), prefix.length + 1, prefix.length, prefix);
      if (digest !== undefined) insert().run(duePrefix(to) + digest);
    },
  };
}
