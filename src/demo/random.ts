export type Chance = ReturnType<typeof createChance>;

/** Creates repeatable randomness from a seed (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0;
  /** A fraction from 0 up to, not including, 1. */
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixedBits = Math.imul(state ^ (state >>> 15), state | 1);
    mixedBits ^= mixedBits + Math.imul(mixedBits ^ (mixedBits >>> 7), mixedBits | 61);
    return ((mixedBits ^ (mixedBits >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (min: number, max: number) => min + Math.floor(fraction() * (max - min + 1));
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
