import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProgram } from '../../../docs/program.ts';
import { Plant } from '../../../e2e/plant.ts';
import { filesUnder, leakIn, leakOf, ProcessWatch, tablesOf } from '../../../e2e/secrets/leaks.ts';

describe('every command', () => {
  let plant: Plant;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
  });
  afterAll(() => plant.close());

  it('leaves no secret in its output, its process, the store or the home folder', {
    timeout: 180_000,
  }, async () => {
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
      ['entities set', ['CHI', '--name', 'Chicago machining']],
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
      // Without a sensor of that name it ends at once.
      ['sensors tail', ['NONE', '--entity', 'BER']],
      ['sensors export', ['--entity', 'BER', '--format', 'csv']],
      [
        'sensors erase',
        ['OVEN', '--entity', 'BER', '--from', '2026-11-19', '--to', '2026-11-20', '--yes'],
      ],
      ['audit list', ['--json']],
      ['audit verify', []],
      ['audit export', []],
      ['migrate', []],
      ['backup', [plant.path('copy.db')]],
      ['restore', [plant.path('copy.db'), '--yes']],
      ['doctor', ['--json']],
      ['status', ['--json']],
      ['openapi', []],
      ['examples', []],
      ['completion', ['bash']],
      ['systemd-unit', ['--exec', '/usr/bin/hkctl']],
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
    // The daemon has a file of tests of its own.
    const commands = [...(await readProgram()).commands.keys()].filter((name) => name !== 'serve');
    expect([...new Set(lines.map(([command]) => command))].sort()).toEqual(commands.sort());

    const secrets: string[] = [spare.secret, doomed.secret];
    const outputs: string[] = [];
    let lookedAt = 0;
    for (const [command, args, input] of lines) {
      const { code, stdout, stderr } = await plant.hkctl([...command.split(' '), ...args], {
        input: input?.() ?? '',
      });
      expect(code, `${command}: ${stderr}`).toBe(
        { 'keys scan': 5, 'sensors tail': 3, import: 2, init: 5 }[command] ?? 0,
      );
      outputs.push(`${command}: ${stdout}${stderr}`);
      // What was delivered where it was asked for may hold it, and nothing else.
      const handedOver = filesUnder(plant.folder).filter(
        (path) => path.endsWith('.key') || path.includes('/dir/'),
      );
      secrets.push(...handedOver.map(secretIn));
      const changed = filesUnder(plant.folder).filter((path) => statSync(path).mtimeMs >= lookedAt);
      lookedAt = Date.now() - 20;
      for (const path of changed.filter((path) => !handedOver.includes(path))) {
        for (const secret of new Set(secrets))
          expect(leakInFile(path, secret), `${path} after ${command}`).toBeUndefined();
      }
    }
    // A person who names a key by its secret has it in the shell's history, and nowhere else.
    const seen = watch.stop();
    expect(watch.count).toBeGreaterThan(lines.length / 2);
    const wrong = secretIn(file);
    for (const args of [
      ['show', wrong],
      ['rotate', wrong, '--yes'],
      ['revoke', wrong, '--yes'],
      [wrong],
    ]) {
      const outcome = await plant.hkctl(['keys', ...args]);
      expect(outcome.code).toBeGreaterThan(0);
      outputs.push(outcome.stdout + outcome.stderr);
    }
    const mistaken = await plant.hkctl(['--debug', `--${wrong}`, wrong], {
      env: { HKCTL_LIMIT_REQUESTS: wrong },
    });
    outputs.push(mistaken.stdout + mistaken.stderr, (await plant.ok(['audit', 'export'])).stdout);
    const files = plant.isOnPostgres ? [] : filesUnder(plant.path('store'));
    const tables = plant.isOnPostgres ? await tablesOf(plant.place) : [];
    for (const secret of new Set(secrets)) {
      expect(leakOf(seen, secret, 9), 'processes').toBeUndefined();
      for (const text of outputs)
        expect(leakOf(text, secret, 9), text.slice(0, 200)).toBeUndefined();
      for (const path of [...files, plant.path('copy.db')])
        expect(leakInFile(path, secret), path).toBeUndefined();
      for (const [name, text] of tables) expect(leakIn(name, text, secret), name).toBeUndefined();
    }
    const store = plant.isOnPostgres ? [] : ['store'];
    expect(readdirSync(plant.folder).sort()).toEqual(['copy.db', 'dir', 'gateway.key', ...store]);
  });
});

function secretIn(path: string): string {
  return readFileSync(path, 'latin1').trim();
}

function leakInFile(path: string, secret: string): string | undefined {
  return leakIn(path, readFileSync(path, 'latin1'), secret);
}
