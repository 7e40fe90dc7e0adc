import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { pause, type Running, until } from '../../../e2e/program.ts';

/** Node's debugger on any free port, so that tests side by side do not take it from each other. */
const anyPort = { NODE_OPTIONS: '--inspect-port=0' };
const listening = /Debugger listening on ws:\/\/127\.0\.0\.1:(\d+)/;

/** Whether a process catches a signal by now, by whatever of it; signal 10 is SIGUSR1 on Linux. */
function catches(running: Running, signal: number): boolean {
  const status = `/proc/${running.child.pid}/status`;
  const caught = existsSync(status)
    ? /^SigCgt:\s*(\w+)$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : undefined;
  return caught !== undefined && ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

describe.concurrent('SIGUSR1, as log rotation sends it', () => {
  let plant: Plant;
  let secret: string;
  beforeAll(async () => {
    plant = await Plant.open();
    ({ secret } = await plant.createKey('Reader', 'operational-core'));
  });
  afterAll(() => plant.close());

  it('opens no debugger of the daemon, which goes on', async () => {
    const daemon = await plant.serve(anyPort);
    for (let round = 0; round < 3; round++) {
      daemon.child.kill('SIGUSR1');
      await pause(50);
      expect(await daemon.statusOf(secret)).toBe(200);
    }
    const { code, stdout, stderr } = await daemon.stop('SIGTERM');
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('Debugger')]);
  });

  it('opens no debugger of a command that waits for its input, which goes on', async () => {
    const verify = plant.start(['keys', 'verify'], anyPort);
    // The first listener is Node's own; that of the script is there once it waits for its input.
    await until('it reads its input', () => catches(verify, 10) && isWaiting(verify));
    verify.child.kill('SIGUSR1');
    await pause(100);
    verify.child.stdin?.end(secret);
    const { code, stdout, stderr } = await verify.ended;
    expect([code, stdout + stderr]).toEqual([0, expect.not.stringContaining('Debugger')]);
  });

  it('in the first milliseconds of a daemon (Linux: /proc shows when it is caught): what Node opened is closed again', async () => {
    let opened: string | undefined;
    for (let round = 0; round < 20 && opened === undefined; round++) {
      const daemon = plant.start(['serve'], { ...anyPort, HKCTL_PORT: '0' });
      while (!catches(daemon, 10) && !daemon.hasEnded)
        await new Promise((resolve) => setImmediate(resolve));
      daemon.child.kill('SIGUSR1');
      await daemon.says(/hkctl serves/);
      opened = listening.exec(daemon.stderr)?.[1];
      if (opened !== undefined) expect(await isOpen(Number(opened))).toBe(false);
      expect((await daemon.stop('SIGTERM')).code).toBe(0);
    }
    expect(opened).toBeDefined();
  });

  it('leaves alone a debugger that was asked for', async () => {
    const daemon = await plant.serve({ NODE_OPTIONS: '--inspect=127.0.0.1:0' });
    const port = Number(listening.exec(daemon.stderr)?.[1]);
    expect(await isOpen(port)).toBe(true);
    await daemon.stop('SIGKILL');
  });
});

/** Whether the main thread of a process has been doing nothing for a while, as it does where it waits for its input. */
async function isWaiting(running: Running): Promise<boolean> {
  const used = () =>
    readFileSync(`/proc/${running.child.pid}/stat`, 'utf8').split(' ').slice(13, 15).join();
  const before = used();
  await pause(300);
  return used() === before;
}
