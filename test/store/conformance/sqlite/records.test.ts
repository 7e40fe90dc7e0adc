import { recordsConformance } from '../conformance.ts';
import { givenFiles } from './given.ts';

recordsConformance(givenFiles());
