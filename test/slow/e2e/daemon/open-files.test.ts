import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { cli, Running } from '../../../e2e/program.ts';
import { runProgram } from '../../../run-program.ts';

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant.close());

/** The arguments of `sh` that run hkctl with a limit of open files. */
const limited = (limit: number, ...args: string[]) => [
  '-c',
  `ulimit -n ${limit}; exec "$@"`,
  'sh',
  process.execPath,
  cli,
  ...args,
];

it('a limit of open files that is too small is named, with the number that is needed', () => {
  for (const [limit, needed, ...args] of [
    [40, 64, 'keys', 'list'],
    [100, 128, 'serve', '--port', '0'],
  ] as const) {
    const { code, stderr } = runProgram('sh', limited(limit, ...args), { env: plant.env });
    expect(stderr).toContain(`may open ${limit}, and needs ${needed}.`);
    expect(code).toBe(6);
  }
});

it('more idle connections than open files leave keys their answers, and a line in the log', async () => {
  const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
  const daemon = new Running('sh', limited(200, 'serve', '--port', '0'), { env: plant.env });
  const sockets: Socket[] = [];
  try {
    const [, url = ''] = await daemon.says(/serves (http:\S+)/);
    const port = Number(new URL(url).port);
    for (let count = 0; count < 300; count++)
      sockets.push(connect({ port, host: '127.0.0.1' }).on('error', () => {}));
    await daemon.says(/too many connections/);
    const headers = { authorization: `Bearer ${secret}` };
    expect((await fetch(`${url}/api/v1/me`, { headers })).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await daemon.stop();
  }
});
