import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import completion from '../../../src/cli/commands/completion/completion.ts';
import { Cli } from '../../cli/harness.ts';
import { runProgram } from '../../run-program.ts';
import { needPrograms } from '../machine/needs.ts';
import { Terminal } from './pty/terminal.ts';

const program = join(__dirname, '..', '..', '..', 'bin', 'hkctl.js');

/** How each shell is started by an account without any settings but those that the install line makes. */
const shells = {
  bash: { start: 'bash --noprofile', prompt: "PS1='$ '" },
  zsh: { start: 'zsh', prompt: "PS1='$ '" },
  fish: { start: 'fish', prompt: "function fish_prompt; printf '$ '; end; clear" },
};

needPrograms(...Object.keys(shells));
for (const [shell, { start, prompt }] of Object.entries(shells)) {
  describe(`completion in ${shell} on a bare account`, () => {
    let terminal: Terminal;
    let prefix: string;

    beforeAll(async () => {
      const cli = await new Cli().seed();
      prefix = (await cli.key('Oven gateway')).key.prefix;
      await cli.key('Press gateway');
      const home = mkdtempSync(join(tmpdir(), 'hkctl-completion-'));
      const bin = join(home, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, 'hkctl'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
      chmodSync(join(bin, 'hkctl'), 0o755);
      writeFileSync(join(home, 'some.csv'), '');
      symlinkSync(cli.store, join(home, 'store.db'));
      const env = {
        HOME: home,
        PATH: `${bin}:/usr/bin:/bin`,
        TERM: 'xterm',
        HKCTL_STORE: cli.store,
        LANG: 'C.UTF-8',
      };
      // The line of the manual, as the account types it.
      const [line = ''] =
        completion.examples.find(([, does]) => does.split(',')[0] === shell) ?? [];
      const installed = runProgram('sh', ['-c', line], { cwd: home, env });
      expect([installed.code, installed.stderr]).toEqual([0, '']);
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      terminal = new Terminal(100, 50);
      await terminal.until(/^\$$/);
      for (const typed of [`cd ${home}; clear`, `exec env -i ${variables.join(' ')} ${start}`])
        terminal.type(typed);
      terminal.type(prompt);
      terminal.type('clear');
      await terminal.until(/^\$$/);
    });
    afterAll(() => terminal.close());

    /** Types the beginning of a line and Tab; gives the screen once a text stands on it. */
    const completed = async (
      typed: string,
      expected: string | RegExp,
      tabs = ['Tab'],
    ): Promise<string> => {
      // Not Ctrl-C: it also throws away what is typed right behind it.
      terminal.press('C-u', 'C-l');
      await terminal.until(/^\$$/);
      terminal.write(typed);
      await terminal.until(typed.trim());
      terminal.press(...tabs);
      return terminal.until(expected);
    };

    it.each([
      ['hkctl ke', /hkctl keys/],
      ['hkctl keys cr', /hkctl keys create/],
      ['hkctl keys create --pres', /hkctl keys create --preset/],
      ['hkctl keys create --name x --preset sen', /--preset sensor-gateway/],
      ['hkctl --json users set-role operator entity', /users set-role operator entity_admin/],
      ['hkctl keys create --secret-file so', /--secret-file some\.csv/],
      ['hkctl import parts so', /hkctl import parts some\.csv/],
      ['hkctl import proj', /hkctl import projects/],
      ['hkctl entities deactivate B', /hkctl entities deactivate BER/],
      ['hkctl keys create --preset=sen', /--preset=sensor-gateway/],
      ['hkctl keys create --secret-file=so', /--secret-file=some\.csv/],
      ['hkctl --store="$HKCTL_STORE" entities deactivate B', /deactivate BER/],
      ['hkctl --store=~/store.db entities deactivate B', /deactivate BER/],
      ['hkctl --store postgres://u@db/plant keys ro', /keys rotate/],
      ['hkctl keys create --name "Line 3" --preset "sen', /--preset "sensor-gateway/],
    ])('%s', async (typed, expected) => {
      expect(await completed(typed, expected)).not.toMatch(/Invalid|not found/);
    });

    it('offers the verbs of a noun', async () => {
      const screen = await completed('hkctl users ', 'set-role', ['Tab', 'Tab']);
      for (const verb of ['activate', 'add', 'deactivate', 'list']) expect(screen).toContain(verb);
    });

    it('offers prefixes with the names of their keys, and inserts the prefix alone', async () => {
      // Where all prefixes happen to begin alike, the first Tab inserts what they have in common.
      const screen = await completed('hkctl keys rotate hk_', 'Press gateway', [
        'Tab',
        'Tab',
        'Tab',
      ]);
      expect(screen).toContain('Oven gateway');
      expect(await completed(`hkctl keys rotate ${prefix.slice(0, 7)}`, prefix)).not.toMatch(
        /rotate.*gateway/,
      );
    });

    it('offers no file where none fits', async () => {
      await completed('hkctl keys create --name so', '--name so', ['Tab', 'Tab']);
      // The shell has answered the Tabs once it shows what is typed behind them.
      terminal.write('x');
      expect(await terminal.until('--name sox')).not.toContain('some.csv');
    });
  });
}

it('the install lines of the manual page are those of --help', () => {
  const page = readFileSync(join(__dirname, '..', '..', '..', 'man', 'hkctl-completion.1'), 'utf8');
  for (const [line] of completion.examples)
    expect(page.replaceAll('\\e\n    ', '')).toContain(line);
});
