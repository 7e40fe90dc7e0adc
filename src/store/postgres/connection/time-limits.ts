/** Statements that lift the time limits of an administrator for the rest of a transaction: copying a plant takes minutes. */
export function liftTimeLimits({ version }: { version: number }): string {
  const names = ['statement_timeout', ...(version >= firstWithTransactionTimeout ? ['transaction_timeout'] : [])];
  return names.map((name) => `set local ${name} = 0`).join('; ');
}

/** A session whose version is 0 before it is known. */
interface Sender {
  version: number;
  send<Row>(text: string): Promise<{ rows: Row[] }>;
}

/** Runs one statement without parameters that no time limit of an administrator ends. */
export async function queryUnlimited<Row>(session: Sender, text: string): Promise<Row[]> {
  // The server runs such a text as one transaction. The driver returns the results of all its statements, which its types do not say.
  const results: { rows: Row[] } | { rows: Row[] }[] = await session.send<Row>(`${liftTimeLimits(session)}; ${text}`);
  const last = Array.isArray(results) ? results.at(-1) : results;
  return last?.rows ?? [];
}

const firstWithTransactionTimeout = 170_000;
