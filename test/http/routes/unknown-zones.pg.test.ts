import { beforeAll, expect, it } from 'vitest';
import { auditDraft } from '../../../src/core/domain/actors.ts';
import type { Entity } from '../../../src/core/port/entities.ts';
import type { Face } from '../faces.ts';
import { servedPlant } from '../served-plant.ts';

let face: Face;
let secret: string;
beforeAll(async () => {
  const served = await servedPlant();
  ({ face } = served);
  const { domain, actor, chicago } = served.plant;
  // As a newer Node on another machine, or an enemy, would have written it.
  const atlantis: Entity = {
    ...chicago,
    id: 'e-atlantis',
    code: 'ATL',
    timezone: 'Europe/Atlantis',
  };
  await domain.store.entities.insert(atlantis, auditDraft(domain, actor, 'entity.add', 'ATL'));
  await served.plant.import('sensors', atlantis, [
    { id: 'SE-1', code: 'T1', name: 'Oven', is_active: true },
  ]);
  ({ secret } = await served.plant.key({ entity: atlantis }));
});

const get = (path: string) =>
  face.fetch(`/api/v1/${path}`, { headers: { authorization: `Bearer ${secret}` } });

it.each([
  'parts?updated_since=2026-11-20',
  'oee-events?started_at_from=2026-11-20',
  'oee-events?started_at_week=2026-11-20',
  'sensors/SE-1/readings?from=2026-11-20',
  'sensors/SE-1/readings?to=2026-11-20&bucket=1h',
])(
  'a day in a time zone that this Node does not know is refused with the reason: %s',
  async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: 'bad_parameter', detail: expect.stringContaining('"Europe/Atlantis" is unknown') },
    ]);
  },
);

it.each([
  'me',
  'parts?updated_since=2026-11-20T00:00:00Z',
  'jobs?limit=1',
  'sensors/SE-1/readings?from=2026-11-20T00:00:00Z&bucket=1h',
])('all else is answered there: %s', async (path) => {
  expect((await get(path)).status).toBe(200);
});
