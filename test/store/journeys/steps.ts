import fc from 'fast-check';

/** One step of a journey. Places, keys and backups are numbers of which the remainder counts, so that every step means something. */
export type Step =
  | { what: 'import'; place: number; ids: readonly number[]; replace: boolean; kill: number }
  | { what: 'append'; place: number; instants: readonly number[]; value: number }
  | { what: 'create'; place: number; kill: number }
  | { what: 'revoke'; place: number; key: number; kill: number }
  | { what: 'backup'; place: number; kill: number }
  | { what: 'restore'; place: number; backup: number; kill: number }
  | { what: 'wait'; minutes: number }
  | { what: 'jump'; days: number };

/** The milliseconds after which a process that carries out a step is killed; 0 = not at all. */
const killMs = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: fc.constantFrom(60, 100, 130, 160, 180, 200, 220, 250, 300, 400, 500), weight: 2 },
);

/** Steps over a number of places; moves between them are frequent. */
export function stepsOver(
  places: number,
  size: { minLength: number; maxLength: number },
): fc.Arbitrary<Step[]> {
  const place = fc.nat(places - 1);
  const number = fc.nat(7);
  const step = (
    what: Step['what'],
    rest: Record<string, fc.Arbitrary<unknown>>,
    weight: number,
  ) => ({
    arbitrary: fc.record({ what: fc.constant(what), ...rest }) as fc.Arbitrary<Step>, // each `what` with its own fields, below
    weight,
  });
  return fc.array(
    fc.oneof(
      step(
        'import',
        { place, ids: fc.array(number, { maxLength: 4 }), replace: fc.boolean(), kill: killMs },
        6,
      ),
      step(
        'append',
        { place, instants: fc.array(number, { minLength: 1, maxLength: 4 }), value: number },
        2,
      ),
      step('create', { place, kill: killMs }, 2),
      step('revoke', { place, key: number, kill: killMs }, 2),
      step('backup', { place, kill: killMs }, 3),
      step('restore', { place, backup: fc.nat(3), kill: killMs }, 4),
      step('wait', { minutes: fc.integer({ min: 1, max: 20 }) }, 1),
      step('jump', { days: fc.integer({ min: -400, max: 400 }) }, 1),
    ),
    { ...size, size: 'max' },
  );
}

/** Makes a store at every place, of a backup of the first. */
export function everywhere(places: number): Step[] {
  const others = Array.from({ length: places - 1 }, (_, n) => n + 1);
  return [
    { what: 'backup', place: 0, kill: 0 },
    ...others.map((place): Step => ({ what: 'restore', place, backup: 0, kill: 0 })),
  ];
}

/** The journey that lost audit records: some imports, a backup, a restore elsewhere, more imports. */
export function longMove(from: number, to: number): Step[] {
  const imports = (place: number, count: number): Step[] =>
    Array.from({ length: count }, (_, n) => ({
      what: 'import',
      place,
      ids: [n],
      replace: false,
      kill: 0,
    }));
  return [
    ...imports(from, 4),
    { what: 'backup', place: from, kill: 0 },
    { what: 'restore', place: to, backup: 0, kill: 0 },
    ...imports(to, 6),
  ];
}
