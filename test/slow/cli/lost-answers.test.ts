import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import {
  expectTrue,
  namesOfWritingCommands,
  runLosing,
  writingCommands,
} from '../../cli/writing-commands.ts';
import { type CommitProxy, createCommitProxy } from '../../store/postgres/commit-proxy.ts';
import { sharedServer } from '../../store/postgres/shared-server.ts';

async function proxyOfShared(): Promise<CommitProxy> {
  const server = new URLSearchParams((await sharedServer(inject('postgresFolder'))).split('?')[1]);
  return createCommitProxy(server.get('host') ?? '');
}

it('every command that may write is among those whose answers get lost', async () => {
  const names = await namesOfWritingCommands();
  expect(names.filter((name) => !(name in writingCommands))).toEqual([]);
});

/** What can be found out, of every commit of every command in every way: test/slow/postgres/outages. */
describe.concurrent('an outcome that cannot be found out', () => {
  const prefixIn = (path: string) => readFileSync(path, 'utf8').slice(0, 8);
  const secretCommands = Object.entries(writingCommands).filter(([name]) =>
    /^keys (create|rotate)/.test(name),
  );

  it('keeps every copy of a secret and says so, exit 6', { timeout: 60_000 }, async () => {
    const all = secretCommands.map(async ([name, command]) => {
      const own = await proxyOfShared();
      const { counts } = await runLosing(command, own, 'after', Number.POSITIVE_INFINITY);
      // After --exec one more commit notes that it has succeeded; so it does after --deliver, and another one ends the lease.
      const later = name.includes('--exec') ? 1 : name.includes('--deliver') ? 2 : 0;
      const last = counts.answered - 1 - later;
      const lost = await runLosing(command, own, 'gone', last);
      await own.close();
      const { result, scene, cli } = lost;
      expect([result.code, result.stderr], name).toEqual([
        6,
        expect.stringContaining('Whether the change was made is unknown'),
      ]);
      expect(result.stderr).toMatch(/Keep |is in .*\.new/);
      await expectTrue(name, command, lost);
      if (!name.includes('--secret-file')) return;
      const file = name.startsWith('keys create') ? join(scene.folder, 'new.key') : scene.file;
      const kept = prefixIn(`${file}.new`);
      const again = await cli.run(command.line(scene));
      expect([again.code, prefixIn(file)], again.stderr).toEqual([0, kept]);
      expect(existsSync(`${file}.new`)).toBe(false);
    });
    await Promise.all(all);
  });

  it('is reported as such by --json', { timeout: 60_000 }, async () => {
    const own = await proxyOfShared();
    const command = {
      ...writingCommands['users add'],
      line: () => 'users add x --name X --role operator --json'.split(' '),
      done: 'user.add',
    };
    const { counts } = await runLosing(command, own, 'after', Number.POSITIVE_INFINITY);
    const { result } = await runLosing(command, own, 'gone', counts.answered - 1);
    await own.close();
    expect([result.code, result.error().code]).toEqual([6, 'commit_unknown']);
  });
});
