import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../../../e2e/client.ts';
import { Plant } from '../../../e2e/plant.ts';
import { cli, type Running, until } from '../../../e2e/program.ts';
import { needPrograms } from '../../machine/needs.ts';

needPrograms('python3', 'systemd-notify');
const manager = join(__dirname, 'service-manager.py');

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(async () => {
  await plant.close();
});

/** Starts the daemon as systemd would, with a socket of its own and a socket for messages. */
async function start(
  env: Record<string, string> = {},
): Promise<{ running: Running; url: string; pid: () => string }> {
  const running = plant.attach(
    'python3',
    [manager, plant.folder, process.execPath, cli, 'serve'],
    env,
  );
  const port = (await running.says(/^port (\d+)$/m))[1];
  await running.says(/^notified READY=1$/m);
  const pid = () => [...running.stdout.matchAll(/^started (\d+)$/gm)].at(-1)?.[1] ?? '';
  return { running, url: `http://127.0.0.1:${port}`, pid };
}

describe('under a service manager', () => {
  it('the daemon reports that it serves, gives signs of life, and reports its end', async () => {
    const { running, url, pid } = await start({ WATCHDOG_USEC: '600000' });
    expect((await call(`${url}/readyz`)).status).toBe(200);
    await running.says(new RegExp(`^notified MAINPID=${pid()}$`, 'm'));
    await running.says(new RegExp(`^notified STATUS=Serving ${url}$`, 'm'));
    await until(
      'three signs of life',
      () => running.stdout.split('notified WATCHDOG=1\n').length > 3,
    );
    running.child.kill('SIGTERM');
    await running.ended;
    expect(running.stdout).toContain('\nnotified STOPPING=1\n');
    expect(running.stdout).toContain('\nended 0\n');
  });

  it('a daemon that hangs gives no sign of life', async () => {
    const { running, pid } = await start({ WATCHDOG_USEC: '300000' });
    await running.says(/^notified WATCHDOG=1$/m);
    process.kill(Number(pid()), 'SIGSTOP');
    // A message may be under way.
    await until('silence', async () => {
      const before = running.stdout.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
      return running.stdout.length === before;
    });
    process.kill(Number(pid()), 'SIGCONT');
  });

  it('restarts refuse no connection and fail no request', async () => {
    const { running, url } = await start();
    const { secret } = await plant.createKey('A', 'operational-core');
    let isDone = false;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (!isDone) statuses.push((await call(`${url}/api/v1/me`, { secret })).status);
    });
    for (let restarts = 1; restarts <= 3; restarts++) {
      const before = statuses.length;
      await until('requests before the restart', () => statuses.length > before + 20);
      running.child.kill('SIGHUP');
      await until(
        'the next daemon',
        () => running.stdout.split('notified READY=1\n').length > restarts + 1,
      );
    }
    isDone = true;
    await Promise.all(load);
    expect(statuses.length).toBeGreaterThan(60);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(running.stdout.split('\nended 0\n')).toHaveLength(4);
  });

  it('variables for another process, and a descriptor that is no socket, are not taken for a socket', async () => {
    const daemon = await plant.serve({ LISTEN_FDS: '1', LISTEN_PID: '1' });
    expect((await call(`${daemon.url}/healthz`)).status).toBe(200);
    const wrong = (fds: string) =>
      plant.attach('sh', [
        '-c',
        `LISTEN_FDS=${fds} LISTEN_PID=$$ exec "$0" "$1" serve 3</dev/null`,
        process.execPath,
        cli,
      ]);
    const [none, several] = [await wrong('1').ended, await wrong('2').ended];
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is no TCP socket')]);
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining('systemd passes 2 sockets'),
    ]);
  });
});
