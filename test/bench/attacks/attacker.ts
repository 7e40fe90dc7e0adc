import { connectionAttacks } from './connections.ts';
import type { Attack, Target } from './flood.ts';
import { readAttacks } from './reads.ts';

/** Every attack by its name. */
const attacks = new Map<string, Attack>(
  [...connectionAttacks, ...readAttacks].map(({ name, run }) => [name, run]),
);

/** A process of its own for one attack: `attacker NAME TARGET`, the target as JSON; it goes on until its input ends. */
async function main([name = '', target = '{}']: readonly string[]): Promise<void> {
  const run = attacks.get(name);
  if (!run) throw new Error(`no attack ${name}`);
  const stop = new AbortController();
  process.stdin.on('end', () => stop.abort()).resume();
  await run(JSON.parse(target) as Target, stop.signal); // as fairness.ts writes it
}

void main(process.argv.slice(2));
