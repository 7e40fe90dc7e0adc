export type Chance = ReturnType<typeof createChance>;

/** Creates repeatable randomness from a seed (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0;
  /** A fraction from 0 up to, not including, 1. */
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1));
  return {
    fraction,
    between,
    pick<T>(items: readonly T[]): T {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    percent: (share: number) => fraction() * 100 < share,
  };
}
