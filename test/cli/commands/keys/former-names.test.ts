import { expect, it } from 'vitest';
import { Cli } from '../../harness.ts';

it('a name that only inactive keys have is said to be so, and no working neighbour is offered', async () => {
  const cli = await new Cli().seed();
  const { key } = await cli.key('Oven 1');
  await cli.key('Oven 2');
  await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
  for (const line of [
    ['keys', 'show', 'Oven 1'],
    ['keys', 'rotate', 'Oven 1', '--yes'],
    ['keys', 'revoke', 'Oven 1', '--yes'],
    ['keys', 'revoke', 'Oven 2', 'Oven 1', '--yes'],
    ['keys', 'note', 'Oven 1', 'text'],
  ]) {
    const { code, stderr } = await cli.run(line);
    expect(code, line.join(' ')).toBe(5);
    expect(stderr).toContain(
      `No active key has the name "Oven 1": ${key.prefix} is no longer active.`,
    );
    expect(stderr).not.toContain('Did you mean');
  }
  expect((await cli.show('Oven 2')).status).toBe('Active');
});
