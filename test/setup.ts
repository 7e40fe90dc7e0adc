import { afterAll } from 'vitest';
import { endFile } from './ends.ts';

// Vitest runs this file anew for each file of tests, also where modules are loaded once for several of them.
afterAll(endFile);
