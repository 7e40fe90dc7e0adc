import { chmodSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { widthOf, wrapLabelled } from '../../../src/cli/terminal/wrap.ts';
import { filesOf } from '../../../src/store/sqlite/connection/files.ts';
import { Cli } from '../harness.ts';

it('permissions and the hint below the commands are broken between words only', async () => {
  const terminal = { columns: 40, rows: 24 };
  const listed = (await new Cli().ok('permissions list', { terminal, env: { NO_COLOR: '1' } }))
    .stdout;
  expect(listed).toContain('asset_sensors.ingest       Sensor\n');
  const alone = (await new Cli().ok('', { terminal })).stdout;
  for (const line of (listed + alone).split('\n'))
    if (!line.includes('/')) expect(widthOf(line)).toBeLessThanOrEqual(40);
});

describe('a labelled line that is wider than the terminal', () => {
  it('goes on below its value, or nearly below a label that takes most of the width', () => {
    expect(wrapLabelled('Entity    ', 'BER  Berlin, the southern plant', 24)).toEqual([
      'Entity    BER  Berlin,',
      '          the southern',
      '          plant',
    ]);
    expect(wrapLabelled('Projects and settings: ', 'parts.view, assets.view', 30)).toEqual([
      'Projects and settings:',
      '  parts.view, assets.view',
    ]);
    expect(wrapLabelled('Id  ', 'short', 24)).toEqual(['Id  short']);
    expect(wrapLabelled('Id  ', 'any length', undefined)).toEqual(['Id  any length']);
  });

  describe.each<Record<string, string>>([{ FORCE_COLOR: '2' }, { NO_COLOR: '1' }])(
    'with %o',
    (env) => {
      const cli = new Cli();
      let prefix = '';
      beforeAll(async () => {
        await cli.seed();
        await cli.ok([
          'entities',
          'add',
          'MUC',
          '--name',
          'Munich, a hall in the south',
          '--timezone',
          'Europe/Berlin',
        ]);
        const made = await cli.ok(
          'keys create --name Oven --entity MUC --preset operational-core --json',
        );
        prefix = made.json<{ key: { prefix: string } }>().key.prefix;
      });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what colours are made of
      const colours = /\u001b\[[\d;]*m/g;
      const at = async (line: string) => {
        const { stdout } = await cli.run(line, { terminal: { columns: 60, rows: 24 }, env });
        return stdout.replaceAll(colours, '').trimEnd().split('\n');
      };

      it('is broken between words only, and not before it must', async () => {
        const shown = await at(`keys show ${prefix}`);
        expect(shown).toContain('  Jobs and orders: jobs_orders.view');
        expect(shown).toContain('                         assets.view, routings.view,');
        const checks = await at('doctor');
        expect(checks.join('\n')).toMatch(/ registry +Every page of it is whole\.\n/);
        expect(checks.filter((line) => widthOf(line) > 60)).toEqual([]);
      });

      it('with a command keeps it in one piece', async () => {
        const { records } = filesOf(cli.store);
        chmodSync(records, 0o644);
        const found = await at('doctor');
        chmodSync(records, 0o600);
        expect(found).toContain(`  Run: chmod 600 ${records}`);
      });

      it('is broken between words on the plain page of keys, too', async () => {
        const keys = [{ on: 'Number', type: '\u0003' }];
        const { stdout } = await cli.run('keys --plain', {
          terminal: { columns: 40, rows: 24 },
          env,
          keys,
        });
        expect(stdout).toContain(
          'Permissions: Jobs and Orders view,\nProduction jobs, Orders, Production\nquality,',
        );
      });
    },
  );
});
