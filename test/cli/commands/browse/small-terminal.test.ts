import { expect, it } from 'vitest';
import { Cli } from '../../harness.ts';
import { press } from '../../keyboard.ts';

it.each([
  [20, 5],
  [24, 8],
  [60, 11],
])(
  'on a terminal of %i columns and %i rows the chosen key and the question about it are seen',
  async (columns, rows) => {
    const cli = await new Cli().seed();
    const { key } = await cli.key('Gateway');
    const { stdout } = await cli.run('keys', {
      terminal: { columns, rows },
      keys: ['v', { on: 'Cancel', type: press.ctrlC }, { on: 'Cancelled', type: 'q' }],
    });
    // Each row is addressed; one beyond the last would overwrite that.
    const written = stdout
      .split('\u001b[')
      .join('\n')
      .split(/\n(?=\d+;1H)/)
      .map((part) => ({
        row: Number.parseInt(part, 10) || 0,
        text: part.replaceAll(/^.*?2K|\n[\d;]*m/gs, ''),
      }));
    expect(Math.max(...written.map(({ row }) => row))).toBeLessThanOrEqual(rows);
    const seen = written.map(({ text }) => text).join('\n');
    for (const part of [key.prefix, '? Revoke', '❯ Cancel', 'Revoke key'])
      expect(seen).toContain(part);
  },
);
