import type { SteadyTime } from '../port/clock.ts';
import type { Store } from '../port/store.ts';
import type { RandomBytes } from '../secrets.ts';
import type { Clock } from '../time/instants.ts';

export interface Domain {
  store: Store;
  clock: Clock;
  /** The time that what cannot be undone, or is kept for good, may go by. */
  steady: () => SteadyTime;
  random: RandomBytes;
  /** Makes ids of new rows (UUID). */
  newId: () => string;
}
