import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { propertyRuns } from '../../properties.ts';
import { Journey } from '../../store/journeys/journey.ts';
import { longMove, stepsOver } from '../../store/journeys/steps.ts';
import { newDatabase } from '../../store/postgres/databases.ts';

/** Takes a journey over two paths and, if wanted, two databases, all of which are empty at first. */
async function take(steps: Parameters<Journey['run']>[0], databases: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-journey-'));
  try {
    const addresses = await Promise.all(Array.from({ length: databases }, () => newDatabase()));
    await new Journey(
      [join(folder, 'a', 'one.db'), join(folder, 'b', 'two.db'), ...addresses],
      folder,
    ).run(steps);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** With processes that are killed: test/slow/store/journeys.test.ts. */
describe('backups that move between stores, while those change', () => {
  it('lose nothing on the way from file to file', async () => {
    const steps = stepsOver(2, { minLength: 8, maxLength: 16 });
    const examples: [ReturnType<typeof longMove>][] = [[longMove(0, 1)], [longMove(0, 0)]];
    await fc.assert(
      fc.asyncProperty(steps, (given) => take(given, 0)),
      { ...propertyRuns(6), examples },
    );
  });

  it('lose nothing on the way between the engines', async () => {
    const steps = stepsOver(4, { minLength: 6, maxLength: 12 });
    const toDatabaseAndBack = [...longMove(0, 2), ...longMove(2, 1), ...longMove(1, 3)];
    await fc.assert(
      fc.asyncProperty(steps, (given) => take(given, 2)),
      { ...propertyRuns(3), examples: [[toDatabaseAndBack]] },
    );
  });
});
