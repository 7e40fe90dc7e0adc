import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Plant, placeOfTests } from './plant.ts';

const site = '--entity BER --entity-name Berlin --timezone Europe/Berlin --admin admin'.split(' ');

let plant: Plant;
beforeEach(() => {
  plant = new Plant();
});
afterEach(() => plant.close());

describe('several processes that make the same store', () => {
  it('one does, the others are refused (exit 5)', async () => {
    for (let round = 0; round < 2; round++) {
      const env = { HKCTL_STORE: plant.path(`${round}/deep/hkctl.db`), ...(await placeOfTests()) };
      const names = ['One', 'Two', 'Three'];
      const outcomes = await Promise.all(
        names.map((name) => plant.hkctl(['init', '--org', name, ...site], { env })),
      );
      expect(
        outcomes.map(({ code }) => code).sort(),
        outcomes.map(({ stderr }) => stderr).join(''),
      ).toEqual([0, 5, 5]);
      const winner = names[outcomes.findIndex(({ code }) => code === 0)];
      const { stdout } = await plant.ok(['tenants', 'list', '--json'], { env });
      expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ name: winner })]);
    }
  });
});
