import { afterAll, beforeAll, expect, it } from 'vitest';
import { anchorIn } from '../../../src/core/audit/anchors.ts';
import { tamper } from '../../cli/tamper.ts';
import { Plant } from '../../e2e/plant.ts';
import { onServer } from '../../store/postgres/databases.ts';

let plant: Plant;

beforeAll(async () => {
  plant = await Plant.open();
});
afterAll(() => plant.close());

it('the log of a daemon names the head, and finds a trail that was cut off behind its back', async () => {
  await plant.createKey('A', 'operational-core');
  const daemon = await plant.serve({ HKCTL_LOG_LEVEL: 'info' });
  await plant.createKey('B', 'operational-core');
  await plant.createKey('C', 'operational-core');
  await daemon.stop();
  const heads = daemon.log.split('\n').flatMap((line) => anchorIn(line) ?? []);
  expect(heads.map(({ count }) => count)).toEqual([2, 4]);
  const log = plant.write('daemon.log', daemon.log);

  expect((await plant.ok(['audit', 'verify', '--anchors', log])).stdout).toContain(
    'It holds all of 2 heads',
  );
  await cutOff();
  await plant.ok(['audit', 'verify']);
  const { code, stderr } = await plant.hkctl(['audit', 'verify', '--anchors', '-'], {
    input: daemon.log,
  });
  expect([code, stderr]).toEqual([5, expect.stringContaining('from record 4 on')]);
});

/** Removes the records of the trail from the fourth on, as somebody could who may write to the store itself. */
async function cutOff(): Promise<void> {
  if (plant.isOnPostgres) {
    await onServer(
      plant.place,
      'delete from hkctl.audit where seq > 3',
      'update hkctl.audit_head set last_seq = 3',
    );
  } else {
    tamper(
      plant.store,
      "delete from audit where seq > 3; update sqlite_sequence set seq = 3 where name = 'audit'",
    );
  }
}
