import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { Cli, type RunResult } from '../harness.ts';
import { press, type TypedKey } from '../keyboard.ts';

const { enter, down, up, escape: esc, ctrlC, ctrlD, space } = press;
const backspace = '\u007f';
const terminal = { columns: 80, rows: 40 };

let cli: Cli;
beforeAll(async () => {
  cli = await new Cli().seed();
});

/** What standard error shows, with line breaks but without sequences. */
function shown({ stderr }: RunResult): string {
  return stripVTControlCharacters(stderr);
}

describe('a question for several choices', () => {
  const create = 'keys create --name Oven --entity BER --expires never';
  const first = { on: 'Custom selection', type: enter };
  const list = 'Jobs and Orders view';

  async function permissionsOf(...keys: (string | TypedKey)[]): Promise<string[]> {
    const made = await cli.ok(create, {
      terminal,
      keys: [first, { on: list, type: '' }, ...keys, enter, ...created],
    });
    const prefix = /\((hk_\w{5})\)/.exec(made.stdout)?.[1] ?? '';
    return (await cli.show(prefix)).permissions;
  }

  const created = [
    { on: 'Create this API key?', type: `${down}${enter}` },
    { on: '[d] Dismiss', type: 'd' },
    { on: '[y] Dismiss', type: 'y' },
  ];

  it('begins with the ticked ones, and space alone changes them', async () => {
    expect(await permissionsOf()).toEqual(['jobs_orders.view']);
    expect(await permissionsOf(down, space)).toEqual(['jobs_orders.view', 'production_jobs.view']);
    expect(await permissionsOf('ainv2', '\u0001', down, space)).toEqual([
      'jobs_orders.view',
      'production_jobs.view',
    ]);
  });

  it('wants at least one, and shows how many were chosen', async () => {
    const result = await cli.run(create, {
      terminal,
      keys: [
        first,
        { on: list, type: space },
        enter,
        { on: '> Choose at least one.', type: `${down}${space}${up}${space}` },
        enter,
        { on: 'Create this API key?', type: ctrlC },
      ],
    });
    expect(result.code).toBe(130);
    expect(shown(result)).toContain('✔ Custom selection 2 of 21');
  });

  it('shows as many rows as the terminal has, in any number of columns', async () => {
    for (const [columns, rows] of [
      [80, 24],
      [40, 14],
      [24, 10],
    ] as const) {
      const result = await cli.run(create, {
        terminal: { columns, rows },
        keys: [first, { on: 'Esc goes back', type: down.repeat(21) }, ctrlC],
      });
      expect(result.code).toBe(130);
      // Each drawing begins with the question.
      const drawings = shown(result).split('? Custom selection\n').slice(1);
      expect(drawings.length).toBeGreaterThan(1);
      for (const drawing of drawings) {
        const lines = (drawing.split('error: Cancelled')[0] ?? '').trimEnd().split('\n');
        expect(lines.length, drawing).toBeLessThan(rows);
        for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(columns);
      }
    }
  });
});

describe('a question with a short list', () => {
  it('keeps its mark whatever letters and digits are typed', async () => {
    const { key } = await cli.key('Kept');
    for (const typed of ['r', 'Revoke key', '2', 'j', ' r']) {
      const result = await cli.run(['keys', 'revoke', key.prefix], {
        terminal,
        keys: [{ on: '❯ Cancel', type: typed }, enter],
      });
      expect(result.code, typed).toBe(130);
    }
    expect((await cli.show(key.prefix)).status).toBe('Active');
  });
});

describe('a question with a long list', () => {
  let many: Cli;
  beforeAll(async () => {
    many = await new Cli().seed();
    for (let i = 10; i < 24; i++) await many.key(`Line ${i}`);
  });
  const asked = '❯ hk_';

  it('is filtered by typing, in upper or lower case, and moves by arrows', async () => {
    const { stdout } = await many.ok('keys show', {
      terminal,
      keys: [
        { on: asked, type: 'ber  lINE 1' },
        { on: 'Which key? ber  lINE 1', type: down },
        enter,
      ],
    });
    expect(stripVTControlCharacters(stdout)).toMatch(/^Line 1[0-9]$/m);
  });

  it('chooses nothing by Enter without a match, and goes on after Backspace', async () => {
    const result = await many.ok('keys show', {
      terminal,
      keys: [
        { on: asked, type: 'Line 12x' },
        { on: 'No results found', type: enter },
        backspace,
        { on: asked, type: enter },
      ],
    });
    expect(stripVTControlCharacters(result.stdout)).toMatch(/^Line 12$/m);
  });

  it('is filtered by a name that is pasted with its line break, and the next Enter chooses', async () => {
    const result = await many.ok('keys show', {
      terminal,
      keys: [{ on: asked, type: `Line 13${enter}` }, enter],
    });
    expect(stripVTControlCharacters(result.stdout)).toMatch(/^Line 13$/m);
  });

  it('is cancelled by Esc, Ctrl-C and Ctrl-D, also behind what was typed or pasted', async () => {
    for (const key of [esc, ctrlC, ctrlD, `Line 13${ctrlC}`, `${'x'.repeat(50_000)}${ctrlC}`]) {
      const result = await many.run('keys show', { terminal, keys: [{ on: asked, type: key }] });
      expect([result.code, result.stdout], JSON.stringify(key.slice(0, 20))).toEqual([130, '']);
    }
  });

  it('shows a long name in one line, and in full once it is chosen', async () => {
    const long = `Oven ${'of the long hall '.repeat(4)}7`;
    const own = await new Cli().seed();
    for (let i = 0; i < 12; i++) await own.key(`Line ${i}`);
    await own.key(long);
    const result = await own.ok('keys show', {
      terminal: { columns: 40, rows: 20 },
      keys: [{ on: asked, type: 'Oven' }, enter],
    });
    expect(shown(result)).toMatch(/^❯ hk_\w{5} {2}BER {2}Oven of the .*…7$/m);
    expect(shown(result).replaceAll('\n', '')).toContain(`✔ Which key?`);
    expect(shown(result).replaceAll('\n', '')).toContain(long);
  });

  it('lists two hundred and says how many more there are', async () => {
    const own = await new Cli().seed();
    await own.key('Template');
    const registry = openDatabase(own.store, {});
    const columns = registry
      .prepare('select name from pragma_table_info(?)')
      .pluck()
      .all('keys')
      .map(String);
    const values = columns.map(
      (column) =>
        ({
          id: `'id-' || n`,
          prefix: `'hk_' || printf('%05d', n)`,
          name: `'Line ' || n`,
          secret_hash: `randomblob(32)`,
        })[column] ?? column,
    );
    registry
      .prepare(
        `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 300)
         insert into keys (${columns.join()}) select ${values.join()} from keys, numbers`,
      )
      .run();
    registry.close();
    const result = await own.run('keys show', {
      terminal,
      keys: [
        { on: asked, type: down.repeat(10) },
        ...Array(19).fill(down.repeat(10)),
        { on: '… 101 more: type', type: esc },
      ],
    });
    expect(result.code).toBe(130);
  });
});

describe('a question without colours', () => {
  /** The last characters of the control sequences in a text: `m` sets colours and other attributes (ECMA-48, SGR). */
  const functionsOf = (text: string) =>
    text.split('\u001b[').map((part) => /^[?\d;]*([A-Za-z])/.exec(part)?.[1]);

  it.each<Record<string, string>>([{ NO_COLOR: '1' }, { NO_COLOR: '1', FORCE_COLOR: '1' }])(
    'paints nothing: %j',
    async (env) => {
      const results = [
        await cli.run('keys create --entity BER', {
          terminal,
          env,
          keys: [
            { on: 'Name', type: `Oven${enter}` },
            { on: 'Permissions', type: enter },
            { on: 'Jobs and Orders', type: space },
            enter,
            { on: 'Choose at least', type: space },
            enter,
            { on: 'Expires', type: `2001-01-01${enter}` },
            { on: 'in the past', type: ctrlC },
          ],
        }),
        await cli.run('keys verify', { terminal, env, keys: [{ on: 'Secret', type: ctrlC }] }),
      ];
      for (const { code, stderr } of results) {
        expect(code).toBe(130);
        expect(functionsOf(stderr).slice(1)).not.toContain('m');
      }
    },
  );
});
