import type { Store } from '../../../src/core/port/store.ts';
import type { Plant } from '../stores.ts';

/** Makes a fresh store of the engine under test, with one plant in it. */
export type Given = () => Promise<{ store: Store; plant: Plant }>;
