import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { requireLabel } from '../../src/core/text/labels.ts';
import { toSafeJson } from '../../src/core/text/shown-text.ts';
import { openDatabase } from '../../src/store/sqlite-file/driver.ts';
import { codePoint } from '../code-points.ts';
import { readProgram } from '../docs/program.ts';
import { storelessCommands } from './all-commands.ts';
import { Cli } from './harness.ts';
import { press, type TypedKey } from './keyboard.ts';

const program = await readProgram();
const terminal = { columns: 200, rows: 50 };
/** Clears the screen, names the window, copies to the clipboard, hides, turns, joins, a line of its own, C1's CSI. */
const hostile = [
  '\u001b[2J',
  '\u001b[31mred\u001b[39m',
  '\u001b]0;title\u0007',
  '\u001b]52;c;aGk=\u0007',
  '\u009b31m',
  '\u202e',
  '\u200b',
  '\u00ad',
  '\u{e0041}',
  '\u3164',
  '\nAPI key revoked',
  '\r',
].join('x');

/** The sequences that hkctl and its questions themselves send to a terminal. */
const sequences = String.raw`\[(?:\?(?:1049|25|7)[hl]|[0-9;]*[ABCDGHJK]|(?:0|1|2|9|22|29|3[1-6]|39|90)m)`;
const own = new RegExp(`\u001b${sequences}`, 'g');
/** The bar of an import, and the step of a check, which are drawn again from the beginning of their line. */
const progressBar = /\r(\w+ \w+ {2}[█░ ]+\d+ % +[\d.]+ MB|Checking [\w ]+ …)?(?=error|$|\r)/g;

function expectSafe(output: string, what: string): void {
  const rest = output.replaceAll(own, '').replaceAll(progressBar, '').replaceAll('\n', '');
  expect(rest, what).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u);
  expect(output, what).not.toMatch(/^API key revoked/m);
  // A colour of the name's own is none of ours.
  expect(output, what).not.toContain('\u001b[31mred');
}

/** Commands that show no name of a store; sensors tail, which does not end, shows only values, and serve a log of JSON. */
const nameless = [...storelessCommands, 'sensors tail', 'serve'];

/** The command of a line: its noun, and its verb if the noun has one of that name. */
function commandOf(line: string): string {
  const [noun = '', verb = ''] = line.split(' ');
  const withVerb = `${noun} ${verb}`;
  return program.commands.has(withVerb) ? withVerb : noun;
}

describe('names of a store that somebody else wrote', () => {
  let cli: Cli;
  let prefix: string;
  let secretFile: string;

  beforeAll(async () => {
    cli = await new Cli().seed();
    const { key, secret } = await cli.key('Gateway');
    prefix = key.prefix;
    await cli.ok(['keys', 'rotate', (await cli.key('Rotated')).key.prefix, '--yes']);
    secretFile = join(cli.store, '..', `leak.txt`);
    writeFileSync(secretFile, secret);
    const sensors = join(cli.store, '..', 'sensors.csv');
    writeFileSync(sensors, 'id,code,name,unit,is_active\nS-1,OVEN,Oven,Cel,true\n');
    await cli.ok(['import', 'sensors', sensors, '--entity', 'BER']);
    const registry = openDatabase(cli.store, {});
    for (const table of ['keys', 'entities', 'users', 'tenants']) {
      const { changes } = registry.prepare(`update ${table} set name = name || ?`).run(hostile);
      expect(changes, table).toBeGreaterThan(0);
    }
    registry.close();
    const records = openDatabase(cli.store.replace(/\.db$/, '.records.db'), {});
    records.prepare('update sensors set name = name || ?, unit = unit || ?').run(hostile, hostile);
    records.close();
  });

  const on = (text: string, type: string) => ({ on: text, type });
  const { down, enter, escape: esc, ctrlC } = press;
  const lines: [line: string, keys?: readonly (string | TypedKey)[]][] = [
    ['keys list --all'],
    ['keys show PREFIX'],
    ['keys', ['i', down, 'q']],
    ['keys', ['v', on('Revoke key', ctrlC), on('Cancelled', 'q')]],
    ['keys', ['r', on('Rotate key', ctrlC), on('Cancelled', 'q')]],
    ['keys', ['c', on('Name', 'N'), enter, on('Entity', ctrlC), on('Cancelled', 'q')]],
    ['keys --plain', ['5', enter, on('Which key?', ctrlC), on('What next?', ctrlC)]],
    [
      'keys --plain',
      ['6', enter, on('Which key?', '1'), enter, on('1. Cancel', enter), on('What next?', ctrlC)],
    ],
    ['keys revoke PREFIX', [on('Cancel', enter)]],
    ['keys rotate PREFIX', [on('Cancel', enter)]],
    ['keys rotate PREFIX', [on('Cancel', down), enter, on('API key rotated', 'd'), on('[y]', 'y')]],
    ['keys scan LEAK', []],
    ['keys create --name N', [on('Entity', esc)]],
    ['keys verify', [on('Secret', 'SECRET'), enter]],
    ['keys create --name N --entity BER --preset sensor-gateway --secret-file LEAK'],
    ['keys rotate NEW --yes --secret-file LEAK'],
    ['entities list'],
    ['entities deactivate BER', [on('Cancel', enter)]],
    ['entities deactivate BER --yes'],
    ['entities activate BER'],
    ['entities remove BER', [on('Type BER', enter)]],
    ['users list'],
    ['users deactivate operator --yes'],
    ['users activate operator'],
    ['users set-role operator manager'],
    ['tenants list'],
    ['tenants set --week-start sunday'],
    ['sensors list --entity BER'],
    ['sensors show OVEN --entity BER'],
    ['sensors export --entity BER'],
    ['audit list'],
    ['audit verify'],
    ['audit export'],
    ['doctor'],
    ['keys note PREFIX Oven'],
    ['entities set BER --timezone Europe/Berlin'],
    ['entities add NEW1 --name New --timezone UTC'],
    ['users add added --name Added --role operator'],
    ['tenants add Other --admin other'],
    ['import parts LEAK --entity BER'],
    ['sensors erase OVEN --entity BER --from 2026-11-19 --to 2026-11-20', [on('Type', enter)]],
    ['sensors erase OVEN --entity BER --from 2026-11-19 --to 2026-11-20 --yes'],
    ['status'],
    ['backup COPY'],
    ['restore COPY', [on('Replace', enter)]],
    ['migrate'],
    ['init'],
  ];

  it('are tried in every command that shows something of a store', () => {
    const tried = lines.map(([line]) => commandOf(line));
    const untried = [...program.commands.keys()].filter((command) => !tried.includes(command));
    expect(untried.sort()).toEqual([...nameless].sort());
  });

  for (const [line, keys = []] of lines) {
    for (const form of ['', ' --json'] as const) {
      if (form !== '' && keys.length > 0) continue;
      it(`do nothing to the terminal in ${line}${form} ${JSON.stringify(keys)}`, async () => {
        const active = (await cli.ok('keys list --json')).json<{ prefix: string }[]>();
        const words = line
          .replace('PREFIX', active[0]?.prefix ?? prefix)
          .replace('NEW', active[0]?.prefix ?? '');
        const env = { FORCE_COLOR: '1', HKCTL_BASE_URL: 'https://api.example.com' };
        const argv =
          words.replace('LEAK', secretFile).replace('COPY', join(cli.store, '..', 'copy.db')) +
          form;
        const { stdout, stderr } = await cli.run(argv, { terminal, keys, env });
        expectSafe(stdout, line);
        expectSafe(stderr, line);
      });
    }
  }

  it('are exact in JSON', async () => {
    const { stdout } = await cli.ok('keys list --all --json');
    const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toContain(`Gateway${hostile}`);
    expect(stdout).toContain('\\u009b31m');
  });
});

describe('JSON for a terminal', () => {
  it('reads as the same value, and has no character that plays tricks', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: codePoint }),
        fc.constantFrom(undefined, 2),
        (value, indent) => {
          const text = toSafeJson(value, indent);
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
          expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        },
      ),
    );
  });
});

describe('a name', () => {
  for (const [character, shown] of [
    ['\u0000', 'U+0000'],
    ['\u001b', 'U+001B'],
    ['\u007f', 'U+007F'],
    ['\u009b', 'U+009B'],
    ['\u00ad', 'U+00AD'],
    ['\u034f', 'U+034F'],
    ['\u0600', 'U+0600'],
    ['\u061c', 'U+061C'],
    ['\u115f', 'U+115F'],
    ['\u1160', 'U+1160'],
    ['\u180e', 'U+180E'],
    ['\u200b', 'U+200B'],
    ['\u200d', 'U+200D'],
    ['\u200f', 'U+200F'],
    ['\u2028', 'U+2028'],
    ['\u2029', 'U+2029'],
    ['\u202e', 'U+202E'],
    ['\u2060', 'U+2060'],
    ['\u2066', 'U+2066'],
    ['\u2800', 'U+2800'],
    ['\u3164', 'U+3164'],
    ['\ufe0f', 'U+FE0F'],
    ['\ufeff', 'U+FEFF'],
    ['\uffa0', 'U+FFA0'],
    ['\ufff9', 'U+FFF9'],
    ['\ud800', 'U+D800'],
    ['\udc00', 'U+DC00'],
    ['\u{e0001}', 'U+E0001'],
    ['\u{e0041}', 'U+E0041'],
    ['\u{1d173}', 'U+1D173'],
  ] as const) {
    it(`has no ${shown}, and the refusal names it`, async () => {
      expect(() => requireLabel(`A${character}B`, 'A key name')).toThrow(
        `A key name must not contain ${shown},`,
      );
    });
  }

  it('has any letter that can be seen', () => {
    for (const name of [
      'Öfen Süd 3',
      '第3ライン',
      'خط ۳',
      'Линия №3',
      'Ligne d’été — 3 °C',
      'ไลน์ 3',
      '🏭 3',
      'ﾗｲﾝ',
      '라인 3',
    ])
      expect(() => requireLabel(name, 'A name')).not.toThrow();
  });

  it('is refused alike for keys, entities, users and organizations', async () => {
    const cli = await new Cli().seed();
    const bad = 'Line\u202e3';
    for (const argv of [
      ['keys', 'create', '--name', bad, '--entity', 'BER', '--preset', 'sensor-gateway'],
      ['entities', 'add', 'X', '--name', bad, '--timezone', 'UTC'],
      ['users', 'add', 'x', '--name', bad, '--role', 'operator'],
      ['tenants', 'add', bad, '--admin', 'x'],
      ['tenants', 'set', '--name', bad],
    ]) {
      const result = await cli.run(argv);
      expect(result.code, argv.join(' ')).toBe(2);
      expect(result.stderr).toContain('must not contain U+202E');
      expect(result.stdout).toBe('');
    }
  });
});
