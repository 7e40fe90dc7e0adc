import { expect, it } from 'vitest';
import { belowText } from '../../../src/cli/terminal/canvas.ts';
import { silentOutput } from '../silent-output.ts';

it('a question below the text erases the rows of its lines, also those that a narrower terminal has made of them', () => {
  const written: string[] = [];
  let columns = 80;
  const canvas = belowText({
    ...silentOutput({ isTTY: true }),
    columns: () => columns,
    write: (text) => written.push(text),
  });
  canvas.draw(['x'.repeat(40), '', '生'.repeat(20)]);
  canvas.draw(['short']);
  canvas.draw(['y'.repeat(40), 'z']);
  columns = 30;
  canvas.hide();
  canvas.hide();
  const erase = '\u001b[G\u001b[J';
  expect(written).toEqual([
    `${erase}${'x'.repeat(40)}\n\n${'生'.repeat(20)}`,
    `\u001b[2A${erase}short`,
    `${erase}${'y'.repeat(40)}\nz`,
    `\u001b[2A${erase}`,
    erase,
  ]);
});
