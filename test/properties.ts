const { TEST_HKCTL_SEED: seed, TEST_HKCTL_PROPERTY_ROUNDS: rounds } = process.env;

/**
 * The seed of property tests: `npm test` takes a fixed one, so that no run fails by chance. The slow suite has rounds, and
 * takes a random seed unless one is given to repeat a failure.
 */
export const propertySeed: number | undefined =
  seed !== undefined ? Number(seed) : rounds === undefined ? 20_261_127 : undefined;

/** How much of the usual effort `npm test` spends, which tries the same inputs each time; the slow suite tries the rest. */
const quickRounds = 0.4;

/** How often a property is tried, given how often is usual: `npm test` tries it less, the slow suite more. */
export function propertyRuns(usual: number): { numRuns: number } {
  return { numRuns: Math.ceil(usual * Number(rounds ?? quickRounds)) };
}
