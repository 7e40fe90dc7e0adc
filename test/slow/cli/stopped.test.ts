import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cli } from '../../cli/harness.ts';
import { addKeys, seededStore } from './pty/seed.ts';
import { Terminal } from './pty/terminal.ts';

/** A kind of question: the command that asks it, keys that lead to it, and an answer with what it shows. */
interface Kind {
  line: string;
  before?: readonly (readonly [shown: string, key: string])[];
  question: string | RegExp;
  /** Typed before the process is stopped, and what shows it. */
  typed?: readonly [text: string, shown: string | RegExp];
  keys: readonly string[];
  shows: string | RegExp;
}

const create = 'hkctl keys create --entity BER';
const kinds: Record<string, Kind> = {
  'a text': {
    line: create,
    question: '? Name',
    typed: ['Ov', '? Name Ov'],
    keys: ['en', 'Enter'],
    shows: '✔ Name Oven',
  },
  'a secret': {
    line: 'hkctl keys verify',
    question: '? Secret',
    typed: ['hk_', ''],
    keys: ['x', 'Enter'],
    shows: 'error:',
  },
  'a list': {
    line: 'hkctl keys revoke "Line 3"',
    question: '❯ Cancel',
    keys: ['Down'],
    shows: '❯ Revoke key',
  },
  'a list with a filter': {
    line: 'hkctl keys show',
    question: '? Which key?',
    typed: ['Line ', '? Which key? Line'],
    keys: ['7'],
    shows: /Which key\? Line 7\n❯ hk_\w{5} {2}BER {2}Line 7/,
  },
  'a list of several': {
    line: `${create} --name Oven`,
    before: [['Permissions', 'Enter']],
    question: '? Custom selection',
    keys: ['Down', 'Space'],
    shows: /❯◉/,
  },
  'numbered lines': {
    line: 'hkctl keys --plain',
    question: 'Number, 1 to',
    keys: ['99', 'Enter'],
    shows: 'Give a number from 1',
  },
  'a line of a terminal without a cursor': {
    line: `TERM=dumb ${create}`,
    question: '? Name',
    typed: ['Ov', '? Name Ov'],
    keys: ['en', 'Enter'],
    shows: '? Name Oven',
  },
  'the page': { line: 'hkctl keys', question: 'Create key', keys: ['/'], shows: 'Search' },
  'a question of the page': {
    line: 'hkctl keys',
    before: [['Create key', 'c']],
    question: '? Name',
    typed: ['Ov', '? Name: Ov'],
    keys: ['en', 'Enter'],
    shows: '✔ Name: Oven',
  },
};

let cli: Cli;
let terminal: Terminal;
beforeAll(async () => {
  cli = await seededStore();
  await addKeys(
    cli,
    Array.from({ length: 14 }, (_, index) => `Line ${index}`),
  );
});
afterEach(() => terminal.close());

describe('stopped by Ctrl-Z and continued', () => {
  for (const [name, kind] of Object.entries(kinds)) {
    it(`${name} is drawn again and takes keys`, async () => {
      terminal = new Terminal(100, 40, {}, cli.store);
      terminal.type(kind.line);
      for (const [shown, key] of kind.before ?? []) {
        await terminal.until(shown);
        terminal.press(key);
      }
      await terminal.until(kind.question);
      const [typedText = '', typedShown = ''] = kind.typed ?? [];
      if (typedText !== '') {
        terminal.write(typedText);
        await terminal.until(typedShown);
      }

      for (let round = 0; round < 2; round++) {
        terminal.press('C-z');
        await terminal.until('Stopped');
        terminal.type('clear; stty -a | grep -wo -e icanon -e -icanon; echo is$((1 + 1))');
        expect(await terminal.until('is2')).toMatch(/^icanon$/m);
        terminal.type('clear; fg');
        const drawn = await terminal.until(kind.question);
        if (typedShown !== '') expect(drawn).toContain(typedShown);
      }

      terminal.press(...kind.keys);
      await terminal.until(kind.shows);
    });
  }

  it('a question that was stopped by SIGSTOP is drawn again, too', async () => {
    terminal = new Terminal(100, 40, {}, cli.store);
    terminal.type(create);
    await terminal.until('? Name');
    terminal.write('Ov');
    await terminal.until('? Name Ov');
    terminal.signal('STOP');
    await terminal.until('Stopped');
    terminal.type('clear; fg');
    await terminal.until('? Name Ov');
    terminal.press('en', 'Enter');
    await terminal.until('✔ Name Oven');
  });
});
