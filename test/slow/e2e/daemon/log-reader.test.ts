import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { call } from '../../../e2e/client.ts';
import { Plant } from '../../../e2e/plant.ts';
import { cli, environment, until } from '../../../e2e/program.ts';

let plant: Plant;
let port: number;
beforeAll(async () => {
  plant = await Plant.open();
  const daemon = await plant.serve();
  port = daemon.port;
  await daemon.stop();
});
afterAll(() => plant.close());

/** Starts a daemon at a port that was free a moment ago. */
function serve(stdio: [stdout: 'pipe' | number, stderr: 'pipe' | number]): ChildProcess {
  const env = environment({ ...plant.env, HKCTL_PORT: String(port) });
  const daemon = spawn(process.execPath, [cli, 'serve'], { env, stdio: ['ignore', ...stdio] });
  onTestFinished(() => void daemon.kill('SIGKILL'));
  return daemon;
}

const isUp = () =>
  call(`http://127.0.0.1:${port}/healthz`)
    .then(() => true)
    .catch(() => false);

async function expectToServeOn(daemon: ChildProcess): Promise<void> {
  await until('the daemon answers', isUp);
  // Each request writes a line, after which an error of its write would arrive.
  for (let n = 0; n < 5; n++) {
    expect(await isUp()).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(daemon.exitCode).toBe(null);
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
  expect([daemon.exitCode, daemon.signalCode]).toEqual([0, null]);
}

it('a daemon serves on when the reader of its log has left after the first line', async () => {
  const daemon = serve(['pipe', 'pipe']);
  if (daemon.stdout) await once(daemon.stdout, 'data');
  daemon.stdout?.destroy();
  daemon.stderr?.destroy();
  await expectToServeOn(daemon);
});

it('a daemon serves although nobody ever reads what it says', async () => {
  const daemon = serve(['pipe', 'pipe']);
  daemon.stdout?.destroy();
  daemon.stderr?.destroy();
  await expectToServeOn(daemon);
});

it.skipIf(!existsSync('/dev/full'))(
  'a daemon serves on when the disk of its log is full',
  async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    await expectToServeOn(serve([full, full]));
  },
);
