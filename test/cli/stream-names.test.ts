import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf, commands, longNameOf } from './all-commands.ts';
import { Cli } from './harness.ts';

const cli = new Cli();
beforeAll(async () => {
  await cli.seed();
});

/** Runs a line that must be refused as a usage error without making a file; returns what it says. */
async function refused(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const before = readdirSync('.');
  const { code, stdout, stderr } = await cli.run(argv, { env });
  expect([argv.join(' '), code, stdout]).toEqual([argv.join(' '), 2, '']);
  expect(readdirSync('.')).toEqual(before);
  return stderr;
}

/** Reads standard input for `-`. */
const readsStreams = ['audit verify --anchors'];

describe('a flag that names a file', () => {
  for (const { path, definition } of commands) {
    for (const flag of Object.values(definition.flags)) {
      const flagLine = `${path.join(' ')} ${longNameOf(flag)}`;
      if (!/<(?:PATH|FILE|DIR)>/.test(flag.spelling) || readsStreams.includes(flagLine)) continue;
      const [variable = ''] = flag.env;
      const words = [...path, ...argumentsOf(definition)];

      it(`refuses - in hkctl ${flagLine} and ${variable}`, async () => {
        expect(await refused([...words, longNameOf(flag), '-'])).toContain(longNameOf(flag));
        expect(await refused(words, { [variable]: '-' })).toContain(variable);
      });
    }
  }

  it('refuses a store named -', async () => {
    expect(await refused(['keys', 'list', '--store', '-'])).toContain('--store');
  });

  it('says that a pipe gets a secret on standard output', async () => {
    const create = ['keys', 'create', '--name', 'A', '--entity', 'BER'];
    expect(await refused([...create, '--secret-file', '-'])).toMatch(/pipe/);
    const { key } = await cli.key('A');
    for (const flag of ['--secret-file', '--secret-dir'])
      expect(await refused(['keys', 'rotate', key.id, flag, '-', '--yes'])).toMatch(/pipe/);
    expect((await cli.show(key.id)).status).toBe('Active');
  });
});

describe.each(['backup', 'restore'])('hkctl %s', (command) => {
  it.each(['list', 'show', 'create', 'verify', 'delete', 'LIST'])(
    'takes %s for a subcommand that it has not',
    async (verb) => {
      const message = await refused(
        [command, verb, '--yes'].slice(0, command === 'backup' ? 2 : 3),
      );
      expect(message).toContain(`./${verb}`);
      expect(existsSync(verb)).toBe(false);
    },
  );
});

it('backup writes a file named list where a path names it', async () => {
  expect((await cli.run(['backup', join(dirname(cli.store), 'list')])).code).toBe(0);
});
