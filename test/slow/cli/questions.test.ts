import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { press, type TypedKey } from '../../cli/keyboard.ts';

const terminal = { columns: 200, rows: 40 };
const { enter, up, down, left, right, escape: esc, ctrlC, ctrlD } = press;

/** What means Cancel in every question, whatever is marked; each entry is typed once the screen is at rest. */
const cancels: Record<string, string[]> = {
  Esc: [esc],
  'Ctrl-C': [ctrlC],
  'Ctrl-D': [ctrlD],
  'Enter alone': [enter],
};
/** The same in a question with choices, of which the other one is marked by Down. */
const cancelsOfChoices: Record<string, string[]> = {
  ...cancels,
  'Esc and Enter at once': [esc + enter],
  'Esc, then Enter': [esc, enter],
  'Left, Enter': [left, enter],
  'Right, Enter': [right, enter],
  'Down, Esc': [down, esc],
  'Down, Esc and Enter at once': [down, esc + enter],
  'Down, Ctrl-C': [down, ctrlC],
  'Down, Ctrl-D': [down, ctrlD],
  'Down, Up, Enter': [down, up, enter],
};

function onceAsked(text: string, keys: readonly (string | TypedKey)[]): (string | TypedKey)[] {
  const [first = '', ...more] = keys;
  return [typeof first === 'string' ? { on: text, type: first } : first, ...more];
}

describe('a question about what cannot be undone', () => {
  let cli: Cli;
  let prefix: string;
  let commands: Record<string, string[]>;

  beforeAll(async () => {
    cli = await new Cli().seed();
    const { key, secret } = await cli.key('Oven gateway');
    prefix = key.prefix;
    const leak = join(cli.store, '..', 'leak.txt');
    writeFileSync(leak, `secret=${secret}\n`);
    const backup = join(cli.store, '..', 'one.backup');
    await cli.ok(['backup', backup]);
    // Made after the backup: a restore would lose it.
    await cli.ok('users add later --name Later --role operator');
    commands = {
      revoke: ['keys', 'revoke', prefix],
      rotate: ['keys', 'rotate', prefix],
      scan: ['keys', 'scan', leak, '--revoke'],
      'entities deactivate': ['entities', 'deactivate', 'BER'],
      'entities remove': ['entities', 'remove', 'BER'],
      'users deactivate': ['users', 'deactivate', 'operator'],
      restore: ['restore', backup],
    };
  });

  async function state(): Promise<unknown> {
    const list = async (line: string) => (await cli.ok(`${line} --json`)).json<unknown>();
    return [await list('keys list --all'), await list('entities list'), await list('users list')];
  }

  for (const [how, keys] of Object.entries(cancelsOfChoices)) {
    it(`is cancelled by ${how}`, async () => {
      const before = await state();
      const result = await cli.run(['keys', 'revoke', prefix], {
        terminal,
        keys: onceAsked('Cancel', keys),
      });
      expect(result.code, stripVTControlCharacters(result.stderr)).toBe(130);
      expect(await state()).toEqual(before);
    });
  }

  for (const name of [
    'rotate',
    'scan',
    'entities deactivate',
    'entities remove',
    'users deactivate',
    'restore',
  ]) {
    it(`of ${name} is cancelled by Esc, Ctrl-C, Ctrl-D and Enter`, async () => {
      const before = await state();
      for (const [how, keys] of Object.entries(cancels)) {
        const text = name === 'entities remove' ? 'Type BER' : 'Cancel';
        const result = await cli.run(commands[name] ?? [], {
          terminal,
          keys: onceAsked(text, keys),
        });
        expect(result.code, `${how}: ${stripVTControlCharacters(result.stderr)}`).toBe(130);
        expect(result.stdout).not.toMatch(/hk_[0-9A-Za-z]{49}/);
      }
      expect(await state()).toEqual(before);
    });
  }

  it('has Cancel first, and does what it says for the other answer', async () => {
    const { key } = await cli.key('To be revoked');
    const result = await cli.run(['keys', 'revoke', key.prefix], {
      terminal,
      keys: onceAsked('Cancel', [down, enter]),
    });
    expect(result.code).toBe(0);
    expect(stripVTControlCharacters(result.stderr)).toMatch(/❯ Cancel\n {2}Revoke key\n/);
    expect((await cli.show(key.prefix)).status).toBe('Revoked');
  });

  it('entities remove wants the code, and nothing but the code', async () => {
    await cli.ok('entities add OLD --name Old --timezone UTC');
    const wrong = await cli.run('entities remove OLD', {
      terminal,
      keys: onceAsked('Type OLD', ['old', enter, { on: 'not OLD', type: ctrlC }]),
    });
    expect(wrong.code).toBe(130);
    expect(stripVTControlCharacters(wrong.stderr)).toContain('That is not OLD.');
    const result = await cli.run('entities remove OLD', {
      terminal,
      keys: onceAsked('Type OLD', ['OLD', enter]),
    });
    expect(result.code, stripVTControlCharacters(result.stderr)).toBe(0);
    expect((await cli.ok('entities list --json')).stdout).not.toContain('OLD');
  });

  it('is cancelled by Ctrl-C and Ctrl-D also where something is to be typed or ticked', async () => {
    const before = await state();
    for (const key of [ctrlC, ctrlD]) {
      for (const [line, keys, text] of [
        ['keys create', [['Name', 'Half a na']], 'Half'],
        ['keys create --name x', [], 'Entity'],
        [
          'keys create --name x --entity BER',
          [['Custom selection', enter]],
          'Jobs and Orders view',
        ],
        [
          'keys create --entity BER --permission parts.view',
          [
            ['Name', 'x'],
            ['x', enter],
          ],
          'Expires',
        ],
        ['users add bob --name Bob', [], 'Role'],
        ['entities add X --timezone UTC', [['Name', 'X']], 'X'],
        ['keys verify', [['Secret', 'hk_']], ''],
        ['keys --plain', [], 'Number, 1 to'],
      ] as const) {
        const typed = [...keys, [text, key] as const].map(([on, type]) => ({ on, type }));
        const result = await cli.run(line, { terminal, keys: typed });
        expect(result.code, `${line}: ${stripVTControlCharacters(result.stderr)}`).toBe(130);
      }
    }
    expect(await state()).toEqual(before);
  });
});

describe('an answer that is given beforehand', () => {
  it('holds for the numbers of keys --plain', async () => {
    const cli = await new Cli().seed();
    // Create key; name; entity 1; Custom selection; the ticked permission; never.
    const answers = [
      ['What next?', '2', enter],
      ['Name', 'Plain', enter],
      ['Entity', '1', enter],
      ['Custom selection', '1', enter],
      ['joined by commas (1)', enter],
      ['Expires', '2020-01-01', enter],
      ['in the past', ctrlC],
      ['What next?', ctrlC],
    ];
    const keys = answers.flatMap(([text = '', ...typed]) => onceAsked(text, typed));
    const result = await cli.run('keys --plain', {
      terminal,
      keys,
      env: { HKCTL_BASE_URL: 'https://api.example.com' },
    });
    const shown = stripVTControlCharacters(result.stderr);
    expect(shown).toContain('Numbers, joined by commas (1)');
    expect(shown).toContain('2020-01-01');
    expect(shown).toContain('is in the past');
    expect(result.code).toBe(130);
  });
});

describe('the one-time panel', () => {
  for (const [how, key] of Object.entries({
    'Ctrl-C': ctrlC,
    'Ctrl-D': ctrlD,
    Esc: esc,
    Enter: enter,
    d: 'd',
  })) {
    it(`asks before ${how} dismisses it, and only y is a yes`, async () => {
      const cli = await new Cli().seed();
      const [asks, shows] = ['[y] Dismiss', '[d] Dismiss'];
      // In the question the same key means Cancel, but d, which means nothing there.
      const back = key === 'd' ? { on: asks, type: 'n' } : { on: asks, type: key };
      const twice = key === 'd' ? [{ on: asks, type: 'd' }] : [];
      const keys = [
        { on: 'API key created', type: key },
        ...twice,
        back,
        { on: shows, type: key },
        { on: asks, type: 'y' },
      ];
      const line = 'keys create --name Oven --entity BER --preset sensor-gateway';
      const result = await cli.run(line, { terminal, keys });
      expect(result.code).toBe(0);
      const drawn = stripVTControlCharacters(result.stdout);
      expect(drawn.split('will not be shown again. Dismiss?')).toHaveLength(3 + twice.length);
      expect(drawn.split('[n] Cancel   [y] Dismiss')).toHaveLength(3 + twice.length);
    });
  }
});
