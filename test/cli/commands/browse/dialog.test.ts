import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createChoiceQuestion,
  createListQuestion,
  createTextQuestion,
  type Question,
} from '../../../../src/cli/commands/browse/dialog.ts';
import { edited, toEditedLine } from '../../../../src/cli/prompts/line-editor.ts';
import type { Keypress } from '../../../../src/cli/terminal/keypress.ts';
import { createStyle } from '../../../../src/cli/terminal/style.ts';
import { widthOf } from '../../../../src/cli/terminal/wrap.ts';
import { silentOutput } from '../../silent-output.ts';

const style = createStyle({ NO_COLOR: '1' }, silentOutput({ isTTY: true }));

/** A key by its name (`ctrl-u`, `return`), or a typed character. */
function keyOf(given: string): Keypress {
  const ctrl = given.startsWith('ctrl-');
  const name = ctrl ? given.slice(5) : given;
  const isTyped = !ctrl && (given.length === 1 || given.codePointAt(0) !== given.charCodeAt(0));
  return {
    name: given === ' ' ? 'space' : name,
    text: isTyped ? given : '',
    ctrl,
    meta: false,
    sequence: given,
  };
}

/** Presses keys one after the other; returns the last result. */
function pressed<T>(question: Question<T>, ...keys: string[]): ReturnType<Question<T>['press']> {
  return keys.map((key) => question.press(keyOf(key))).at(-1);
}

describe('a line that is typed', () => {
  const line = (...keys: string[]) =>
    keys.reduce((now, key) => edited(now, keyOf(key)), toEditedLine(''));

  it.each([
    [['a', 'b', 'left', 'x'], 'axb'],
    [['a', 'b', 'home', 'x', 'end', 'y'], 'xaby'],
    [['a', '🏭', 'backspace'], 'a'],
    [['a', 'b', 'left', 'delete'], 'a'],
    [['a', ' ', 'b', 'ctrl-w', 'c'], 'a c'],
    [['a', 'b', 'left', 'ctrl-u'], 'b'],
    [['a', 'b', 'left', 'ctrl-k'], 'a'],
    [['left', 'backspace', 'delete', 'up', 'tab', 'f1', 'ctrl-x'], ''],
  ])('%j', (keys, text) => {
    expect(line(...keys).characters.join('')).toBe(text);
  });

  it('never has its cursor outside, nor half a character', () => {
    const keys = [
      'left',
      'right',
      'home',
      'end',
      'backspace',
      'delete',
      'ctrl-w',
      'ctrl-u',
      'ctrl-k',
      '🏭',
      'ü',
      ' ',
      'a',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...keys)), (typed) => {
        const { characters, at } = line(...typed);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThanOrEqual(characters.length);
        expect(characters.join('').isWellFormed?.() ?? true).toBe(true);
      }),
    );
  });
});

describe('a question for text', () => {
  it('takes the preset for an empty answer, and reports what is wrong until it is right', () => {
    const question = createTextQuestion(
      'Expires',
      (text) => (text === 'bad' ? 'Not that.' : undefined),
      'never',
      style,
    );
    expect(question.lines(80, 24)[0]).toBe('? Expires (never): _');
    expect(pressed(question, 'b', 'a', 'd', 'return')).toBeUndefined();
    expect(question.lines(80, 24)).toContain('Not that.');
    expect(pressed(question, 'ctrl-u', 'return')).toEqual({ value: 'never', echo: 'never' });
  });
});

describe('a question for one choice', () => {
  const choices = ['Cancel', 'Rotate key', 'Revoke'].map((name, value) => ({ name, value }));
  const asked = (preset?: number) => createChoiceQuestion('What?', choices, preset, style);

  it('marks the preset, else the first', () => {
    expect(pressed(asked(), 'return')?.value).toBe(0);
    expect(pressed(asked(2), 'return')?.value).toBe(2);
  });

  it('moves by arrows around both ends, by Home and End', () => {
    expect(pressed(asked(), 'up', 'return')?.value).toBe(2);
    expect(pressed(asked(2), 'down', 'return')?.value).toBe(0);
    expect(pressed(asked(), 'end', 'home', 'return')?.value).toBe(0);
  });

  it('is filtered by typing', () => {
    expect(pressed(asked(), 'r', 'return')?.value).toBe(1);
    expect(pressed(asked(), 'r', 'E', 'v', 'return')?.value).toBe(2);
    const question = asked();
    expect(pressed(question, 'x', 'return')).toBeUndefined();
    expect(question.lines(80, 24)).toContain('  No match. Backspace takes a character back.');
    expect(pressed(question, 'up', 'home', 'pagedown', 'end', 'backspace', 'return')?.value).toBe(
      0,
    );
  });

  it('without a match has no line wider than the terminal either', () => {
    const question = asked();
    pressed(question, 'x');
    for (const line of question.lines(24, 10)) expect(widthOf(line)).toBeLessThanOrEqual(24);
  });

  it('shows the marked choice in any number of rows', () => {
    const many = Array.from({ length: 500 }, (_, value) => ({ name: `Entity ${value}`, value }));
    for (const rows of [5, 10, 24]) {
      const question = createChoiceQuestion('Which?', many, 250, style);
      const lines = question.lines(40, rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines).toContain('❯ Entity 250');
      const [above = 0, below = 0] =
        lines
          .join()
          .match(/\d+(?= more)/g)
          ?.map(Number) ?? [];
      expect(above + below + lines.filter((line) => /^[❯ ] Entity/.test(line)).length).toBe(500);
    }
  });
});

describe('a question for one choice on a small terminal', () => {
  it('cuts a long message and keeps the choices', () => {
    const choices = ['Cancel', 'Rotate key'].map((name, value) => ({ name, value }));
    const question = createChoiceQuestion(`Rotate API key: ${'x '.repeat(400)}`, choices, 0, style);
    const lines = question.lines(24, 8);
    expect(lines.length).toBeLessThanOrEqual(8);
    expect(lines).toEqual(expect.arrayContaining(['❯ Cancel', '  Rotate key']));
    expect(lines.join('\n')).toContain('…');
  });
});

describe('a question for several choices', () => {
  const groups = ['A', 'B'].map((heading) => ({
    heading,
    choices: [1, 2, 3].map((i) => ({
      name: `${heading}${i}`,
      value: `${heading}${i}`,
      checked: heading + i === 'A1',
    })),
  }));
  const asked = () => createListQuestion('Which?', groups, style);

  it('begins with the ticked ones; space and Ctrl-A tick', () => {
    expect(pressed(asked(), 'return')?.value).toEqual(['A1']);
    expect(pressed(asked(), 'down', ' ', 'return')?.value).toEqual(['A1', 'A2']);
    expect(pressed(asked(), 'ctrl-a', 'return')?.value).toHaveLength(6);
  });

  it('is filtered by typing, which ticks nothing; Enter ends the filter before it submits', () => {
    const question = asked();
    pressed(question, 'b');
    expect(question.lines(80, 24)).toEqual([
      '? Which? (1 of 6)  Filter: b_',
      ' ── B',
      '❯◯ B1',
      ' ◯ B2',
      ' ◯ B3',
      expect.stringContaining('type to filter'),
    ]);
    expect(pressed(question, '3', 'return')).toBeUndefined();
    expect(question.lines(80, 24)).toEqual(
      expect.arrayContaining(['? Which? (1 of 6)', '❯◯ B3', ' ◉ A1']),
    );
    expect(pressed(question, 'return')?.value).toEqual(['A1']);
  });

  it('keeps a filter that was used until the next character is typed', () => {
    const question = asked();
    expect(pressed(question, '2', ' ', 'down', ' ', '3', ' ', 'return')?.value).toEqual([
      'A1',
      'A2',
      'A3',
      'B2',
    ]);
    expect(pressed(asked(), 'b', 'ctrl-a', 'b', '1', 'return', 'return')?.value).toEqual([
      'A1',
      'B1',
      'B2',
      'B3',
    ]);
    expect(pressed(asked(), 'b', ' ', 'ctrl-u', 'down', ' ', 'return')?.value).toEqual([
      'A1',
      'A2',
      'B1',
    ]);
    expect(pressed(asked(), 'b', '1', ' ', 'backspace', 'down', ' ', 'return')?.value).toEqual([
      'A1',
      'B1',
      'B2',
    ]);
  });

  it('says how many choices are above and below', () => {
    const question = asked();
    expect(question.lines(80, 6)).toEqual([
      '? Which? (1 of 6)',
      ' ── A',
      '❯◉ A1',
      ' ◯ A2',
      '  ↓ 4 more below',
      expect.anything(),
    ]);
    pressed(question, 'down', 'down', 'down');
    expect(question.lines(80, 6).slice(1, 5)).toEqual([
      '  ↑ 3 more above',
      ' ── B',
      '❯◯ B1',
      '  ↓ 2 more below',
    ]);
    pressed(question, 'end');
    expect(question.lines(80, 6).slice(1, 5)).toEqual([
      '  ↑ 3 more above',
      ' ◯ B1',
      ' ◯ B2',
      '❯◯ B3',
    ]);
  });

  it('echoes a long selection as a count', () => {
    expect(pressed(asked(), 'return')?.echo).toBe('A1');
    expect(pressed(asked(), 'ctrl-a', 'return')?.echo).toBe('6 chosen');
  });

  it('wants at least one', () => {
    const question = asked();
    expect(pressed(question, 'ctrl-a', 'ctrl-a', 'return')).toBeUndefined();
    expect(question.lines(80, 24)).toContain('Choose at least one.');
  });

  it('has no line wider than the terminal, and the marked one always among them', () => {
    for (const columns of [24, 40, 80]) {
      const question = asked();
      for (let i = 0; i < 6; i++) {
        const lines = question.lines(columns, 8);
        expect(lines.filter((line) => line.startsWith('❯'))).toHaveLength(1);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
        pressed(question, 'down');
      }
    }
  });
});
