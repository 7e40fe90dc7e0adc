import fc from 'fast-check';
import { afterAll } from 'vitest';
import { endFile } from './ends.ts';
import { propertyRuns, propertySeed } from './properties.ts';

// A failure names its seed and path; TEST_HKCTL_SEED repeats it.
fc.configureGlobal({
  // fast-check itself tries a hundred times.
  ...propertyRuns(100),
  ...(propertySeed !== undefined && { seed: propertySeed }),
});

// Vitest runs this file anew for each file of tests, also where modules are loaded once for several of them.
afterAll(endFile);
