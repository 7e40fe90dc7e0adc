import { beforeEach, describe, expect, it } from 'vitest';
import { Cli, type KeyJson } from '../../cli/harness.ts';

/** The same text composed (NFC) and decomposed (NFD). */
const composed = 'Ger\u00e4t \u00c5 1';
const decomposed = composed.normalize('NFD');

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
});

describe.each([
  ['composed', composed, decomposed],
  ['decomposed', decomposed, composed],
])('a name that was stored %s', (_form, stored, other) => {
  it('finds a key in both forms, and is stored in one', async () => {
    const { key } = await cli.key(stored);
    expect(key.name).toBe(composed);
    for (const ref of [stored, other]) {
      expect((await cli.show(ref)).id).toBe(key.id);
      const found = await cli.ok(['keys', 'list', '--search', ref, '--json']);
      expect(found.json<KeyJson[]>().map(({ id }) => id)).toEqual([key.id]);
    }
    await cli.ok(['keys', 'note', other, `of ${stored}`]);
    expect((await cli.show(stored)).note).toBe(`of ${composed}`);
    await cli.ok(['keys', 'revoke', other, '--yes']);
  });

  it('is that of an organization, a site and a person', async () => {
    await cli.ok(['entities', 'set', 'BER', '--name', stored]);
    await cli.ok(['entities', 'add', 'NEW', '--name', stored, '--timezone', 'UTC']);
    await cli.ok(['users', 'add', 'new', '--name', stored, '--role', 'operator']);
    await cli.ok(['tenants', 'set', '--name', stored]);
    for (const [line, count] of [
      ['entities list', 2],
      ['users list', 1],
      ['tenants list', 1],
    ] as const) {
      const names = (await cli.ok(`${line} --json`)).json<{ name: string }[]>();
      expect(
        names.filter(({ name }) => name === composed),
        line,
      ).toHaveLength(count);
    }
  });

  it('is the code and the id of a sensor in every command', async () => {
    const sensor = (id: string) =>
      JSON.stringify([{ id, code: `C ${id}`, name: id, is_active: true }]);
    const importing = 'import sensors - --entity BER --format json --json';
    expect((await cli.ok(importing, { input: sensor(stored) })).json()).toMatchObject({
      inserted: 1,
    });
    expect((await cli.ok(importing, { input: sensor(other) })).json()).toMatchObject({
      unchanged: 1,
    });
    const both = `[${sensor(stored).slice(1, -1)},${sensor(other).slice(1, -1)}]`;
    expect((await cli.run(importing, { input: both })).code).toBe(2);
    const readings = `sensor,at,value\n${stored},1763000000000,1\n${other},1763000000000,1\nC ${other},1763000000001,2\n`;
    expect(
      (await cli.ok('import readings - --entity BER --json', { input: readings })).json(),
    ).toMatchObject({ accepted: 2, duplicates: 1, rejected_count: 0 });
    for (const ref of [stored, other, `C ${stored}`, `C ${other}`]) {
      const line = ['sensors', 'show', ref, '--entity', 'BER', '--json'];
      expect((await cli.ok(line)).json()).toMatchObject({ id: composed, code: `C ${composed}` });
      const exported = await cli.ok(['sensors', 'export', ref, '--entity', 'BER', '--json']);
      expect(exported.json<unknown[]>()).toHaveLength(2);
    }
    const range = ['--from', '2025-11-01', '--to', '2025-12-01', '--yes'];
    await cli.ok(['sensors', 'erase', other, '--entity', 'BER', ...range]);
  });
});

describe.each([
  ['a zero width space', '\u200b', 'U+200B'],
  ['a byte order mark', '\ufeff', 'U+FEFF'],
  ['an override', '\u202e', 'U+202E'],
  ['a selector', '\ufe0f', 'U+FE0F'],
  ['an ideographic selector', '\u{e0100}', 'U+E0100'],
  ['a joiner', '\u200d', 'U+200D'],
  ['a soft hyphen', '\u00ad', 'U+00AD'],
])('%s', (_what, character, number) => {
  it('is refused in ids and codes of an import, by its number', async () => {
    const bad = `OVEN${character}1`;
    const file = `id,code,name,is_active\n${bad},A,x,true\nB,${bad},x,true\n`;
    const refused = await cli.run('import sensors - --entity BER --format csv', { input: file });
    expect(refused.code).toBe(2);
    expect(refused.stderr.match(/no invisible characters \(U\+[0-9A-F]+\)/g)).toEqual([
      `no invisible characters (${number})`,
      `no invisible characters (${number})`,
    ]);
    const json = JSON.stringify([{ id: 'J', job_number: '1', part_id: bad, status: 'draft' }]);
    const reference = await cli.run('import jobs - --entity BER --format json', { input: json });
    expect(reference.stderr).toContain(number);
    expect(refused.stdout + refused.stderr).not.toContain(character);
  });

  it('is shown by its number in what is not found', async () => {
    for (const line of [
      ['sensors', 'show', `A${character}`, '--entity', 'BER'],
      ['entities', 'activate', `BER${character}`],
      ['entities', 'add', `X${character}`, '--name', 'x', '--timezone', 'UTC'],
      ['users', 'activate', `root${character}`],
      ['users', 'add', `new${character}`, '--name', 'x', '--role', 'operator'],
      ['entities', 'add', 'Y', '--name', 'x', '--timezone', `UTC${character}`],
    ]) {
      const { code, stderr } = await cli.run(line);
      expect([2, 3]).toContain(code);
      expect(stderr, line.join(' ')).toContain(number);
      expect(stderr).not.toContain(character);
    }
    const input = `sensor,at,value\nA${character},1763000000000,1\n`;
    const { code, stderr } = await cli.run('import readings - --entity BER --format csv', {
      input,
    });
    expect(code).toBe(5);
    expect(stderr).toContain(number);
  });
});

it('takes emoji as people type them in names', async () => {
  for (const name of [
    '\u26a0\ufe0f Oven',
    'Line 1\ufe0f\u20e3',
    '\u{1f9d1}\u200d\u{1f3ed} Shift',
  ]) {
    const { key } = await cli.key(name);
    expect(key.name).toBe(name);
    expect((await cli.ok('keys list')).stdout).toContain(name);
    await cli.ok(['entities', 'set', 'BER', '--name', name]);
    await cli.ok(['keys', 'revoke', name, '--yes']);
  }
});
