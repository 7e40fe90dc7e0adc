/** Statements that lift the time limits of an administrator for the rest of a transaction: copying a plant takes minutes. */
export function liftTimeLimits({ version }: { version: number }): string {
  const names = ['statement_timeout', ...(version >= firstWithTransactionTimeout ? ['transaction_timeout'] : [])];
  return names.map((name) => `set local ${name} = 0`).join('; ');
}

const firstWithTransactionTimeout = 170_000;
