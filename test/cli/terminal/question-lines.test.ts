import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../harness.ts';

describe('a question that is longer than a line', () => {
  const cli = new Cli();
  let prefix = '';
  beforeAll(async () => {
    await cli.seed();
    prefix = (await cli.key('Oven gateway')).key.prefix;
  });
  const asked = async (line: string, columns: number, on: string) => {
    const keys = [{ on, type: '\u001b' }];
    const { code, stderr } = await cli.run(line, { terminal: { columns, rows: 24 }, keys });
    expect(code).toBe(130);
    const lines = stripVTControlCharacters(stderr).split(/\r?\n/);
    return lines.slice(lines.findIndex((text) => text.startsWith('? ')));
  };

  it('begins a line with each sentence', async () => {
    expect((await asked(`keys rotate ${prefix}`, 80, 'Cancel')).slice(0, 5)).toEqual([
      `? Rotate API key: Oven gateway (${prefix}).`,
      'The old key stops at once.',
      'The new secret is shown once.',
      '❯ Cancel',
      '  Rotate key',
    ]);
    expect((await asked('entities remove BER', 80, 'Type BER')).slice(0, 4)).toEqual([
      '? Remove entity BER with all its records, sensors and readings?',
      'No restore brings them back.',
      `One active key will stop working at once: Oven gateway (${prefix}).`,
      expect.stringMatching(/^Type BER to confirm, or nothing to cancel/),
    ]);
  });

  it('breaks a longer sentence between words only', async () => {
    const lines = await asked('entities remove BER', 40, 'Type BER');
    expect(lines.slice(0, 4)).toEqual([
      '? Remove entity BER with all its',
      'records, sensors and readings?',
      'No restore brings them back.',
      'One active key will stop working at',
    ]);
  });

  it('has the colours of everything else, and says how to cancel', async () => {
    const keys = [{ on: 'Cancel', type: '\u001b' }];
    const options = { terminal: { columns: 80, rows: 24 }, keys };
    const coloured = await cli.run(`keys rotate ${prefix}`, {
      ...options,
      env: { FORCE_COLOR: '2' },
    });
    expect(coloured.stderr).toContain('\u001b[38;5;31m❯ Cancel\u001b[39m');
    expect(coloured.stderr).toContain('↑↓ choose, Enter submits, Esc cancels');
    const plain = await cli.run(`keys rotate ${prefix}`, { ...options, env: { NO_COLOR: '1' } });
    expect(plain.stderr).toContain('❯ Cancel');
    expect(plain.stderr).not.toContain('38;5');
  });

  it('stays on one line where it fits', async () => {
    expect((await asked(`keys rotate ${prefix}`, 110, 'Cancel'))[0]).toBe(
      `? Rotate API key: Oven gateway (${prefix}). The old key stops at once. The new secret is shown once.`,
    );
  });
});
