import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { hasTmux, Terminal } from '../../cli/pty/terminal.ts';

/** How each shell loads the script, as its manual page says. */
const shells = {
  bash: { file: 'hkctl.bash', load: (folder: string) => [`source ${folder}/hkctl.bash`] },
  zsh: {
    file: '_hkctl',
    load: (folder: string) => ['zsh -f', `PS1='$ '; fpath=(${folder} $fpath); autoload -U compinit; compinit -u -D`],
  },
  fish: {
    file: 'hkctl.fish',
    load: (folder: string) => [
      'fish --no-config',
      "function fish_prompt; printf '$ '; end",
      `source ${folder}/hkctl.fish`,
    ],
  },
};

for (const [shell, { file, load }] of Object.entries(shells)) {
  const isThere = hasTmux && spawnSync(shell, ['-c', 'true']).status === 0;
  const missing = isThere ? '' : ` (skipped: no ${hasTmux ? shell : 'tmux'} on this machine)`;

  describe.skipIf(!isThere)(`completion in ${shell}${missing}`, () => {
    let terminal: Terminal;

    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'hkctl-completion-'));
      writeFileSync(join(folder, file), (await new Cli().ok(['completion', shell])).stdout);
      writeFileSync(join(folder, 'some.csv'), '');
      terminal = new Terminal(100, 50);
      await terminal.until(/^\$$/);
      for (const line of [`cd ${folder}`, ...load(folder), 'clear']) terminal.type(line);
      await terminal.until(/^\$$/);
    });
    afterAll(() => terminal.close());

    /** Types the beginning of a line and Tab; gives the screen once a text stands on it. */
    const completed = async (typed: string, expected: string | RegExp, tabs = ['Tab']): Promise<string> => {
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
      ['hkctl --json users set-role bob entity', /users set-role bob entity_admin/],
      ['hkctl keys create --secret-file so', /--secret-file some\.csv/],
      ['hkctl import parts so', /hkctl import parts some\.csv/],
    ])('%s', async (typed, expected) => {
      expect(await completed(typed, expected)).not.toMatch(/Invalid|not found/);
    });

    it('offers the verbs of a noun', async () => {
      const screen = await completed('hkctl users ', 'set-role', ['Tab', 'Tab']);
      for (const verb of ['activate', 'add', 'deactivate', 'list']) expect(screen).toContain(verb);
    });
  });
}
