import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { progressLine } from '../../../../src/cli/terminal/progress.ts';
import { resources } from '../../../../src/resources/index.ts';
import { Cli } from '../../harness.ts';
import { press } from '../../keyboard.ts';

const terminal = { columns: 100, rows: 30 };
let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

const sensors = [
  'id;code;name;unit;is_active',
  '1;OVEN-1;"Oven; zone 1";Cel;true',
  '2;DOOR-1;Door;;true',
].join('\r\n');

describe('import', () => {
  it('reports what it did, and with --dry-run what it would do', async () => {
    const line = ['import', 'sensors', '-', '--entity', 'BER', '--json'];
    const counts = {
      resource: 'sensors',
      entity: 'BER',
      dry_run: true,
      inserted: 2,
      updated: 0,
      unchanged: 0,
      removed: 0,
    };
    const would = { ...counts, needs_confirmation: false };
    expect((await cli.ok([...line, '--dry-run'], { input: sensors })).json()).toEqual(would);
    expect((await cli.ok([...line, '--dry-run'], { input: sensors })).json()).toEqual(would);
    expect((await cli.ok(line, { input: sensors })).json()).toEqual({ ...counts, dry_run: false });
    const one = sensors.split('\r\n').slice(0, 2).join('\n').replace('zone 1', 'zone one');
    expect((await cli.ok([...line, '--replace'], { input: one })).json()).toEqual({
      ...counts,
      dry_run: false,
      inserted: 0,
      updated: 1,
      removed: 1,
    });
  });

  it('removes more than half of the records only with --yes, or after a question on a terminal', async () => {
    await cli.ok('import sensors - --entity BER', { input: sensors });
    const file = join(mkdtempSync(join(tmpdir(), 'hkctl-import-')), 'sensors.csv');
    writeFileSync(file, 'id,code,name,is_active\n');
    const line = ['import', 'sensors', file, '--entity', 'BER', '--replace'];
    const left = async () =>
      (await cli.ok('sensors list --entity BER --json')).json<unknown[]>().length;
    const refused = await cli.run([...line, '--json']);
    expect([refused.code, refused.error().code]).toEqual([2, 'confirmation_required']);
    expect(refused.error().message).toContain(
      '2 of the 2 records of BER/sensors are not in the file',
    );
    expect((await cli.ok([...line, '--dry-run'])).stdout).toContain(
      'It would remove 2 of 2 records',
    );
    expect((await cli.ok([...line, '--dry-run', '--json'])).json()).toMatchObject({
      needs_confirmation: true,
    });
    expect((await cli.run(line, { terminal, keys: [press.enter] })).code).toBe(130);
    expect(await left()).toBe(2);
    expect((await cli.run(line, { terminal, keys: [press.up + press.enter] })).code).toBe(0);
    expect(await left()).toBe(0);
    await cli.ok('import sensors - --entity BER', { input: sensors });
    await cli.ok([...line, '--yes']);
    expect(await left()).toBe(0);
  });

  it('maps columns, reads a file by its name, and refuses by line and field', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'hkctl-import-')), 'sensors.csv');
    writeFileSync(file, 'NR,MERKMAL,TEXT,AKTIV,REST\n1,A,Eins,true,x\n');
    const maps = ['NR=id', 'MERKMAL=code', 'TEXT=name', 'AKTIV=is_active', 'REST=-'].flatMap(
      (map) => ['--map', map],
    );
    await cli.ok(['import', 'sensors', file, '--entity', 'BER', ...maps]);
    const refused = await cli.run(['import', 'sensors', '-', '--entity', 'BER', '--json'], {
      input: `${sensors}\r\n3;X;X;;perhaps`,
    });
    expect(refused.code).toBe(2);
    expect(refused.error()).toMatchObject({
      violations: [{ field: 'is_active', value: 'perhaps' }],
    });
    expect((await cli.ok('sensors list --entity BER --json')).json()).toHaveLength(1);
  });

  it('draws a bar that fits its terminal', () => {
    for (const columns of [20, 40, 60, 80, 200]) {
      for (const read of [0, 5e5, 1e6, 2e6]) {
        const line = progressLine('Importing production-quality', read, 1e6, columns);
        expect(line.length).toBeLessThan(columns);
      }
    }
    expect(progressLine('Importing parts', 5e5, 1e6, 80)).toMatch(
      /^Importing parts {2}█+░+ {2}50 % {2}0\.5 MB$/,
    );
  });
});

describe('import --template', () => {
  it.each(resources.map(({ name }) => name))(
    '%s: imports as it is, and its example is a valid record',
    async (name) => {
      const bare = new Cli();
      const { stdout } = await bare.ok(['import', name, '--template']);
      const [header, example, ...rest] = stdout.split('\n');
      expect(rest).toEqual(['']);
      expect(header?.split(',')[0]).toBe('id');
      expect(example).toMatch(/^# /);
      const line = ['import', name, '-', '--entity', 'BER', '--json'];
      const nothing = { inserted: 0, updated: 0, removed: 0 };
      expect((await cli.ok(line, { input: stdout })).json()).toMatchObject(nothing);
      const filled = stdout + (example ?? '').slice(2);
      expect((await cli.ok(line, { input: filled })).json()).toMatchObject({ inserted: 1 });
    },
  );

  it('needs no store, takes no file, and is a text in JSON', async () => {
    const bare = new Cli();
    const { stdout } = await bare.ok('import parts --template');
    expect((await bare.ok('import parts --template --json')).json()).toEqual({
      resource: 'parts',
      template: stdout,
    });
    expect((await bare.run('import parts parts.csv --template')).code).toBe(2);
    expect((await bare.run('import nothing --template')).code).toBe(2);
    const missing = await cli.run('import parts --entity BER --json');
    expect(missing.code).toBe(2);
    expect(missing.error().message).toContain('FILE');
  });
});
