import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../../../e2e/client.ts';
import { Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';
import { Terminal } from '../../cli/pty/terminal.ts';

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant.close());

it('a daemon stays at a SIGHUP while its terminal is open, and ends cleanly with the terminal', async () => {
  const terminal = new Terminal(100, 30, plant.env, plant.env.HKCTL_STORE);
  terminal.type('hkctl serve --port 0');
  const url = await until(
    'the daemon serves',
    () => /hkctl serves (http:\S+)/.exec(terminal.screen())?.[1],
  );
  await terminal.until('pid=');
  const pid = Number(/pid=(\d+)/.exec(terminal.screen())?.[1]);

  process.kill(pid, 'SIGHUP');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await call(`${url}/healthz`)).status).toBe(200);

  terminal.close();
  await until('the daemon has ended', () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
  const status = await plant.json<{ daemon: unknown; daemons_ended: unknown[] }>(['status']);
  expect([status.daemon, status.daemons_ended]).toEqual([null, []]);
});
