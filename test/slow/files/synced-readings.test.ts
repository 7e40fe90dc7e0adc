import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keptAlive } from '../../e2e/client.ts';
import { createReadings, sensors } from '../../e2e/durability/sent-readings.ts';
import { Plant } from '../../e2e/plant.ts';
import { needStrace } from '../machine/needs.ts';

needStrace();

let plant: Plant;
beforeEach(async () => {
  plant = await Plant.open();
});
afterEach(() => plant.close());

// A database syncs its log in a process of its own.
it('what was answered is synced before it is answered', async () => {
  await plant.importSensors(sensors);
  const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
  const daemon = await plant.serve();
  const trace = plant.path('trace');
  const tracer = plant.attach('strace', [
    '-f',
    '-y',
    '-e',
    'trace=fsync,fdatasync,write,writev',
    '-o',
    trace,
    '-p',
    String(daemon.child.pid),
  ]);
  await tracer.says(/attached/);
  const agent = keptAlive();
  const api = daemon.api(secret, { agent });
  for (let index = 0; index < 5; index++) {
    const body = { readings: createReadings('LINE-0', index * 10, 10) };
    expect((await api.POST('/api/v1/sensors/readings', { body })).response.status).toBe(200);
  }
  agent.destroy();
  await tracer.stop('SIGINT');
  // In the order of the kernel: S for a sync of the readings' log, A for an answer to the socket.
  const order = readFileSync(trace, 'utf8')
    .split('\n')
    .map((line) => {
      if (/f(data)?sync\(\d+<[^>]*readings\.db-wal>/.test(line)) return 'S';
      return /writev?\(\d+<(socket|TCP)[^>]*>.*HTTP\/1\.1 200/.test(line) ? 'A' : '';
    })
    .join('');
  expect(order.replaceAll(/S+/g, 'S')).toMatch(/^(SA){5}S?$/);
});
