import { afterEach, describe, expect, it } from 'vitest';
import { addKeys, seededStore } from './pty/seed.ts';
import { settled, Terminal } from './pty/terminal.ts';

let terminal: Terminal;
afterEach(() => terminal?.close());

describe('on a terminal', () => {
  it('keys finds its way in 5,000 keys, and follows the size of the terminal', async () => {
    const cli = await seededStore();
    await addKeys(
      cli,
      Array.from({ length: 5000 }, (_, i) => `Line ${String(i).padStart(4, '0')}`),
    );
    terminal = new Terminal(80, 24, { HKCTL_BASE_URL: 'https://api.example.com' }, cli.store);
    await terminal.until(/^\$$/);
    terminal.type('hkctl keys');
    expect(await terminal.until('1 of 5000')).toContain('Line 4999');
    terminal.press('End');
    expect(await terminal.until('5000 of 5000')).toContain('Line 0000');
    terminal.press('PageUp');
    await terminal.until('4996 of 5000');
    terminal.press('/');
    terminal.write('Line 2500');
    await expect(`${settled(await terminal.until('1 of 1'))}\n`).toMatchFileSnapshot(
      '../../golden/screens/keys-search.txt',
    );
    terminal.press('Enter', 'Escape');
    // The found key stays chosen.
    await terminal.until('2500 of 5000');
    terminal.resize(60, 30);
    const narrow = await terminal.until(/┏━.{56}━┓/);
    expect(narrow).toContain('2500 of 5000');
  }, 60_000);
});
