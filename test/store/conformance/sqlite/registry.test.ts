import { registryConformance } from '../conformance.ts';
import { givenFiles } from './given.ts';

registryConformance(givenFiles());
