import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getText, postHead, readReadings, Wire } from '../../../e2e/client.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import { pause, until } from '../../../e2e/program.ts';

// Side by side, since most of them wait; each has daemons of its own.
describe.concurrent('the life of a daemon', () => {
  let plant: Plant;
  let gateway: string;
  let reader: string;

  beforeAll(async () => {
    plant = await Plant.open();
    await plant.importSensors([{ id: 'S-1', code: 'OVEN', name: 'Oven', unit: 'Cel' }]);
    gateway = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
    reader = (await plant.createKey('Reader', 'operational-core')).secret;
  });
  afterAll(() => plant.close());

  for (const [signal, second] of [
    ['SIGTERM', '01'],
    ['SIGINT', '02'],
  ] as const) {
    it(`${signal} answers what is under way, takes nothing new, and ends with 0`, async () => {
      const daemon = await plant.serve();
      const { port } = daemon;
      const at = `2026-11-20T08:15:${second}.000001Z`;
      const body = JSON.stringify({ readings: [{ sensor: 'OVEN', at, value: 180.5 }] });
      const slow = new Wire(port);
      slow.write(postHead('/api/v1/sensors/readings', gateway, body.length) + body.slice(0, 20));
      // A connection that is kept alive and has nothing to say must not hold it up.
      const idle = new Wire(port);
      idle.write(getText('/api/v1/me', reader));
      await until('the idle one was answered', () => idle.statuses[0] === 200);
      // The head of the slow one is with the daemon by now: it was sent before.
      daemon.child.kill(signal);

      await until('new connections are refused', () => isRefused(port));
      expect(daemon.hasEnded).toBe(false);
      await idle.closed;
      slow.write(body.slice(20));
      await slow.closed;
      expect(slow.statuses).toEqual([200]);
      expect(slow.received).toContain('{"accepted":1,"duplicates":0,"rejected":[]}');
      expect(slow.received.toLowerCase()).toContain('connection: close');
      const { code, signal: by } = await daemon.ended;
      expect([code, by]).toEqual([0, null]);

      const next = await plant.serve();
      const kept = await readReadings(next.url, reader, 'S-1', 100);
      expect(kept).toContainEqual({ at, value: 180.5 });
      await next.stop();
    });
  }

  it('a second SIGINT ends it at once, with 130; one that comes twice is one', async () => {
    const daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'info' });
    const stuck = new Wire(daemon.port);
    const head = postHead('/api/v1/sensors/readings', gateway, 1000);
    stuck.write(`${head.slice(0, -2)}Expect: 100-continue\r\n\r\n{`);
    await until('the daemon waits for the rest', () => stuck.statuses[0] === 100);
    // npm passes a Ctrl-C on to processes that have it from the terminal already.
    daemon.child.kill('SIGINT');
    daemon.child.kill('SIGINT');
    await until('it stops', () => isRefused(daemon.port));
    await pause(500);
    expect(daemon.hasEnded).toBe(false);
    const askedAt = Date.now();
    const outcome = await daemon.stop('SIGINT');
    expect([outcome.code, outcome.signal]).toEqual([130, null]);
    expect(Date.now() - askedAt).toBeLessThan(5_000);
    expect(daemon.log).toContain('"msg":"stopping"');
    await stuck.closed;
    // What it left behind is in nobody's way.
    expect((await (await plant.serve()).stop()).code).toBe(0);
  });

  it.sequential('says so where its port is taken, and takes no other', async () => {
    const daemon = await plant.serve();
    const second = await plant.hkctl(['serve', '--port', String(daemon.port)]);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(String(daemon.port));
    expect(second.stderr).toMatch(/another program has that port/);
    expect(second.stderr).not.toContain('hkctl serves');
    expect(second.stderr).not.toMatch(/^\s+at /m);
    expect(await daemon.statusOf(reader)).toBe(200);
    // The failed one has not spoiled what the running one has noted.
    const shown = await plant.ok(
      'keys create --name Noted --entity BER --preset sensor-gateway'.split(' '),
    );
    expect(shown.code).toBe(0);
    await daemon.stop();
  });

  it('two daemons on one store answer side by side; a revoke holds for both', async () => {
    const daemons = [await plant.serve(), await plant.serve()];
    expect(new Set(daemons.map(({ port }) => port)).size).toBe(2);
    const { key, secret } = await plant.createKey('Both', 'sensor-gateway');
    const post = (daemon: Daemon, micro: number) =>
      daemon.api(secret).POST('/api/v1/sensors/readings', {
        body: {
          readings: [{ sensor: 'OVEN', at: `2026-11-20T09:00:00.00000${micro}Z`, value: micro }],
        },
      });
    for (const [index, daemon] of daemons.entries()) {
      expect((await post(daemon, index)).data).toMatchObject({ accepted: 1 });
      expect((await post(daemon, 9)).data).toMatchObject({
        accepted: 1 - index,
        duplicates: index,
      });
    }
    await plant.ok(['keys', 'revoke', key.id, '--yes']);
    for (const daemon of daemons) expect(await daemon.statusOf(secret)).toBe(401);
    for (const daemon of daemons) expect((await daemon.stop()).code).toBe(0);
  });

  it.sequential('starts again at once on the port it had, also after kill -9', async () => {
    const first = await plant.serve();
    const port = String(first.port);
    const open = new Wire(first.port);
    open.write(getText('/api/v1/me', reader));
    await until('it answers', () => open.statuses[0] === 200);
    await first.kill9();
    const second = await plant.serve({}, ['--port', port]);
    expect(String(second.port)).toBe(port);
    expect((await second.stop()).code).toBe(0);
    const third = await plant.serve({ HKCTL_PORT: port });
    expect(String(third.port)).toBe(port);
    expect(await third.statusOf(reader)).toBe(200);
    expect((await third.stop()).code).toBe(0);
    open.end();
  });

  it('is not begun on a store that is absent', async () => {
    const outcome = await plant.hkctl([
      'serve',
      '--port',
      '0',
      '--store',
      plant.path('nowhere/hkctl.db'),
    ]);
    expect(outcome.code).toBe(6);
    expect(outcome.stderr).toMatch(/Make one with: hkctl --store \S+ init\./);
  });
});

/** Whether a new connection is refused. */
function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}
