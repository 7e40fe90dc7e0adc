import { postgresStore } from '../store/stores.ts';
import { HttpPlant } from './plant.ts';
import { scenarioSuite } from './scenarios/suite.ts';

// Every scenario once more, over a store on PostgreSQL; `*.pg.test.ts` does so in `test:all`.
scenarioSuite(async () => HttpPlant.open(await postgresStore()));
