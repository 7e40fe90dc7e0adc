import { vi } from 'vitest';

// Every scenario once more, over a store on PostgreSQL. All of test/http does so in `test:all`.
vi.hoisted(() => {
  process.env.HKCTL_TEST_ENGINE = 'postgres';
});

import './scenarios.test.ts';
