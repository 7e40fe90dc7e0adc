import { once } from 'node:events';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, postHead, Wire } from '../../../e2e/client.ts';
import { type CreatedKey, Plant } from '../../../e2e/plant.ts';
import { cli, until } from '../../../e2e/program.ts';
import type { Outcome } from '../../../run-program.ts';

const shape = /^hk_[0-9A-Za-z]{49}\n$/;

describe('secrets go where they are sent, or nowhere', () => {
  let plant: Plant;
  let kept: CreatedKey;

  beforeAll(async () => {
    plant = await Plant.open();
    kept = await plant.createKey('Kept', 'sensor-gateway');
  });
  afterAll(() => plant.close());

  const create = 'keys create --name New --entity BER --preset sensor-gateway'.split(' ');
  const rotate = () => ['keys', 'rotate', kept.key.id, '--yes'];

  /** Runs a line of the shell in which `hkctl` is the program; the exit code is that of the first program in its pipe. */
  const shell = async (line: string): Promise<Outcome> => {
    const file = plant.path('exit-code');
    const hkctl = `hkctl() { '${process.execPath}' '${cli}' "$@"; echo $? > '${file}'; }`;
    const running = plant.attach('sh', ['-c', `${hkctl}; ${line}`]);
    running.child.stdin?.end();
    const outcome = await running.ended;
    return { ...outcome, code: Number(readFileSync(file, 'utf8')) };
  };
  const quoted = (args: readonly string[]) => `hkctl ${args.map((arg) => `'${arg}'`).join(' ')}`;

  const expectNothingChanged = async () => {
    const all = await plant.json<{ id: string; status: string }[]>(['keys', 'list', '--all']);
    expect(all.map(({ id, status }) => ({ id, status }))).toEqual([
      { id: kept.key.id, status: 'Active' },
    ]);
    expect((await plant.hkctl(['keys', 'verify'], { input: kept.secret })).code).toBe(0);
  };

  it('a closed pipe makes no key, and no old key dies for one', async () => {
    for (const args of [create, rotate(), [...create, '--json'], [...rotate(), '--json']]) {
      // `head` is gone before there is anything to read.
      const outcome = await shell(`${quoted(args)} | head -c 0`);
      expect(outcome.code, outcome.stderr).toBe(1);
      expect(outcome.stdout).toBe('');
      await expectNothingChanged();
    }
  });

  // It changes the mode of a store's file, so that doctor finds something.
  it('a reader that closes the pipe early has seen enough of what changes nothing', async () => {
    for (const line of [
      'keys',
      'keys list',
      'doctor',
      'doctor --json',
      'audit list',
      'permissions list',
    ]) {
      const outcome = await shell(`hkctl ${line} | true`);
      expect([outcome.code, outcome.stderr]).toEqual([0, '']);
    }
    chmodSync(plant.store, 0o644);
    const result = (await plant.hkctl(['doctor'])).code;
    expect(result).not.toBe(0);
    for (const line of ['doctor', 'doctor --json'])
      expect((await shell(`hkctl ${line} | true`)).code).toBe(result);
    chmodSync(plant.store, 0o600);
  });

  it('serve --json writes its one document to standard output, and the log to standard error', async () => {
    const daemon = plant.start(['serve', '--port', '0', '--json', '--log-level', 'info']);
    await daemon.says(/listening/);
    await until('the document', () => daemon.stdout.includes('}'));
    const { base_url } = JSON.parse(daemon.stdout);
    expect((await fetch(`${base_url}/healthz`)).status).toBe(200);
    const { code, stdout, stderr } = await daemon.stop();
    expect([code, JSON.parse(stdout)]).toEqual([0, { base_url }]);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).msg),
    ).toContain('stopped');
  });

  it('a daemon whose log has no reader any more goes on serving, and ends with 0', async () => {
    const daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'info' });
    daemon.child.stdout?.destroy();
    // The line of each request cannot be written.
    for (let request = 0; request < 5; request++) {
      const { status } = await call(`${daemon.url}/api/v1/me`, { secret: kept.secret });
      expect(status).toBe(200);
    }

    const ended = once(daemon.child, 'exit', { signal: AbortSignal.timeout(10_000) });
    daemon.child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('a daemon that nobody reads any more stops when it is told to', async () => {
    const daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'info' });
    const unfinished = new Wire(daemon.port);
    const head = postHead('/api/v1/sensors/readings', kept.secret, 1000);
    unfinished.write(`${head.slice(0, -2)}Expect: 100-continue\r\n\r\n`);
    await until('the daemon waits for the body', () => unfinished.statuses[0] === 100);
    daemon.child.kill('SIGTERM');
    await daemon.says(/"msg":"stopping"/);
    daemon.child.stdout?.destroy();
    // Now two lines come at once that nobody reads: of the request, and of the end.
    unfinished.write(' '.repeat(1000));
    const [code, signal] = await once(daemon.child, 'exit', {
      signal: AbortSignal.timeout(10_000),
    });
    expect([code, signal]).toEqual([0, null]);
  });

  it('a full disk behind standard output makes no key, and no old key dies for one', async () => {
    for (const args of [create, rotate(), [...create, '--json'], [...rotate(), '--json']]) {
      const outcome = await shell(`${quoted(args)} > /dev/full`);
      expect(outcome.code, outcome.stderr).toBe(1);
      expect(outcome.stderr).toContain('No key was made.');
      await expectNothingChanged();
    }
  });

  it('standard output that is closed or goes to /dev/null makes no key, and no old key dies for one', async () => {
    for (const args of [
      create,
      rotate(),
      [...create, '--json'],
      [...rotate(), '--json'],
      [...create, '--copy'],
    ]) {
      for (const nowhere of ['>&-', '> /dev/null', '>&- 2>&-', '< /dev/null > /dev/null']) {
        const outcome = await shell(`${quoted(args)} ${nowhere}`);
        expect([outcome.code, outcome.stdout], `${args} ${nowhere}`).toEqual([2, '']);
        if (!nowhere.includes('2>'))
          expect(outcome.stderr).toMatch(/the secret would be lost. No key was made./);
      }
      await expectNothingChanged();
    }
  });

  it('a reader that has seen enough of a list is no error', async () => {
    const outcome = await shell(`${quoted(['keys', 'list', '--all'])} | head -c 1`);
    expect([outcome.code, outcome.stderr]).toEqual([0, '']);
  });

  it('off a terminal the secret stands alone on standard output', async () => {
    const created = await plant.ok(create);
    expect(created.stdout).toMatch(shape);
    expect(created.stderr).not.toMatch(/hk_\w{6}/);
    const rotated = await plant.ok(['keys', 'rotate', created.stdout.slice(0, 8), '--yes']);
    expect(rotated.stdout).toMatch(shape);
    expect(rotated.stderr).not.toMatch(/hk_\w{6}/);

    // A file takes it also where it is appended to, and through a pipe it comes whole.
    const piped = await shell(`${quoted(create)} | cat >> out.key && ${quoted(create)} >> out.key`);
    expect(piped.code, piped.stderr).toBe(0);
    const lines = readFileSync(plant.path('out.key'), 'utf8').match(/[^\n]+\n/g);
    expect(lines).toEqual([expect.stringMatching(shape), expect.stringMatching(shape)]);
  });

  it('a secret file is for its owner only, and is never overwritten', async () => {
    const file = plant.path('one.key');
    const { stdout } = await plant.ok([...create, '--secret-file', file], {
      env: { HKCTL_JSON: '' },
    });
    expect(stdout).not.toMatch(/hk_\w{6}/);
    expect(readFileSync(file, 'utf8')).toMatch(shape);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await plant.hkctl([...create, '--secret-file', file]);
    expect(again.code).toBe(5);
    // It needs no standard output either.
    const silent = await shell(
      `${quoted([...create, '--secret-file', plant.path('two.key')])} >&-`,
    );
    expect(silent.code, silent.stderr).toBe(0);
    expect(readFileSync(plant.path('two.key'), 'utf8')).toMatch(shape);
  });
});
