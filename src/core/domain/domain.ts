import type { SteadyTime } from '../port/clock.ts';
import type { Store } from '../port/store.ts';
import type { RandomBytes } from '../secrets.ts';
import type { Clock } from '../time/instants.ts';

export interface Domain {
  store: Store;
  clock: Clock;
  /** A time that is safe for irreversible actions. */
  steady: () => SteadyTime;
  random: RandomBytes;
  /** Makes ids of new rows (UUID). */
  newId: () => string;
}
