import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startProgram } from '../../run-program.ts';
import { until } from '../../store/postgres/opened.ts';
import { startServer } from '../../store/postgres/server.ts';

it('a server of tests ends with the process that it is for, and its files are removed', async () => {
  const owner = startProgram('sleep', ['60'], {});
  const server = await startServer([], { owner: owner.pid ?? 0 });
  owner.kill('SIGKILL');
  expect(
    await until(
      async () => existsSync(server.folder),
      (isThere) => !isThere,
    ),
  ).toBe(false);
  expect(() => process.kill(server.pid ?? 0, 0)).toThrow('ESRCH');
});
