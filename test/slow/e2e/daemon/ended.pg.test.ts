import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Plant } from '../../../e2e/plant.ts';
import { until } from '../../../e2e/program.ts';

let plant: Plant;
beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant.close());

const status = async () => {
  const { code, stdout } = await plant.hkctl(['status', '--json']);
  const { attention, daemon, daemons_ended } = JSON.parse(stdout);
  const ended = daemons_ended.map(({ address }: { address: string }) => address);
  return { code, attention, serves: daemon?.address ?? null, ended };
};
const fine = { code: 0, attention: [], ended: [] };
/** PostgreSQL knows by its heartbeats: a daemon has ended after ten seconds without one. */
const untilKnown = (url: string) =>
  until('it is known', async () => (await status()).ended.includes(url));

it('a daemon that was killed needs attention until one serves again', async () => {
  expect(await status()).toMatchObject({ ...fine, serves: null });
  const first = await plant.serve();
  expect(await status()).toMatchObject({ ...fine, serves: first.url });
  expect((await first.stop()).code).toBe(0);
  expect(await status()).toMatchObject({ ...fine, serves: null });

  const killed = await plant.serve();
  await killed.kill9();
  await untilKnown(killed.url);
  const ended = { code: 5, attention: ['daemon_ended'], serves: null, ended: [killed.url] };
  expect(await status()).toMatchObject(ended);
  const quiet = await plant.hkctl(['status', '--quiet']);
  expect([quiet.code, quiet.stdout]).toEqual([
    5,
    expect.stringContaining('ended without a clean stop'),
  ]);
  expect((await plant.hkctl(['doctor'])).stdout).toContain('ended without a clean stop');

  // One that cannot start takes nobody's place.
  expect(
    (await plant.hkctl(['serve', '--port', '0', '--tls-cert', '/nowhere', '--tls-key', '/nowhere']))
      .code,
  ).not.toBe(0);
  expect(await status()).toMatchObject(ended);

  const next = await plant.serve();
  expect(await status()).toMatchObject({ ...fine, serves: next.url });
  expect((await next.stop()).code).toBe(0);
  expect(await status()).toMatchObject({ ...fine, serves: null });
});

it('of two daemons the one that was killed is named, until it serves again', async () => {
  // The system gives no other program a port below 32768 meanwhile.
  const port = ['--port', String(randomInt(20_000, 30_000))];
  const [one, other] = [await plant.serve({}, port), await plant.serve()];
  expect(await status()).toMatchObject(fine);
  await one.kill9();
  await untilKnown(one.url);
  expect(await status()).toMatchObject({
    code: 5,
    attention: ['daemon_ended'],
    serves: other.url,
    ended: [one.url],
  });
  const again = await plant.serve({}, port);
  expect(await status()).toMatchObject(fine);
  for (const daemon of [again, other]) expect((await daemon.stop()).code).toBe(0);
  expect(await status()).toMatchObject({ ...fine, serves: null });
});
