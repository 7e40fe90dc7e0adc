import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, type KeyJson, startMs } from '../../harness.ts';

const dayMs = 86_400_000;

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const iso = (ms: number) => new Date(ms).toISOString();
const create = (expiry: string) =>
  `keys create --name New --entity BER --preset sensor-gateway ${expiry}`;

describe('the longest lifetime of keys', () => {
  it('refuses a later expiry and none, and names the latest date', async () => {
    const set = await cli.ok('tenants set --longest-lifetime 30d --json');
    expect(set.json()).toMatchObject({ longest_lifetime_days: 30 });
    for (const expires of ['never', '31d', '2026-12-20']) {
      const { code, stderr } = await cli.run(create(`--expires ${expires}`));
      expect([expires, code]).toEqual([expires, 5]);
      expect(stderr).toContain('or a date up to 2026-12-19.');
    }
    for (const expires of ['30d', '2026-12-19']) await cli.ok(create(`--expires ${expires}`));
    await cli.ok('tenants set --longest-lifetime off');
    await cli.ok(create('--expires never'));
  });

  it('is the expiry of a new key without --expires, and of a successor that would expire later', async () => {
    await cli.key('Never');
    await cli.key('Long', ['--expires', '31d']);
    await cli.key('Short', ['--expires', '2d']);
    await cli.ok('tenants set --longest-lifetime 30d');
    const { key } = await cli.key('New');
    expect(key.expires_at).toBe(iso(startMs + 30 * dayMs));

    cli.nowMs = startMs + dayMs;
    const rotated = async (name: string) =>
      (await cli.ok(`keys rotate ${name} --yes --json`)).json<{ key: KeyJson }>().key.expires_at;
    expect(await rotated('Never')).toBe(iso(startMs + 31 * dayMs));
    expect(await rotated('Short')).toBe(iso(startMs + 2 * dayMs));
    const { stderr } = await cli.ok('keys rotate New --yes');
    expect(stderr).toContain('It still expires 2026-12-20');
    cli.nowMs = startMs;
    await cli.ok('tenants set --longest-lifetime 20d');
    expect((await cli.ok('keys rotate Long --yes')).stderr).toContain(
      ': new keys of the organization last no longer.\n',
    );
  });

  it('is preselected in the questions', async () => {
    await cli.ok('tenants set --longest-lifetime 30d');
    await cli.ok('keys create --entity BER --preset sensor-gateway', {
      terminal: { columns: 80, rows: 24 },
      keys: [
        { on: 'Name', type: 'Oven\r' },
        { on: 'at latest 2026-12-19', type: '2027-01-01\r' },
        // The answer stays in the line, to be corrected.
        { on: 'this one expires later', type: '\u0015\r' },
        { on: 'Create this API key?', type: '\u001b[B\r' },
        { on: '[d] Dismiss', type: 'd' },
        { on: '[y] Dismiss', type: 'y' },
      ],
    });
    const [key] = (await cli.ok('keys list --json')).json<KeyJson[]>();
    expect(key?.expires_at).toBe(iso(startMs + 30 * dayMs));
  });

  it('leaves existing keys as they are, and status counts those beyond it', async () => {
    const beyond = async () =>
      (await cli.run('status --json')).json<{ keys: { beyond_longest_lifetime: number | null } }>()
        .keys.beyond_longest_lifetime;
    const { key } = await cli.key('Never');
    await cli.key('Long', ['--expires', '31d']);
    await cli.key('Short', ['--expires', '30d']);
    expect(await beyond()).toBe(null);
    await cli.ok('tenants set --longest-lifetime 30d');
    expect(await beyond()).toBe(2);
    const shown = (await cli.ok(`keys show ${key.prefix} --json`)).json<KeyJson>();
    expect(shown).toMatchObject({ status: 'Active', expires_at: null });
    await cli.ok(`keys revoke ${key.prefix} --yes`);
    expect(await beyond()).toBe(1);
  });

  it.each(['0d', '36501d', '1y', 'never', '30'])('is not %s', async (days) => {
    const { code, stderr } = await cli.run(`tenants set --longest-lifetime ${days}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('or off.')]);
  });
});
