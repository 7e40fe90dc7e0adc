import { beforeAll, describe, expect, it } from 'vitest';
import { actions as auditActions } from '../../../../src/core/access/roles.ts';
import { Cli, startMs } from '../../harness.ts';

const dayMs = 86_400_000;

describe('the filters of the audit trail', () => {
  const cli = new Cli();
  let prefix = '';
  beforeAll(async () => {
    await cli.seed();
    prefix = (await cli.key('A')).key.prefix;
    await cli.run('keys list', { osAccount: 'mallory' });
    await cli.run('keys list', { osAccount: 'operator' });
    cli.nowMs = startMs + 3 * dayMs;
    await cli.ok(['keys', 'revoke', prefix, '--yes']);
  });
  interface Found {
    seq: number;
    action: string;
    actor: { login: string } | null;
    target: string;
    outcome: string;
  }
  const listed = async (line: string, verb = 'list') =>
    (await cli.ok(`audit ${verb} ${line} --json`)).json<Found[]>();
  const actions = async (line: string) => (await listed(line)).map(({ action }) => action);

  it('select by actor, action, target, outcome and time, and all of them together', async () => {
    expect(await actions(`--target ${prefix.toLowerCase()}`)).toEqual(['key.revoke', 'key.create']);
    expect(await actions(`--target ${prefix} --action key.revoke`)).toEqual(['key.revoke']);
    expect((await listed('--action profile.use')).map(({ target }) => target)).toEqual(['mallory']);
    expect(await actions('--actor operator')).toEqual(['key.list']);
    expect((await listed('--actor mallory')).map(({ actor }) => actor)).toEqual([null]);
    expect((await listed('--outcome denied')).map(({ outcome }) => outcome)).toEqual([
      'denied',
      'denied',
    ]);
    expect(await actions('--outcome denied --actor operator')).toEqual(['key.list']);
    expect(await actions('--outcome failed')).toEqual([]);
    expect(await actions('--since 2d')).toEqual(['key.revoke']);
    expect(await actions('--since 2d --until 1d')).toEqual([]);
    // A date includes its day.
    expect(await actions(`--target ${prefix} --until 2026-11-20`)).toEqual(['key.create']);
    expect(await actions(`--target ${prefix} --until 2026-11-19`)).toEqual([]);
    expect(
      await actions(`--target ${prefix} --since 2026-11-23 --until 2026-11-23T08:00:00Z`),
    ).toEqual(['key.revoke']);
  });

  it('select the same of an export', async () => {
    for (const line of [
      `--target ${prefix.toUpperCase()}`,
      '--action profile.use',
      '--actor operator',
      '--actor mallory',
      '--outcome denied --until 1d',
      '--since 2d',
      `--until 2026-11-20 --target ${prefix}`,
    ]) {
      const found = await listed(line);
      expect(found.length, line).toBeGreaterThan(0);
      expect((await listed(line, 'export')).reverse(), line).toEqual(found);
    }
  });

  it('refuse an unknown action with the list of all, and an end before the beginning', async () => {
    const refused = async (line: string) => {
      const result = await cli.run(`audit list ${line} --json`);
      return { exit: result.code, ...result.error() };
    };
    const unknown = await refused('--action key.rotat');
    expect(unknown).toMatchObject({ exit: 2, hint: 'Did you mean key.rotate?' });
    for (const action of Object.keys(auditActions)) expect(unknown.message).toContain(action);
    expect(await refused('--outcome good')).toMatchObject({
      exit: 2,
      message: expect.stringContaining('done, denied, failed'),
    });
    for (const [since, until] of [
      ['1d', '2d'],
      ['2026-11-20', '2026-11-19'],
      ['2026-11-20T08:00:00Z', '2026-11-20T08:59:00+01:00'],
    ]) {
      expect(await refused(`--since ${since} --until ${until}`)).toMatchObject({
        exit: 2,
        message: `--until must be after --since: ${until} is before ${since}.`,
      });
    }
    expect(await refused('--until soon')).toMatchObject({
      exit: 2,
      message: expect.stringMatching(/^--until: "soon" /),
    });
  });

  it('are part of the next command', async () => {
    const options = { terminal: { columns: 120, rows: 24 }, env: { NO_COLOR: '1' } };
    const { stdout } = await cli.ok(['audit', 'list', '--target', "it's", '--limit', '1'], options);
    expect(stdout).toBe("No record matches --target 'it'\\''s'.\n");
    expect((await cli.ok(`audit list --target ${prefix} --limit 1`, options)).stdout).toContain(
      `the newest 1 record · hkctl audit list --target ${prefix} --limit 10\n`,
    );
  });
});

describe('the table of the audit trail', () => {
  it('never cuts the number of a record or its target, on terminals of any width', async () => {
    const cli = await new Cli().seed();
    const long = `backups/of-the-plant/${'very-'.repeat(12)}long/2026-11-20.backup`;
    const store = await (await cli.services.engine(cli.store)).open();
    const [tenant] = await store.tenants.list();
    const draft = {
      tenantId: tenant?.id ?? '',
      atMs: startMs,
      actor: null,
      osAccount: 'root',
      detail: {},
    } as const;
    await store.audit.append({ ...draft, action: 'store.backup', target: long, outcome: 'done' });
    await store.audit.append({
      ...draft,
      action: 'entity.deactivate',
      target: 'hk_Ab3dE',
      outcome: 'denied',
    });
    await store.close();
    for (const columns of [50, 60, 80, 120, 200]) {
      const terminal = { columns, rows: 24 };
      const { stdout } = await cli.ok('audit list --limit 2', { terminal, env: { NO_COLOR: '1' } });
      const [heading = '', first = '', ...lines] = stdout.trimEnd().split('\n');
      expect(first).toMatch(/^\d+ +now +entity\.deactivate +hk_Ab3dE/);
      const [at, end] = [heading.indexOf('TARGET'), heading.indexOf('OUTCOME')];
      const parts = lines
        .slice(0, -1)
        .map((line) => line.slice(at, end < 0 ? undefined : end).trim());
      expect(parts.join('')).toBe(long);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
  });
});
