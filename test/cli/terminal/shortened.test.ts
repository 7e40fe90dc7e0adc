import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortened, widthOf } from '../../../src/cli/terminal/wrap.ts';
import { Cli } from '../harness.ts';

it.each([
  ['Gateway line 17', 15, 'Gateway line 17'],
  ['Gateway line 17', 12, 'Gateway l…17'],
  ['Gateway (17)', 10, 'Gatewa…17)'],
  ['Gateway line', 9, 'Gateway …'],
  ['Gateway 1234567890', 12, 'Gatew…567890'],
  ['Line 123456', 8, 'Line 12…'],
])('a name keeps the number at its end: %s in %i columns is %s', (name, width, text) => {
  expect(shortened(name, width)).toBe(text);
});

it('is never wider than it may be', () => {
  const names = fc.string({ unit: fc.constantFrom('a', '7', ' ', '台', ')') });
  fc.assert(
    fc.property(names, fc.integer({ min: 1, max: 30 }), (name, width) => {
      expect(widthOf(shortened(name, width))).toBeLessThanOrEqual(Math.max(width, 1));
    }),
  );
});

it('in a table, and sentences break between words', async () => {
  const cli = await new Cli().seed();
  await cli.key('Gateway of the assembly line in hall 17');
  const terminal = { columns: 60, rows: 24 };
  expect((await cli.ok('keys list', { terminal })).stdout).toMatch(/Gateway of.*…17 /);
  const input = 'id,name,part_number,is_active\n1,Bolt,B-1,true\n';
  const { stdout } = await cli.ok('import parts - --entity BER --dry-run', {
    input,
    terminal: undefined,
  });
  expect(stdout).toBe(
    'Nothing was changed. This would be: 1 inserted, 0 updated, 0 removed, 0 unchanged\n',
  );
});
