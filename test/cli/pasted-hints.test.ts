import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { panelLines } from '../../src/cli/delivery/panel.ts';
import { createStyle } from '../../src/cli/terminal/style.ts';
import { runProgram } from '../run-program.ts';
import { Cli } from './harness.ts';
import { silentOutput } from './silent-output.ts';

/** The words that a shell makes of the command at the end of a text. */
function wordsOf(text: string, command: RegExp): string[] {
  const [found = ''] = command.exec(text) ?? [];
  const show =
    'f() { printf "%s\\0" "$@"; cat > /dev/null; }; chmod() { f "$@"; }; mkdir() { f "$@"; }; hkctl() { f "$@"; }';
  const { stdout } = runProgram('/bin/sh', ['-c', `${show}; curl() { f "$@"; }; ${found}`], {
    input: '',
  });
  return stdout.split('\0').slice(0, -1);
}

let folder: string;
let cli: Cli;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'hkctl-hints-')), "O'Neill; $(touch x) & b");
  mkdirSync(folder);
  cli = await new Cli().seed();
});

describe('what a hint names is one word of the command in it', () => {
  it('a folder to close', async () => {
    chmodSync(folder, 0o777);
    const site = ['--org', 'A', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'];
    const { stderr } = await cli.run(['init', ...site, '--store', join(folder, 'hkctl.db')]);
    expect(wordsOf(stderr, /chmod 700 .*(?=\. Or name)/)).toEqual(['700', folder]);
  });

  it('a folder to make', async () => {
    const { key } = await cli.key('A');
    const missing = join(folder, 'new');
    const { stderr } = await cli.run([
      'keys',
      'rotate',
      key.prefix,
      '--secret-dir',
      missing,
      '--yes',
    ]);
    expect(wordsOf(stderr, /mkdir .*/)).toEqual(['-m', '700', missing]);
  });

  it('a file whose secret may work', async () => {
    const file = join(folder, 'a.key');
    writeFileSync(file, '');
    const create = 'keys create --name A --entity BER --preset sensor-gateway'.split(' ');
    const { stderr } = await cli.run([...create, '--secret-file', file]);
    expect(wordsOf(stderr, /hkctl keys verify < .*/)).toEqual(['keys', 'verify']);
  });

  it.each(['DOMAIN\\ada', 'plant$x'])('the login %s', async (login) => {
    const { stderr } = await cli.run('keys list', { osAccount: login });
    expect(wordsOf(stderr, /hkctl users add .*(?= --name)/)).toEqual(['users', 'add', login]);
    await cli.ok(['users', 'add', login, '--name', 'Ada', '--role', 'operator']);
    await cli.ok(['users', 'deactivate', login, '--yes']);
    const inactive = await cli.run('keys list', { osAccount: login });
    expect(wordsOf(inactive.stderr, /hkctl users activate .*/)).toEqual([
      'users',
      'activate',
      login,
    ]);
  });

  it('an address of the API', () => {
    const baseUrl = 'http://[::1]:8420';
    const view = {
      delivered: [],
      toast: '',
      asking: false,
      baseUrl,
      naming: (text: string) => text,
      nowMs: 0,
    };
    const lines = panelLines(view, 200, 40, createStyle({}, silentOutput())).join('\n');
    expect(wordsOf(lines, /curl .*\/me\S*/).at(-1)).toBe(`${baseUrl}/api/v1/me`);
  });
});
