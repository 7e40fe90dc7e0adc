import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Small files that take long: they have many rounds, their tests are in other files, or they wait for a limit of time. */
const longest = [
  'store/conformance/postgres',
  'store/conformance/sqlite',
  'http/postgres',
  'http/scenarios',
  'store/journeys/journeys',
  'slow/postgres/outages/silent-connections',
  'slow/postgres/outages/outages',
  'slow/postgres/outages/lost-answers',
  'slow/store/restore-races',
  'slow/store/migration',
  'slow/store/readings/killed',
  'slow/store/journeys',
  'slow/store/postgres/connection/hanging',
  'slow/postgres/revocation',
  'slow/http/soak',
  'slow/e2e/postgres',
  'slow/e2e/anchors',
  'slow/e2e/start',
  'slow/e2e/keys/last-use',
  'slow/e2e/keys/revocation',
  'slow/e2e/daemon/ended',
  'slow/e2e/backup/while-serving',
  'slow/e2e/retention',
  'slow/e2e/daemon/signals',
].map((name) => `/test/${name}.test.ts`);

/**
 * Vitest begins with the largest files, as long as it knows no times of an earlier run. Small ones that take long would come
 * last, with nothing beside them that keeps the other core busy, and so they come first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // A project stays together: a worker serves the next file only where that is of the same one.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return longest.some((end) => moduleId.endsWith(end));
}
