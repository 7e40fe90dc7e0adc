import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, Wire } from './client.ts';
import { type MintedKey, Plant } from './plant.ts';
import { cli, type Outcome } from './program.ts';

const shape = /^hk_[0-9A-Za-z]{49}\n$/;

describe('secrets go where they are sent, or nowhere', () => {
  let plant: Plant;
  let kept: MintedKey;

  beforeAll(async () => {
    plant = await Plant.open();
    kept = await plant.mint('Kept', 'sensor-gateway');
  });
  afterAll(() => plant.close());

  const create = ['keys', 'create', '--name', 'New', '--entity', 'BER', '--preset', 'sensor-gateway'];
  const rotate = () => ['keys', 'rotate', kept.key.id, '--yes'];

  /** Runs a line of bash in which `hkctl` is the program. */
  const shell = (line: string): Promise<Outcome> => {
    const running = plant.attach('bash', [
      '-c',
      `set -o pipefail; hkctl() { '${process.execPath}' '${cli}' "$@"; }; ${line}`,
    ]);
    running.child.stdin?.end();
    return running.ended;
  };
  const quoted = (args: readonly string[]) => `hkctl ${args.map((arg) => `'${arg}'`).join(' ')}`;

  const expectNothingChanged = async () => {
    const all = await plant.json<{ id: string; status: string }[]>(['keys', 'list', '--all']);
    expect(all.map(({ id, status }) => ({ id, status }))).toEqual([{ id: kept.key.id, status: 'Active' }]);
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

  it('a full disk behind standard output makes no key, and no old key dies for one', async () => {
    for (const args of [create, rotate(), [...create, '--json'], [...rotate(), '--json']]) {
      const outcome = await shell(`${quoted(args)} > /dev/full`);
      expect(outcome.code, outcome.stderr).toBe(1);
      expect(outcome.stderr).not.toBe('');
      await expectNothingChanged();
    }
  });

  it('standard output that is closed or goes to /dev/null makes no key, and no old key dies for one', async () => {
    for (const args of [create, rotate(), [...create, '--json'], [...rotate(), '--json'], [...create, '--copy']]) {
      for (const nowhere of ['>&-', '> /dev/null', '>&- 2>&-', '< /dev/null > /dev/null']) {
        const outcome = await shell(`${quoted(args)} ${nowhere}`);
        expect([outcome.code, outcome.stdout], `${args} ${nowhere}`).toEqual([2, '']);
        if (!nowhere.includes('2>')) expect(outcome.stderr).toContain('nobody would hold the secret');
        await expectNothingChanged();
      }
    }
  });

  it('a reader that has seen enough of a list is no error', async () => {
    const outcome = await shell(`${quoted(['keys', 'list', '--all'])} | head -c 1; exit "\${PIPESTATUS[0]}"`);
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
    const { stdout } = await plant.ok([...create, '--secret-file', file], { env: { HKCTL_JSON: '' } });
    expect(stdout).not.toMatch(/hk_\w{6}/);
    expect(readFileSync(file, 'utf8')).toMatch(shape);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await plant.hkctl([...create, '--secret-file', file]);
    expect(again.code).toBe(5);
    // It needs no standard output either.
    const silent = await shell(`${quoted([...create, '--secret-file', plant.path('two.key')])} >&-`);
    expect(silent.code, silent.stderr).toBe(0);
    expect(readFileSync(plant.path('two.key'), 'utf8')).toMatch(shape);
  });
});

describe('nothing that is written holds a secret', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
  });
  afterAll(() => plant.close());

  it('neither logs nor answers, store, journal, audit trail, process list', async () => {
    const secrets: string[] = [];
    const told: Outcome[] = [];
    /** Runs a command with a secret on its standard input; what it tells is looked through later. */
    const tell = async (args: string[], input = '') => {
      told.push(await plant.hkctl(args, { input }));
      return told.at(-1)?.code;
    };
    const core = await plant.mint('Core', 'operational-core');
    const gateway = await plant.mint('Gateway', 'sensor-gateway');
    const revoked = await plant.mint('Revoked', 'operational-core');
    secrets.push(core.secret, gateway.secret, revoked.secret);
    await tell(['keys', 'revoke', revoked.key.id, '--yes']);
    const rotated = (await plant.ok(['keys', 'rotate', gateway.key.id, '--yes'])).stdout.trim();
    secrets.push(rotated);
    await tell([
      'keys',
      'create',
      '--name',
      'In file',
      '--entity',
      'BER',
      '--preset',
      'production-only',
      '--secret-file',
      plant.path('f.key'),
    ]);
    secrets.push(readFileSync(plant.path('f.key'), 'utf8').trim());

    const daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'debug', HKCTL_LIMIT_FAILED_CHECKS: '20/s' });
    const answers: string[] = [];
    const ask = async (path: string, options: Parameters<typeof call>[1] = {}) => {
      const { headers, text, status } = await call(`${daemon.url}${path}`, options);
      answers.push(JSON.stringify(headers) + text);
      return status;
    };
    for (const secret of secrets) {
      await ask('/api/v1/me', { secret });
      await ask(`/api/v1/me?api_key=${secret}`, { secret: core.secret });
      await ask(`/api/v1/parts?${secret}=1`, { secret: core.secret });
      await ask(`/api/v1/parts?cursor=${secret}`, { secret: core.secret });
      await ask(`/api/v1/parts/${secret}`, { secret: core.secret });
      await ask(`/${secret}`);
      await ask(`/api/v1/sensors/${secret}/readings`, { secret: core.secret });
      await ask('/api/v1/me', {
        headers: {
          authorization: `Basic ${secret}`,
          cookie: `k=${secret}`,
          'user-agent': secret,
          'x-request-id': secret,
        },
      });
      await ask('/api/v1/me', { secret: secret.slice(0, 40) });
      await ask('/api/v1/me', { secret: `${secret}x` });
      const reading = { sensor: secret, at: secret, value: secret, [secret]: 1 };
      await ask('/api/v1/sensors/readings', { secret: rotated, body: { readings: [reading] } });
      await ask('/api/v1/sensors/readings', { secret: rotated, body: { [secret]: [] } });
      await ask('/api/v1/sensors/readings', { secret: rotated, body: `{"readings": ${secret}` });
      await ask('/api/v1/sensors/readings', { secret: rotated, body: '{}', headers: { 'content-type': secret } });
      await ask('/api/v1/sensors/heartbeats', {
        secret: rotated,
        body: { heartbeats: [{ sensor: 'OVEN', firmware: 'v1', status: secret }] },
      });
      // What is no HTTP at all.
      const wire = new Wire(daemon.port);
      wire.write(`GET /${secret} HTTP/1.1\r\nHost: x\r\nbad header ${secret}\r\n\r\n`);
      await wire.closed;
      answers.push(wire.received);
      await tell(['keys', 'verify'], secret);
      await tell(['keys', 'verify', '--json'], `${secret}x`);
      await tell(
        ['import', 'parts', '-', '--format', 'csv', '--entity', 'BER'],
        `id,name,part_number,is_active\n${secret},a,b,${secret}\n`,
      );
      await tell(
        ['import', 'parts', '-', '--format', 'ndjson', '--entity', 'BER'],
        `{"id":"1","${secret}":1}\n${secret}\n`,
      );
    }
    await ask('/metrics');
    await ask('/api/v1/openapi.json');

    // While the daemon runs: neither its arguments nor its environment name one.
    const processes = spawnSync('ps', ['axeww', '-o', 'args']).stdout.toString();
    await tell(['audit', 'list', '--json']);
    await tell(['audit', 'export']);
    await tell(['keys', 'list', '--all', '--json']);
    const scanned = plant.write('leaked.txt', `x ${core.secret} y`);
    await tell(['keys', 'scan', scanned, '--json']);
    rmSync(scanned);
    await daemon.stop();

    rmSync(plant.path('f.key'));
    const written = new Map<string, string>([
      ['log', daemon.log],
      ['answers', answers.join('\n')],
      ['commands', told.map(({ stdout, stderr }) => stdout + stderr).join('\n')],
      ['processes', processes],
      ...filesUnder(plant.folder).map((path) => [path, readFileSync(path, 'latin1')] as const),
    ]);
    expect([...written.keys()].filter((name) => name.endsWith('.db')).length).toBeGreaterThanOrEqual(3);
    expect(daemon.log).toContain('"url"');
    for (const [name, text] of written) {
      // In a database the column behind a prefix may begin, by chance, with the secret's next characters.
      const telling = /\.db(-wal|-shm)?$/.test(name) ? 13 : 9;
      for (const secret of secrets) expect(leakOf(text, secret, telling), name).toBeUndefined();
    }
  });
});

/**
 * The first part of a secret that a text holds: `telling` characters from its start, or ten from anywhere behind it; in
 * lower case also, as names of headers and types are written.
 */
function leakOf(text: string, secret: string, telling: number): string | undefined {
  const given = text.toLowerCase();
  const wanted = secret.toLowerCase();
  if (given.includes(wanted.slice(0, telling))) return secret.slice(0, telling);
  for (let at = 1; at + 10 <= wanted.length; at++) {
    if (given.includes(wanted.slice(at, at + 10))) return secret.slice(at, at + 10);
  }
  return undefined;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
