import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cli, environment, pause, Running } from '../../e2e/program.ts';
import { Journey, type Killed } from '../../store/journeys/journey.ts';
import { everywhere, stepsOver } from '../../store/journeys/steps.ts';
import { newDatabase } from '../../store/postgres/databases.ts';

/** How many times as many journeys as usual, which take about a minute on two slow cores. */
const rounds = Number(process.env.TEST_HKCTL_ROUNDS ?? 1);

/** Runs each step as the command that people give, and kills its process. */
function killedProcesses(folder: string, counts: { killed: number; ended: number }): Killed {
  /** How long the first one takes, which is not killed: kills come at any time of a command, however busy the machine is. */
  let usualMs = 0;
  const run = async (location: string, args: readonly string[], afterMs: number) => {
    const beganAt = performance.now();
    const env = environment({ HOME: folder, HKCTL_STORE: location, HKCTL_USER: 'acme-admin' });
    const running = new Running(process.execPath, [cli, ...args], { env, cwd: folder });
    const isFirst = usualMs === 0;
    await (isFirst
      ? running.ended
      : Promise.race([running.ended, pause((afterMs * usualMs) / 250)]));
    usualMs ||= performance.now() - beganAt;
    const { code, signal, stderr } = await running.stop('SIGKILL');
    if (signal === null) expect([args, code, stderr]).toEqual([args, 0, expect.anything()]);
    counts[signal === null ? 'ended' : 'killed']++;
  };
  return {
    async import(location, rows, replace, afterMs) {
      const file = join(folder, 'parts.ndjson');
      const lines = [...rows].map(([id, name]) =>
        JSON.stringify({ id, name, part_number: id, is_active: true }),
      );
      writeFileSync(file, lines.length > 0 ? lines.join('\n') : 'id,name,part_number,is_active\n');
      const format = lines.length > 0 ? 'ndjson' : 'csv';
      const more = replace ? ['--replace', '--yes'] : [];
      await run(
        location,
        ['import', 'parts', file, '--format', format, '--entity', 'BER', ...more],
        afterMs,
      );
    },
    revoke: (location, prefix, afterMs) =>
      run(location, ['keys', 'revoke', prefix, '--yes'], afterMs),
    backup: (location, file, afterMs) => run(location, ['backup', file], afterMs),
    restore: (location, file, afterMs) => run(location, ['restore', file, '--yes'], afterMs),
  };
}

describe('backups that move between stores, while processes are killed', () => {
  it.each([
    ['files', 0, 5],
    ['files and databases', 2, 3],
  ])('lose nothing: %s', async (_, databases, journeys) => {
    const counts = { killed: 0, ended: 0 };
    const steps = stepsOver(2 + databases, { minLength: 15, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const folder = mkdtempSync(join(tmpdir(), 'hkctl-journey-'));
        try {
          for (const name of ['a', 'b']) mkdirSync(join(folder, name), { mode: 0o700 });
          const addresses = await Promise.all(
            Array.from({ length: databases }, () => newDatabase()),
          );
          const locations = [
            join(folder, 'a', 'one.db'),
            join(folder, 'b', 'two.db'),
            ...addresses,
          ];
          await new Journey(locations, folder, killedProcesses(folder, counts)).run([
            ...everywhere(locations.length),
            ...given,
          ]);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: journeys * rounds, endOnFailure: true },
    );
    // Without both the journeys would prove nothing of kills.
    expect(Math.min(counts.killed, counts.ended)).toBeGreaterThan(0);
  });
});
