import { vi } from 'vitest';

// Every scenario and every read of readings once more, over a store on PostgreSQL. All of test/http does so in `test:all`.
vi.hoisted(() => {
  process.env.HKCTL_TEST_ENGINE = 'postgres';
});

import './routes/readings.test.ts';
import './scenarios.test.ts';
