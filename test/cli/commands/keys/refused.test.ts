import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, type KeyJson } from '../../harness.ts';

const terminal = { columns: 100, rows: 30 };

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

/** A key with each reason, one that works, and one that is not active anyway; all by name. */
async function fill(): Promise<Record<string, KeyJson>> {
  await cli.ok('entities add OLD --name Old --timezone UTC');
  await cli.ok('users set-role operator entity_admin');
  const byOperator = ['--as', 'operator'];
  const keys = {
    works: (await cli.key('works')).key,
    entityInactive: (await cli.key('entityInactive', ['--entity', 'CHI'])).key,
    entityRemoved: (await cli.key('entityRemoved', ['--entity', 'OLD'])).key,
    creatorInactive: (await cli.key('creatorInactive', byOperator)).key,
    revoked: (await cli.key('revoked', ['--entity', 'CHI'])).key,
  };
  await cli.ok(['keys', 'revoke', keys.revoked.prefix, '--yes']);
  await cli.ok('entities deactivate CHI --yes');
  await cli.ok('entities remove OLD --yes');
  await cli.ok('users deactivate operator --yes');
  return keys;
}

const reasons = {
  works: null,
  entityInactive: 'entity_inactive',
  entityRemoved: 'entity_missing',
  creatorInactive: 'creator_inactive',
  revoked: null,
};

const words = {
  entityInactive: 'refused: entity inactive',
  entityRemoved: 'refused: entity removed',
  creatorInactive: 'refused: creator inactive',
};

describe('an active key that the API refuses', () => {
  it('says why in JSON, while its status stays', async () => {
    const keys = await fill();
    const listed = (await cli.ok('keys list --all --json')).json<
      { name: string; refused: string | null }[]
    >();
    expect(Object.fromEntries(listed.map(({ name, refused }) => [name, refused]))).toEqual(reasons);
    for (const [name, refused] of Object.entries(reasons)) {
      const shown = await cli.show(keys[name]?.prefix ?? '');
      expect(shown).toMatchObject({ name, refused });
    }
  });

  it('says why in keys list and keys show, on a terminal and piped', async () => {
    const keys = await fill();
    for (const options of [{}, { terminal }]) {
      const rows = (await cli.ok('keys list', options)).stdout.split('\n');
      for (const [name, text] of Object.entries(words)) {
        expect(rows.find((row) => row.includes(name))).toContain(text);
        const { stdout } = await cli.ok(['keys', 'show', keys[name]?.prefix ?? ''], options);
        expect(stdout).toContain(`Active, but ${text}`);
      }
      expect(rows.find((row) => row.includes('works'))).not.toContain('refused');
    }
  });

  it('says why on the settings page, as tile, as row and in plain lines', async () => {
    await fill();
    for (const keys of [['q'], ['l', 'q']]) {
      const { stdout } = await cli.ok('keys', { terminal: { columns: 100, rows: 60 }, keys });
      for (const text of Object.values(words)) expect(stdout).toContain(text);
    }
    const narrow = await cli.ok('keys', { terminal: { columns: 40, rows: 60 }, keys: ['q'] });
    expect(narrow.stdout).toContain('refused: creator inactive');
    const plain = await cli.run('keys --plain', { terminal, keys: ['\u0003'] });
    for (const text of Object.values(words))
      expect(plain.stdout).toContain(`Status: Active, but ${text}`);
  });

  it('needs attention in status and doctor', async () => {
    const keys = await fill();
    const status = await cli.run('status --json');
    expect(status.code).toBe(5);
    expect(status.json()).toMatchObject({
      attention: ['keys_refused'],
      keys: { active: 4, refused: 3 },
    });
    expect((await cli.run('status')).stdout).toContain('! ');
    expect((await cli.run('status')).stdout).toContain('3 active keys are refused');

    const { stdout } = await cli.run('doctor');
    expect(stdout).not.toContain('All is well');
    for (const name of Object.keys(words)) expect(stdout).toContain(keys[name]?.prefix);
    const { checks } = (await cli.run('doctor --json')).json<{
      checks: { name: string; status: string }[];
    }>();
    expect(checks.find(({ name }) => name === 'keys')).toMatchObject({ status: 'warning' });
  });

  it('needs none once site and creator are back', async () => {
    await fill();
    await cli.ok('entities activate CHI');
    await cli.ok('users activate operator');
    expect((await cli.run('status --json')).json()).toMatchObject({ keys: { refused: 1 } });
    expect((await cli.run('doctor')).stdout).toContain('its entity was removed');
  });
});
