import { HttpPlant } from './plant.ts';
import { scenarioSuite } from './scenarios/suite.ts';

scenarioSuite(() => HttpPlant.open());
