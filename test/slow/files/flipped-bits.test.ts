import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { createRandom } from '../../e2e/random.ts';
import { refusalOf } from '../../store/changed-backups.ts';

const rounds = Number(process.env.TEST_HKCTL_ROUNDS ?? 1000);
/** Another one each time; a failure names it. */
const seed = Number(process.env.TEST_HKCTL_SEED ?? Date.now() % 2 ** 31);

it(`every change of a backup is refused: bits that flip, pages exchanged, an end cut off (${rounds} changes, seed ${seed})`, async () => {
  const cli = await new Cli().seed();
  for (const name of ['A', 'B']) await cli.key(name);
  const folder = dirname(dirname(cli.store));
  const file = join(folder, 'plant.backup');
  await cli.ok(['backup', file]);
  const whole = readFileSync(file);
  const random = createRandom(seed);
  const pages = Math.floor(whole.length / 4096);
  const changes: readonly [what: string, change: (bytes: Buffer) => Buffer][] = [
    [
      'a bit',
      (bytes) => {
        const at = random(bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
        return bytes;
      },
    ],
    [
      'some bytes',
      (bytes) => {
        for (let count = 1 + random(64); count > 0; count--)
          bytes[random(bytes.length)] = random(256);
        return bytes;
      },
    ],
    [
      'two pages exchanged',
      (bytes) => {
        const [one, two] = [random(pages) * 4096, random(pages) * 4096];
        whole.copy(bytes, one, two, two + 4096);
        whole.copy(bytes, two, one, one + 4096);
        return bytes;
      },
    ],
    ['an end cut off', (bytes) => bytes.subarray(0, random(bytes.length))],
    [
      'a page left out',
      (bytes) => {
        const at = random(pages) * 4096;
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 4096)]);
      },
    ],
  ];

  let refused = 0;
  for (let round = 0; round < rounds; round++) {
    const [what, change] = changes[random(changes.length)] ?? [];
    const bytes = change?.(Buffer.from(whole)) ?? whole;
    if (bytes.equals(whole)) continue;
    const code = await refusalOf(bytes, join(folder, 'copy'));
    expect(['store_corrupt', 'bad_input'], `round ${round}, seed ${seed}: ${what}`).toContain(code);
    refused++;
  }
  expect(refused).toBeGreaterThan(rounds / 2);
});
