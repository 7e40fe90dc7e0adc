import { afterAll, beforeAll, expect, it } from 'vitest';
import { postHead, Wire } from '../../../e2e/client.ts';
import { Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant.close());

it('a daemon ends though a client never finishes its request', async () => {
  const { secret } = await plant.createKey('Gateway', 'sensor-gateway');
  const daemon = await plant.serve();
  const stuck = new Wire(daemon.port);
  const head = postHead('/api/v1/sensors/readings', secret, 1000);
  stuck.write(`${head.slice(0, -2)}Expect: 100-continue\r\n\r\n{`);
  await until('the daemon waits for the rest', () => stuck.statuses[0] === 100);
  const outcome = await daemon.stop('SIGTERM', 25_000);
  expect([outcome.code, outcome.signal]).toEqual([0, null]);
  await stuck.closed;
});
