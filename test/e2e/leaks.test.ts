import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProgram } from '../docs/program.ts';
import { call, Wire } from './client.ts';
import { filesUnder, leakOf, ProcessWatch, tablesOf } from './leaks.ts';
import { Plant } from './plant.ts';
import type { Outcome } from './program.ts';

describe('nothing that is written holds a secret', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
  });
  afterAll(() => plant.close());

  it('neither logs nor answers, store, journal, audit trail, process list', async () => {
    const secrets: string[] = [];
    const outputs: Outcome[] = [];
    /** Runs a command with a secret on its standard input; its output is searched later. */
    const logged = async (args: string[], input = '') => {
      outputs.push(await plant.hkctl(args, { input }));
      return outputs.at(-1)?.code;
    };
    const core = await plant.createKey('Core', 'operational-core');
    const gateway = await plant.createKey('Gateway', 'sensor-gateway');
    const revoked = await plant.createKey('Revoked', 'operational-core');
    secrets.push(core.secret, gateway.secret, revoked.secret);
    await logged(['keys', 'revoke', revoked.key.id, '--yes']);
    const rotated = (await plant.ok(['keys', 'rotate', gateway.key.id, '--yes'])).stdout.trim();
    secrets.push(rotated);
    await logged([
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
      const escaped = secret.replace('_', '%5F');
      await ask(`/api/v1/parts?key=${escaped}`, { secret: core.secret });
      await ask(`/api/v1/openapi.json?key=${escaped}`);
      await ask(`/api/v1/parts?part_number=${escaped.replace('%', '%25')}`, { secret: core.secret });
      await ask(`/api/v1/parts?key=${secret.slice(0, 20)}%${secret.slice(20)}`, { secret: core.secret });
      await ask(`/api/v1/${escaped}%zz`, { secret: core.secret });
      await ask(`/api/v1/parts/%ff${escaped}`, { secret: core.secret });
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
      await logged(['keys', 'verify'], secret);
      await logged(['keys', 'verify', '--json'], `${secret}x`);
      await logged(
        ['import', 'parts', '-', '--format', 'csv', '--entity', 'BER'],
        `id,name,part_number,is_active\n${secret},a,b,${secret}\n`,
      );
      await logged(
        ['import', 'parts', '-', '--format', 'ndjson', '--entity', 'BER'],
        `{"id":"1","${secret}":1}\n${secret}\n`,
      );
    }
    expect(await ask('/metrics')).toBe(200);
    await ask('/api/v1/openapi.json');

    // While the daemon runs: neither its arguments nor its environment name one.
    const processes = spawnSync('ps', ['axeww', '-o', 'args']).stdout.toString();
    await logged(['audit', 'list', '--json']);
    await logged(['audit', 'export']);
    await logged(['keys', 'list', '--all', '--json']);
    const scanned = plant.write('leaked.txt', `x ${core.secret} y`);
    await logged(['keys', 'scan', scanned, '--json']);
    rmSync(scanned);
    await daemon.stop();

    rmSync(plant.path('f.key'));
    const written = new Map<string, string>([
      ['log', daemon.log],
      ['answers', answers.join('\n')],
      ['commands', outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n')],
      ['processes', processes],
      ...filesUnder(plant.folder).map((path) => [path, readFileSync(path, 'latin1')] as const),
      ...(plant.isOnPostgres ? await tablesOf(plant.place) : []),
    ]);
    const ofStore = [...written.keys()].filter((name) => name.endsWith('.db') || name.startsWith('table '));
    expect(ofStore.length).toBeGreaterThanOrEqual(3);
    expect(daemon.log).toContain('"url"');
    for (const [name, text] of written) {
      // In a database the column behind a prefix may begin, by chance, with the secret's next characters.
      const telling = /\.db(-wal|-shm)?$/.test(name) ? 13 : 9;
      for (const secret of secrets) expect(leakOf(text, secret, telling), name).toBeUndefined();
    }
  });
});

describe('every command', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
  });
  afterAll(() => plant.close());

  it('leaves no secret in its output, its process, the store or the home folder', { timeout: 180_000 }, async () => {
    const file = plant.path('gateway.key');
    const key = ['--entity', 'BER', '--preset', 'sensor-gateway'];
    const spare = await plant.createKey('Spare', 'sensor-gateway');
    const doomed = await plant.createKey('Doomed', 'sensor-gateway');
    mkdirSync(plant.path('dir'), { mode: 0o700 });
    const watch = new ProcessWatch();
    /** Command lines by command, with what stands on their standard input. */
    const lines: [command: string, args: string[], input?: () => string][] = [
      ['keys create', ['--name', 'Gateway', ...key, '--secret-file', file]],
      ['keys rotate', [spare.key.prefix, '--yes', '--secret-dir', plant.path('dir')]],
      ['keys', []],
      ['keys list', ['--all', '--json']],
      ['keys show', [spare.key.prefix]],
      ['keys note', [spare.key.prefix, 'whose it is']],
      ['keys verify', [], () => secretIn(file)],
      ['keys scan', ['-', '--json'], () => `x ${secretIn(file)} y`],
      ['keys revoke', [doomed.key.id, '--yes']],
      ['permissions list', []],
      ['entities list', []],
      ['entities add', ['CHI', '--name', 'Chicago', '--timezone', 'America/Chicago']],
      ['entities deactivate', ['CHI', '--yes']],
      ['entities activate', ['CHI']],
      ['entities remove', ['CHI', '--yes']],
      ['users list', []],
      ['users add', ['bob', '--name', 'Bob', '--role', 'operator']],
      ['users set-role', ['bob', 'manager']],
      ['users deactivate', ['bob', '--yes']],
      ['users activate', ['bob']],
      ['tenants list', []],
      ['tenants add', ['Other', '--admin', 'eve']],
      ['tenants set', ['--name', 'Acme Castings']],
      [
        'import',
        ['parts', '-', '--entity', 'BER', '--format', 'csv'],
        () => `id,name\n${secretIn(file)},${secretIn(file)}\n`,
      ],
      ['sensors list', ['--entity', 'BER']],
      ['sensors show', ['OVEN', '--entity', 'BER']],
      ['sensors export', ['--entity', 'BER', '--format', 'csv']],
      ['sensors erase', ['OVEN', '--entity', 'BER', '--from', '2026-11-19', '--to', '2026-11-20', '--yes']],
      ['audit list', ['--json']],
      ['audit verify', []],
      ['audit export', []],
      ['migrate', []],
      ['backup', [plant.path('copy.db')]],
      ['restore', [plant.path('copy.db'), '--yes']],
      ['doctor', ['--json']],
      ['status', ['--json']],
      ['openapi', []],
      ['completion', ['bash']],
      ['systemd-unit', []],
      ['metrics-rules', []],
      ['postgres-roles', []],
      ['postgres-citus', []],
      [
        'init',
        [
          '--org',
          'Again',
          '--week-start',
          'monday',
          '--entity',
          'ONE',
          '--entity-name',
          'One',
          '--timezone',
          'UTC',
          '--admin',
          'a',
        ],
      ],
    ];
    // The daemon has the test above.
    const commands = [...(await readProgram()).commands.keys()].filter((name) => name !== 'serve');
    expect([...new Set(lines.map(([command]) => command))].sort()).toEqual(commands.sort());

    const secrets: string[] = [spare.secret, doomed.secret];
    const outputs: string[] = [];
    let lookedAt = 0;
    for (const [command, args, input] of lines) {
      const { code, stdout, stderr } = await plant.hkctl([...command.split(' '), ...args], { input: input?.() ?? '' });
      expect(code, `${command}: ${stderr}`).toBe({ 'keys scan': 5, import: 2, init: 5 }[command] ?? 0);
      outputs.push(`${command}: ${stdout}${stderr}`);
      // What was delivered where it was asked for may hold it, and nothing else.
      const handedOver = filesUnder(plant.folder).filter((path) => path.endsWith('.key') || path.includes('/dir/'));
      secrets.push(...handedOver.map(secretIn));
      const changed = filesUnder(plant.folder).filter((path) => statSync(path).mtimeMs >= lookedAt);
      lookedAt = Date.now() - 20;
      for (const path of changed.filter((path) => !handedOver.includes(path))) {
        for (const secret of new Set(secrets)) expect(leakIn(path, secret), `${path} after ${command}`).toBeUndefined();
      }
    }
    // A person who names a key by its secret has it in the shell's history, and nowhere else.
    const seen = watch.stop();
    expect(watch.count).toBeGreaterThan(lines.length / 2);
    const wrong = secretIn(file);
    for (const args of [['show', wrong], ['rotate', wrong, '--yes'], ['revoke', wrong, '--yes'], [wrong]]) {
      const outcome = await plant.hkctl(['keys', ...args]);
      expect(outcome.code).toBeGreaterThan(0);
      outputs.push(outcome.stdout + outcome.stderr);
    }
    const mistaken = await plant.hkctl(['--debug', `--${wrong}`, wrong], { env: { HKCTL_LIMIT_REQUESTS: wrong } });
    outputs.push(mistaken.stdout + mistaken.stderr, (await plant.ok(['audit', 'export'])).stdout);
    const files = plant.isOnPostgres ? [] : filesUnder(plant.path('store'));
    const tables = plant.isOnPostgres ? await tablesOf(plant.place) : [];
    for (const secret of new Set(secrets)) {
      expect(leakOf(seen, secret, 9), 'processes').toBeUndefined();
      for (const text of outputs) expect(leakOf(text, secret, 9), text.slice(0, 200)).toBeUndefined();
      for (const path of [...files, plant.path('copy.db')]) expect(leakIn(path, secret), path).toBeUndefined();
      for (const [name, text] of tables) expect(leakOf(text, secret, 9), name).toBeUndefined();
    }
    const store = plant.isOnPostgres ? [] : ['store'];
    expect(readdirSync(plant.folder).sort()).toEqual(['copy.db', 'dir', 'gateway.key', ...store]);
  });
});

function secretIn(path: string): string {
  return readFileSync(path, 'latin1').trim();
}

function leakIn(path: string, secret: string): string | undefined {
  // In a database the column behind a prefix may begin, by chance, with the secret's next characters.
  return leakOf(readFileSync(path, 'latin1'), secret, /\.db(-wal|-shm)?$/.test(path) ? 13 : 9);
}
