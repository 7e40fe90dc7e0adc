import { beforeAll, describe, expect, it } from 'vitest';
import { widthOf } from '../../../../src/cli/terminal/wrap.ts';
import { Cli } from '../../harness.ts';

const cli = new Cli();
beforeAll(async () => {
  await cli.seed();
  for (let i = 1; i <= 12; i++) {
    const expires =
      i === 3
        ? ['--expires', '9d']
        : i === 7
          ? ['--expires', '3d']
          : i === 8
            ? ['--expires', '90d']
            : [];
    await cli.key(`Line ${i}`, expires);
    cli.nowMs += 1000;
  }
});

/** The screen after these keys, without its empty rows. */
async function screenAfter(keys: string[], columns = 80, rows = 24): Promise<string[]> {
  const { stdout } = await cli.ok('keys', {
    terminal: { columns, rows },
    env: { NO_COLOR: '1' },
    keys: [...keys, 'q'],
  });
  // What leaves the page erases it; each row is addressed.
  const drawn = stdout.slice(0, stdout.lastIndexOf('\u001b[H\u001b[2K')).split('\u001b[');
  const screen: string[] = [];
  drawn.forEach((part, i) => {
    const row = /^(\d+);1H$/.exec(drawn[i - 1] ?? '')?.[1];
    if (row !== undefined) screen[Number(row) - 1] = part.replace('2K', '').trimEnd();
  });
  return screen.filter((line) => line !== undefined && line !== '');
}

const namesIn = (screen: readonly string[]) =>
  screen.flatMap((line) => /^[❯ ] hk_\w{5} {2}(Line \d+)/.exec(line)?.[1] ?? []);

describe('the list of the settings page', () => {
  it('has a line for each key, the newest first, and the tile of the chosen one', async () => {
    const screen = await screenAfter(['l', 'j']);
    expect(namesIn(screen)).toEqual(
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((i) => `Line ${i}`),
    );
    expect(screen.find((line) => line.startsWith('❯'))).toMatch(
      /^❯ hk_\w{5} {2}Line 11 +BER +Never +Never$/,
    );
    expect(screen.filter((line) => /^[┏┌]/.test(line))).toEqual([
      expect.stringContaining('Line 11'),
    ]);
    expect(screen.join('\n')).toContain('[r] Rotate  [v] Revoke');
    expect(screen.at(-1)).toBe('2 of 12   ↑↓ choose   [l] Tiles   [?] Help   [q] Quit');
    expect((await screenAfter(['l', 'l'])).at(-1)).toContain('[l] List');
  });

  it('is sorted by expiry, last use and name, by the numbers in them; the chosen key stays chosen', async () => {
    const byExpiry = await screenAfter(['l', 's']);
    expect(namesIn(byExpiry).slice(0, 4)).toEqual(['Line 7', 'Line 3', 'Line 8', 'Line 12']);
    expect(byExpiry.find((line) => line.startsWith('❯'))).toContain('Line 12');
    expect(byExpiry.join('\n')).toContain('[s] Sorted: expiry');
    const byName = await screenAfter(['l', 's', 's', 's']);
    expect(namesIn(byName)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((i) => `Line ${i}`),
    );
    expect(namesIn(await screenAfter(['l', 's', 's', 's', 's']))[0]).toBe('Line 12');
  });

  it('can show only what expires within 14 days, also as tiles', async () => {
    const screen = await screenAfter(['l', 'e', 's']);
    expect(namesIn(screen)).toEqual(['Line 7', 'Line 3']);
    expect(screen.join('\n')).toContain('[e] Show all');
    expect((await screenAfter(['e'])).at(-1)).toContain('of 2');
    expect(await screenAfter(['e', '/', '~', '\r'])).toContain('No keys match "~".');
  });

  it.each([
    [40, 16],
    [60, 24],
    [120, 30],
  ])('fits %i columns and %i rows', async (columns, rows) => {
    const screen = await screenAfter(['l', 'k'], columns, rows);
    expect(screen.length).toBeLessThanOrEqual(rows);
    for (const line of screen) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(screen.some((line) => /^❯ hk_\w{5} {2}Line 12/.test(line))).toBe(true);
  });
});
