import { appendFileSync, chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Check } from '../../../src/core/operations/inspection.ts';
import { linesOf } from '../../../src/store/shared/revocation-journal.ts';
import { filesOf, openFile } from '../../../src/store/sqlite/connection/files.ts';
import { compactWhileIdle } from '../../../src/store/sqlite/readings/writer/compaction.ts';
import { appendLines } from '../../../src/store/sqlite/registry/revocation-journal.ts';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { readingsOn } from '../../store/sqlite/readings/sent.ts';
import { bootMs, Cli, startMs } from '../harness.ts';
import { press } from '../keyboard.ts';
import { tamper } from '../tamper.ts';

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const hourMs = 3_600_000;
const terminal = { columns: 100, rows: 30 };

/** Runs `doctor --json`; gives the exit code and all that is not ok. */
async function examine(): Promise<{ code: number; wrong: Record<string, Check> }> {
  const result = await cli.run('doctor --json');
  const { checks, ok } = result.json<{ checks: Check[]; ok: boolean }>();
  const wrong = checks.filter(({ status }) => status !== 'ok');
  expect(ok).toBe(wrong.every(({ status }) => status !== 'problem'));
  return {
    code: result.code,
    wrong: Object.fromEntries(wrong.map((check) => [check.name, check])),
  };
}

describe('doctor', () => {
  it('finds nothing wrong with a store that is whole, and makes every check', async () => {
    const { key } = await cli.key('A');
    await cli.ok(['keys', 'revoke', key.id, '--yes']);
    expect(await examine()).toEqual({ code: 0, wrong: {} });
    const names = (await cli.ok('doctor --json'))
      .json<{ checks: Check[] }>()
      .checks.map(({ name }) => name);
    expect(names).toEqual([
      'files',
      'registry',
      'records',
      'readings',
      'schema',
      'references',
      'audit',
      'revocations',
      'disk',
      'clock',
      'keys',
      'retention',
      'timezones',
      'daemon',
    ]);
  });

  it('warns of a disk that is almost full, and of a reserve that is in use', async () => {
    cli.space = { freeBytes: 2 ** 20, totalBytes: 2 ** 40, hasReserve: false };
    const { code, wrong } = await examine();
    expect([code, wrong.disk?.status]).toEqual([0, 'warning']);
    expect(wrong.disk?.detail).toMatch(
      /^Only 0\.0 GiB .* The reserve for revocations is in use\.$/,
    );
  });

  it('is readable without colours, and says what to do', async () => {
    chmodSync(filesOf(cli.store).records, 0o644);
    const { code, stdout } = await cli.run('doctor', { terminal, env: { NO_COLOR: '1' } });
    expect(code).toBe(5);
    expect(stdout).toMatch(/^✗ problem {2}files [^✓]*mode 0644/m);
    expect(stdout).toMatch(/^ +Run: chmod 600 .*records\.db$/m);
    expect(stdout).toMatch(/^✓ ok {7}audit {8}The chain of \d+ records is whole\.$/m);
    expect(stdout).toMatch(/^1 problem, \d warnings?\.$/m);
  });

  it('is for a Super user, and a refused attempt is audited', async () => {
    for (const line of ['doctor --json', 'doctor --accept-clock --yes --json']) {
      const refused = await cli.run(line, { osAccount: 'entity_admin' });
      expect([refused.code, refused.error().code, refused.stdout]).toEqual([
        4,
        'not_permitted',
        '',
      ]);
    }
    const tried = (await cli.ok('audit list --json --limit 2')).json<
      { action: string; outcome: string }[]
    >();
    expect(tried.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['store.accept_clock', 'denied'],
      ['store.doctor', 'denied'],
    ]);
  });

  it('ends as every command does where the store cannot be opened', async () => {
    writeFileSync(cli.store, 'no database at all');
    const expected = await cli.run('keys list --json');
    const result = await cli.run('doctor --json');
    expect([result.code, result.error(), result.stdout]).toEqual([
      expected.code,
      expected.error(),
      '',
    ]);
  });

  it('finds what damages a database, and goes on with the others', async () => {
    writeFileSync(filesOf(cli.store).readings, Buffer.alloc(8192, 7));
    for (const end of ['-wal', '-shm']) rmSync(filesOf(cli.store).readings + end, { force: true });
    const { code, wrong } = await examine();
    expect([code, Object.keys(wrong)]).toEqual([6, ['readings', 'schema', 'retention']]);
    rmSync(filesOf(cli.store).records);
    expect(Object.keys((await examine()).wrong)).toEqual([
      'records',
      'readings',
      'schema',
      'audit',
      'retention',
    ]);
  });

  it('names the sensor and the time of damaged readings, of which the others can be read', async () => {
    const { readings } = filesOf(cli.store);
    const sensors = 'id,code,name,is_active\nS-1,T1,One,true\nS-2,T2,Two,true\n';
    await cli.ok('import sensors - --entity BER', { input: sensors });
    const store = await (await cli.services.engine(cli.store)).open();
    const entities = (await cli.ok('entities list --json')).json<{ id: string; code: string }[]>();
    const directory = await store.readings.directory(
      entities.find(({ code }) => code === 'BER')?.id ?? '',
    );
    await store.close();
    const connection = openFile(readings);
    const { stored, send } = readingsOn(connection);
    const atUs = (day: number) => Date.UTC(2026, 10, day, 8) * 1000;
    for (const { series } of directory.values())
      send([18, 19].map((day) => [series, atUs(day), day]));
    while (compactWhileIdle(stored));
    connection.exec(
      "update chunks set body = cast(body || x'00' as blob) where id = 1; insert into log values (99, x'07')",
    );
    connection.close();
    const { code, wrong } = await examine();
    expect([code, wrong.readings?.detail]).toEqual([
      6,
      'It is damaged: the readings of sensor "S-1" from 2026-11-18T08:00:00.000000Z to 2026-11-19T08:00:00.000000Z: their bytes are damaged; row 99 of the write buffer of readings.',
    ]);
    tamper(readings, 'delete from log where id = 99');
    expect((await cli.run('sensors export T1 --entity BER')).code).toBe(6);
    expect((await cli.ok('sensors export T2 --entity BER')).stdout.trim().split('\n')).toHaveLength(
      3,
    );
  });

  it('names the sensor and the day whose sums are not those of its readings', async () => {
    const { readings } = filesOf(cli.store);
    await cli.ok('import sensors - --entity BER', {
      input: 'id,code,name,is_active\nS-1,T1,One,true\n',
    });
    const store = await (await cli.services.engine(cli.store)).open();
    const entities = (await cli.ok('entities list --json')).json<{ id: string; code: string }[]>();
    const directory = await store.readings.directory(
      entities.find(({ code }) => code === 'BER')?.id ?? '',
    );
    await store.close();
    const connection = openFile(readings);
    const { stored, send } = readingsOn(connection);
    const startUs = Date.UTC(2026, 10, 18) * 1000;
    const { series = 0 } = directory.get('T1') ?? {};
    send(Array.from({ length: 5000 }, (_, n) => [series, startUs + n * 20e6, n] as const));
    while (compactWhileIdle(stored));
    expect(connection.prepare('select count(body) from day_sums').pluck().get()).toBe(1);
    connection.close();
    expect((await examine()).code).toBe(0);
    tamper(readings, "update day_sums set body = cast(body || x'00' as blob)");
    const { code, wrong } = await examine();
    expect([code, wrong.readings?.detail]).toEqual([
      6,
      'It is damaged: the sums of the readings of sensor "S-1" from 2026-11-18T00:00:00.000000Z to 2026-11-19T00:00:00.000000Z: they are not those of the readings.',
    ]);
  });

  it('finds rows that refer to nothing, and an audit trail that was altered', async () => {
    const { key } = await cli.key('A');
    const undo = tamper(
      cli.store,
      `pragma foreign_keys = off; update keys set entity_id = 'gone' where id = '${key.id}'`,
    );
    expect(await examine()).toMatchObject({
      code: 6,
      wrong: { references: { detail: expect.stringContaining('1 of keys') } },
    });
    undo();
    tamper(cli.store, "update audit set target = 'x' where seq = 2");
    expect(await examine()).toMatchObject({
      code: 5,
      wrong: { audit: { detail: expect.stringContaining('record 2') } },
    });
  });

  it('finds keys that work though the journal says they were revoked, and lines cut off in it', async () => {
    const { key } = await cli.key('A');
    const { key: expired } = await cli.key('B', ['--expires', '1d']);
    // A process that was killed between the line and the commit leaves the log of the store, too.
    const holder = openFile(cli.store);
    holder.prepare('select 1 from keys').get();
    appendLines(
      filesOf(cli.store).revocations,
      linesOf(
        [key, expired].map(({ id, prefix: name }) => {
          const secretHash = 'h'.repeat(43);
          return { atMs: startMs, event: 'revoked', of: 'key', id, name, secretHash };
        }),
      ),
    );
    cli.nowMs = startMs + 25 * hourMs;
    const { code, wrong } = await examine();
    expect([code, Object.keys(wrong)]).toEqual([5, ['revocations']]);
    expect(wrong.revocations?.detail).toMatch(
      /If a rotation of them was cut off, give that command again instead\.$/,
    );
    expect(wrong.revocations?.hint).toBe(`Run: hkctl keys revoke ${key.prefix} --yes`);
    const named = await cli.run(['--store', cli.store, 'doctor', '--json']);
    expect(named.stdout).toContain(`Run: hkctl --store ${cli.store} keys revoke ${key.prefix}`);
    await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
    expect(await examine()).toEqual({ code: 0, wrong: {} });
    appendFileSync(filesOf(cli.store).revocations, '2026-11-20T08:0');
    expect(await examine()).toMatchObject({
      code: 0,
      wrong: { revocations: { status: 'warning' } },
    });
    holder.close();
  });

  it('warns of time zones unknown here, and names entities of the own organization only', async () => {
    await cli.ok('tenants add Other --admin otto');
    await cli.ok('--as otto entities add OSL --name Oslo --timezone Europe/Oslo');
    const restore = tamper(
      cli.store,
      "update entities set timezone = 'Mars/Olympus_Mons' where code = 'OSL'",
    );
    expect((await examine()).wrong).toMatchObject({
      timezones: {
        status: 'warning',
        detail: expect.stringMatching(/: 1 of other organizations\.$/),
      },
    });
    restore();
    tamper(cli.store, "update entities set timezone = 'Mars/Olympus_Mons'");
    const { code, wrong } = await examine();
    expect(code).toBe(0);
    expect(wrong).toMatchObject({
      timezones: {
        detail: expect.stringMatching(
          /BER \("Mars\/Olympus_Mons"\).*; 1 of other organizations\.$/,
        ),
      },
    });
  });

  it('warns of a folder that others can read', async () => {
    chmodSync(dirname(cli.store), 0o755);
    expect(await examine()).toMatchObject({ code: 0, wrong: { files: { status: 'warning' } } });
  });

  it('reports whether the daemon that is noted answers', async () => {
    const server = createServer((_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const store = await (await cli.services.engine(cli.store)).open();
    await store.daemon.recordAddress(`http://127.0.0.1:${port}`, process.pid);
    expect(await examine()).toEqual({ code: 0, wrong: {} });
    await new Promise((resolve) => server.close(resolve));
    expect(await examine()).toMatchObject({ code: 0, wrong: { daemon: { status: 'warning' } } });
    await store.close();
    // Without a clean stop it counts as killed.
    expect(await examine()).toMatchObject({ code: 0, wrong: { daemon: { status: 'warning' } } });
    const next = await (await cli.services.engine(cli.store)).open();
    await next.daemon.recordAddress('http://127.0.0.1:1', process.pid);
    await next.daemon.clearAddress(process.pid);
    await next.close();
    expect(await examine()).toEqual({ code: 0, wrong: {} });
  });
});

it('with --quick leaves out all that reads a whole database or the trail', async () => {
  const names = async (line: string) =>
    (await cli.ok(line)).json<{ checks: Check[] }>().checks.map(({ name }) => name);
  const all = await names('doctor --json');
  const quick = await names('doctor --quick --json');
  expect(all.filter((name) => !quick.includes(name))).toEqual([
    'registry',
    'records',
    'readings',
    'references',
    'audit',
  ]);
  expect(quick).toContain('clock');
});

it.each([100, 17])(
  'names what it checks on a terminal of %i columns, and removes that line',
  async (columns) => {
    const { stderr } = await cli.run('doctor', { terminal: { columns, rows: 30 } });
    expect(stderr).toContain('Checking audit …');
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  },
);

describe('a clock that was set back', () => {
  beforeEach(async () => {
    cli.nowMs = startMs + hourMs;
    for (let looks = 0; looks < 2; looks++) await cli.ok('keys list');
    cli.nowMs = startMs;
  });

  it('is a problem until it is accepted', async () => {
    expect(await examine()).toMatchObject({ code: 5, wrong: { clock: { status: 'problem' } } });
    const asked = await cli.run('doctor --accept-clock --json');
    expect([asked.code, asked.error().code]).toEqual([2, 'confirmation_required']);
    expect((await examine()).code).toBe(5);
    expect((await cli.ok('doctor --accept-clock --yes --json')).json()).toMatchObject({ ok: true });
    const [last] = (await cli.ok('audit list --json --limit 1')).json<unknown[]>();
    expect(last).toMatchObject({
      action: 'store.accept_clock',
      at: new Date(startMs).toISOString(),
      detail: {
        from: new Date(startMs + hourMs).toISOString(),
        to: new Date(startMs).toISOString(),
      },
    });
    expect((await cli.run('doctor --accept-clock --yes')).stderr).toContain('nothing to accept');
  });

  it('is accepted on a terminal by an answer, and Enter alone accepts nothing', async () => {
    const refused = await cli.run('doctor --accept-clock', { terminal, keys: [press.enter] });
    expect(refused.code).toBe(130);
    expect((await examine()).code).toBe(5);
    const accepted = await cli.run('doctor --accept-clock', {
      terminal,
      keys: [press.up + press.enter],
    });
    expect(accepted.code, accepted.stderr).toBe(0);
  });

  it('revives no key that a command refused a moment after another one', async () => {
    cli.nowMs = startMs + hourMs;
    const { secret } = await cli.key('A', ['--expires', new Date(cli.nowMs + 2000).toISOString()]);
    const verify = async (nowMs: number) =>
      (await cli.run('keys verify', { input: secret, nowMs })).code;
    expect([
      await verify(cli.nowMs),
      await verify(cli.nowMs + 3000),
      await verify(startMs),
    ]).toEqual([0, 5, 5]);
  });

  it('is what counts nowhere: keys expire and are made by the time that was seen', async () => {
    const create = 'keys create --name A --entity BER --preset sensor-gateway --json'.split(' ');
    const past = new Date(startMs + hourMs / 2).toISOString();
    expect((await cli.run([...create, '--expires', past])).code).toBe(2);
    const { key } = await cli.key('B');
    expect(key.created_at).toBe(new Date(startMs + hourMs).toISOString());
  });
});

it('a clock that was set a year ahead is a warning until it has been steady', async () => {
  await cli.ok('keys list');
  const ahead = (upMs: number) => ({
    nowMs: startMs + 365 * 24 * hourMs + upMs,
    upMs: cli.nowMs - bootMs + upMs,
  });
  const clockCheck = async (upMs: number) => {
    const { checks } = (await cli.ok('doctor --json', ahead(upMs))).json<{
      checks: { name: string; status: string }[];
    }>();
    return checks.find(({ name }) => name === 'clock')?.status;
  };
  expect(await clockCheck(0)).toBe('warning');
  expect(await clockCheck(4 * 60_000)).toBe('warning');
  expect(await clockCheck(5 * 60_000)).toBe('ok');
});

describe('a look at the clock', () => {
  it('seconds after another one writes nothing, and a minute after it does', async () => {
    await cli.ok('keys list');
    const other = openDatabase(cli.store, {});
    const version = other.prepare<[], number>('pragma data_version').pluck();
    const wrote = async (laterMs: number) => {
      const before = version.get();
      cli.nowMs += laterMs;
      await cli.ok('keys list');
      return version.get() !== before;
    };
    expect(await wrote(9000)).toBe(false);
    expect(await wrote(60_000)).toBe(true);
    other.close();
  });

  it('that cannot be noted stops no command that reads', async () => {
    cli.nowMs = startMs + hourMs;
    const other = openDatabase(cli.store, {});
    other.exec('begin immediate');
    await cli.ok('keys list');
    other.close();
    expect(await examine()).toEqual({ code: 0, wrong: {} });
  });
});
