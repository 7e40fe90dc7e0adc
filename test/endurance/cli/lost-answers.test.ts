import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type CommitProxy, createCommitProxy, type Loss } from '../../store/postgres/commit-proxy.ts';
import { sharedServer } from '../../store/postgres/shared-server.ts';
import { expectTrue, namesOfWritingCommands, runLosing, writingCommands } from '../../cli/writing-commands.ts';

async function proxyOfShared(): Promise<CommitProxy> {
  const server = new URLSearchParams((await sharedServer(inject('postgresFolder'))).split('?')[1]);
  return createCommitProxy(server.get('host') ?? '');
}

let proxy: CommitProxy;
beforeAll(async () => {
  proxy = await proxyOfShared();
});
afterAll(() => proxy.close());

it('every command that may write is among those whose answers get lost', async () => {
  const names = await namesOfWritingCommands();
  expect(names.filter((name) => !(name in writingCommands))).toEqual([]);
});

/** Every command, and every commit of each in every way: test/endurance/postgres/outages. */
const ofSecrets = Object.entries(writingCommands).filter(([name]) => /^(keys|users add|import$)/.test(name));

describe('the last commit of a command, its answer lost', () => {
  for (const [name, command] of ofSecrets) {
    it(`${name} says what is true`, async () => {
      const whole = async () => {
        const run = await runLosing(command, proxy, 'after', Number.POSITIVE_INFINITY);
        await expectTrue(name, command, run);
        return run.counts;
      };
      const losing = ({ sent, answered }: CommitProxy['counts'], loss: Loss) =>
        runLosing(command, proxy, loss, (loss === 'before' ? sent : answered) - 1);
      const counts = await whole();
      // `keys verify` changes nothing.
      if (counts.answered === 0) return;
      for (const loss of ['before', 'after'] as const) {
        let lost = await losing(counts, loss);
        // The clock's mark, which is written every ten seconds, may have been one commit more in the first run.
        if (!lost.isLost) lost = await losing(await whole(), loss);
        expect(lost.isLost).toBe(true);
        await expectTrue(name, command, lost);
      }
    });
  }
});

describe.concurrent('an outcome that cannot be found out', () => {
  const prefixIn = (path: string) => readFileSync(path, 'utf8').slice(0, 8);
  const secretCommands = ofSecrets.filter(([name]) => /^keys (create|rotate)/.test(name));

  it('keeps every copy of a secret and says so, exit 6', { timeout: 60_000 }, async () => {
    const all = secretCommands.map(async ([name, command]) => {
      const own = await proxyOfShared();
      const { counts } = await runLosing(command, own, 'after', Number.POSITIVE_INFINITY);
      // The last commit of --exec only notes that it has succeeded.
      const last = counts.answered - (name.includes('--exec') ? 2 : 1);
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
