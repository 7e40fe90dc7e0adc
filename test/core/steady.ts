/** The clocks of a domain whose clock is steady. */
export const steadyBy = (clock: () => number) => ({
  clock,
  steady: () => ({ ms: clock(), latestMs: clock(), isSteady: true }),
});
