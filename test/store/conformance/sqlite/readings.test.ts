import { readingsConformance } from '../conformance.ts';
import { givenFiles } from './given.ts';

readingsConformance(givenFiles());
