import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { createStoreNaming } from '../../src/cli/command-words.ts';
import { atEndOfFile } from '../ends.ts';
import { Cli } from './harness.ts';

const cli = new Cli();
let named: string[];
beforeAll(async () => {
  await cli.seed();
  named = ['--store', cli.place];
});

it('a hint names the store if the command line did', async () => {
  const { stderr } = await cli.run(['keys', 'show', 'nothing', ...named]);
  expect(stderr).toContain(`; hkctl --store ${cli.place} keys list --all shows every key.`);
  const { hint } = (
    await cli.run(['--json', `--store=${cli.place}`, 'keys', 'show', 'nothing'])
  ).error();
  expect(hint).toContain(`hkctl --store ${cli.place} keys list --all`);
  // The shell still has the variable.
  expect((await cli.run('keys show nothing')).stderr).toContain(
    '; hkctl keys list --all shows every key.',
  );
});

it('so does what is said, a summary and the state of a store', async () => {
  const { stderr } = await cli.ok(['keys', 'list', ...named]);
  expect(stderr).toContain(`Create key: hkctl --store ${cli.place} keys create`);
  await cli.key('Soon', ['--expires', '9d']);
  const status = await cli.run(['status', ...named]);
  expect(status.stdout).toContain(`hkctl --store ${cli.place} keys list --expiring-within 14d`);
  expect((await cli.ok([...named])).stdout).toContain(`hkctl --store ${cli.place} status`);
  const terminal = { columns: 300, rows: 24 };
  expect((await cli.ok(['entities', 'list', ...named], { terminal })).stdout).toContain(
    `hkctl --store ${cli.place} keys list --entity CODE`,
  );
});

it('the command of a hint runs as it stands there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl named '));
  atEndOfFile(() => rmSync(folder, { recursive: true }));
  const store = join(folder, 'state', 'hkctl.db');
  const { stderr } = await cli.run(['keys', 'list', '--store', store]);
  const command = /hkctl --store '([^']*)' init/.exec(stderr);
  expect(command?.[1]).toBe(store);
});

it('leaves other words, and commands that open no store', () => {
  const naming = createStoreNaming(['keys', 'list', '--store', "it's", '--', '--store', 'x']);
  const text =
    'hkctl serves it; hkctl permissions list, hkctl-keys(1), hkctl users list, hkctl doctor';
  expect(naming(text)).toBe(
    `hkctl serves it; hkctl permissions list, hkctl-keys(1), hkctl --store 'it'\\''s' users list, hkctl --store 'it'\\''s' doctor`,
  );
});
