import { expect, it } from 'vitest';
import { createLog } from '../../../src/http/monitoring/log.ts';
import { createCertificateWatch } from '../../../src/http/tasks/certificate.ts';
import { HttpPlant } from '../plant.ts';

it('a certificate that ends soon is a warning when it is loaded, and is recorded; its successor ends that', async () => {
  const plant = await HttpPlant.open();
  const { domain, nowMs } = plant;
  const { daemon } = domain.store;
  await daemon.recordAddress('https://api.example.invalid', process.pid, '1.2.3');
  const lines: string[] = [];
  const watch = createCertificateWatch(
    domain,
    createLog('info', { write: (line) => lines.push(line) }),
  );
  const recorded = async () => {
    const [record] = await daemon.recorded();
    return [record?.certificateFromMs, record?.certificateUntilMs];
  };

  await watch.run();
  expect([lines, await recorded()]).toEqual([[], [null, null]]);
  watch.loaded({ fromMs: nowMs - 9, untilMs: nowMs - 1 });
  await watch.run();
  await watch.run();
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
    expect.stringMatching(/^THE CERTIFICATE expired at /),
  ]);
  expect(await recorded()).toEqual([nowMs - 9, nowMs - 1]);

  const year = { fromMs: nowMs, untilMs: nowMs + 365 * 86_400_000 };
  watch.loaded(year);
  await watch.run();
  expect(await recorded()).toEqual([year.fromMs, year.untilMs]);
  expect([lines.length, watch.validity()]).toEqual([1, year]);
  await daemon.clearAddress(process.pid);
});
