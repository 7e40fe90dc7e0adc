import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nounGroups, nouns } from '../../src/cli/nouns.ts';
import { Cli } from './harness.ts';

describe('hkctl alone', () => {
  const cli = new Cli();
  const stateLine = async (options = {}) => {
    const { stdout } = await cli.ok('', options);
    return stdout.trimEnd().split('\n').at(-1);
  };

  it('shows the commands in groups, and that there is no store yet', async () => {
    const { stdout, stderr } = await cli.ok('');
    expect(stderr).toBe('');
    expect([...stdout.matchAll(/^([A-Z]\w+):$/gm)].map(([, name]) => name)).toEqual(
      Object.keys(nounGroups),
    );
    for (const { name } of nouns) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect(await stateLine()).toBe(`No store at ${cli.store} yet · hkctl init makes one`);
  });

  describe('with a store', () => {
    beforeAll(async () => {
      await cli.seed();
      await cli.key('A', ['--expires', '3d']);
      await cli.key('B');
    });

    it('shows its state in one line', async () => {
      expect(await stateLine()).toBe(
        `Store ${cli.store}: 2 active keys, 1 expires within 14 days · hkctl status`,
      );
      expect(await stateLine({ nowMs: cli.nowMs + 4 * 86_400_000, upMs: 1 })).toBe(
        `Store ${cli.store}: 1 active key, 1 has expired · hkctl status`,
      );
    });

    it('breaks the line before the command', async () => {
      const { stdout } = await cli.ok('', {
        terminal: { columns: cli.store.length + 50, rows: 24 },
      });
      expect(stdout.trimEnd().split('\n').at(-1)).toBe('hkctl status');
    });

    it('says why the store cannot be used, and ends well', async () => {
      const broken = join(mkdtempSync(join(tmpdir(), 'hkctl-overview-')), 'hkctl.db');
      writeFileSync(broken, 'no database at all'.repeat(100));
      expect(await stateLine({ env: { HKCTL_STORE: broken } })).toMatch(
        /^The store .* cannot be used: .+ · hkctl doctor$/,
      );
    });

    it('shows no counts to a profile that may not list keys, and audits nothing', async () => {
      const before = (await cli.ok('audit list --json')).stdout;
      expect(await stateLine({ osAccount: 'operator' })).toBe(`Store ${cli.store}`);
      expect(await stateLine({ osAccount: 'nobody' })).toBe(
        `Store ${cli.store}: no active profile for nobody.`,
      );
      expect((await cli.ok('audit list --json')).stdout).toBe(before);
    });

    it('with --json is an error, since a program wants an answer', async () => {
      const result = await cli.run('--json');
      expect([result.code, result.error().code, result.stdout]).toEqual([2, 'usage', '']);
    });
  });
});
