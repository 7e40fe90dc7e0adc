import { beforeAll, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';

const cli = new Cli();
beforeAll(() => cli.seed());

it('a question is cancelled by Ctrl-C behind much that was pasted by mistake', async () => {
  const keys = [{ on: 'Name', type: `${'x'.repeat(50_000)}\u0003` }];
  const { code } = await cli.run('keys create', { terminal: { columns: 80, rows: 24 }, keys });
  expect(code).toBe(130);
});
