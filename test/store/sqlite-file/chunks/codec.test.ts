import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partOf, type SeriesReadings } from '../../../../src/core/readings/series-readings.ts';
import { ByteReader, ByteWriter } from '../../../../src/store/sqlite-file/chunks/bytes.ts';
import { ChunkEncoder, decodeChunk } from '../../../../src/store/sqlite-file/chunks/codec.ts';
import { propertyRuns } from '../../../properties.ts';

const encoder = new ChunkEncoder();

type Row = [atUs: number, value: number, quality: number];

function readingsOf(rows: readonly Row[]): SeriesReadings {
  return {
    count: rows.length,
    atUs: Float64Array.from(rows, ([at]) => at),
    values: Float64Array.from(rows, ([, value]) => value),
    qualities: Uint8Array.from(rows, ([, , quality]) => quality),
  };
}

function rowsOf({ count, atUs, values, qualities }: SeriesReadings): Row[] {
  return Array.from({ length: count }, (_, i) => [atUs[i] ?? 0, values[i] ?? 0, qualities[i] ?? 0]);
}

function bytesOf(rows: readonly Row[]): number {
  const readings = readingsOf(rows);
  const body = encoder.encode(readings).slice();
  expect(rowsOf(decodeChunk(body, rows.length))).toEqual(rows);
  return body.length / rows.length;
}

/** From the year 1 to the year 9999, most of them near each other. */
const instants = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(1, 1000, 1_000_000, 60_000_000),
      fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
      fc.array(fc.nat({ max: 5000 }), { minLength: 1, maxLength: 300 }),
    )
    .map(([unit, first, steps]) => {
      let at = first;
      return steps.map((step) => {
        at += (step + 1) * unit;
        return at;
      });
    }),
  fc
    .uniqueArray(fc.integer({ min: -62_135_596_800_000_000, max: 253_402_300_800_000_000 }), {
      minLength: 1,
    })
    .map((found) => [...new Set(found.map(Number))].sort((a, b) => a - b)),
  fc
    .uniqueArray(fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }), {
      minLength: 1,
    })
    .map((found) => found.sort((a, b) => a - b)),
);

const strange = [
  0,
  -0,
  0.1 + 0.2,
  5e-324,
  -5e-324,
  2 ** 53,
  -(2 ** 53),
  2 ** 53 + 2,
  Number.MAX_VALUE,
  1e-9,
  0.1,
  1e22,
];

const values = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 100),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.float({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.constantFrom(...strange),
);

const rows = fc
  .tuple(
    instants,
    fc.constantFrom(values, fc.constantFrom(1, 1.25), fc.constantFrom(...strange)),
    fc.nat({ max: 50 }),
  )
  .chain(([times, value, seed]) =>
    fc
      .array(value, { minLength: times.length, maxLength: times.length })
      .map((all) =>
        times.map((at, i): Row => [at, all[i] ?? 0, seed < 25 ? 0 : Math.floor(i / seed) % 4]),
      ),
  );

describe('a chunk', () => {
  it('is read back bit by bit', () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.nat(), (all, a, b) => {
        const [from = 0, to = 0] = [a % all.length, (b % all.length) + 1].sort((x, y) => x - y);
        const body = encoder.encode(partOf(readingsOf(all), from, to)).slice();
        const found = rowsOf(decodeChunk(body, to - from));
        expect(found).toEqual(all.slice(from, to));
      }),
      propertyRuns(2000),
    );
  });

  it('takes few bytes for series as plants have them', () => {
    const many = (
      value: (i: number) => number,
      at: (i: number) => number = (i) => 1.79e15 + i * 1e6,
    ) => bytesOf(Array.from({ length: 1024 }, (_, i): Row => [at(i), value(i), 0]));
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    let wandering = 2000;
    const wander = () => {
      wandering += Math.round(random() * 20 - 10);
      return wandering / 100;
    };
    expect(many(() => 21.5)).toBeLessThan(0.05);
    expect(many(wander)).toBeLessThan(0.65);
    expect(many((i) => i)).toBeLessThan(1.1);
    expect(many(() => (random() < 0.5 ? 0 : 1))).toBeLessThan(2);
    const irregular = Array.from({ length: 1024 }, () => Math.floor(random() * 2e6)).map(
      (step, i) => i * 2e6 + step,
    );
    expect(many(random, (i) => 1.79e15 + (irregular[i] ?? 0))).toBeLessThan(12);
    expect(many(() => Math.fround(random()))).toBeLessThan(4.1);
  });

  it('that is damaged is never read as a whole one, or without end', () => {
    const body = encoder
      .encode(
        readingsOf([
          [1, 2.5, 0],
          [2, 2.5, 1],
          [5, 0.3, 1],
        ]),
      )
      .slice();
    const damage = { code: 'SQLITE_CORRUPT' };
    expect(() => decodeChunk(body.subarray(0, -1), 3)).toThrow(expect.objectContaining(damage));
    expect(() => decodeChunk(Uint8Array.of(...body, 0), 3)).toThrow(
      expect.objectContaining(damage),
    );
    expect(() => decodeChunk(body, 2 ** 40)).toThrow(expect.objectContaining(damage));
    expect(() => decodeChunk(body, 4)).toThrow(expect.objectContaining(damage));
  });

  it('that is compressed is never read if a bit of it is another, if it is cut, or if it has more bytes than its readings take', () => {
    const all = Array.from({ length: 512 }, (_, i): Row => [i * 1e6, (i * i) % 17, 0]);
    const body = encoder.encode(readingsOf(all)).slice();
    expect(body.length).toBeLessThan(0.7 * all.length);
    expect(rowsOf(decodeChunk(body, all.length))).toEqual(all);
    const damage = expect.objectContaining({ code: 'SQLITE_CORRUPT' });
    for (let bit = 0; bit < 8 * body.length; bit++) {
      const flipped = body.slice();
      flipped[bit >>> 3] = (flipped[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => decodeChunk(flipped, all.length), `bit ${bit}`).toThrow(damage);
    }
    for (const bytes of [1, 6, 100, body.length - 1])
      expect(() => decodeChunk(body.subarray(0, bytes), all.length)).toThrow(damage);
    const bomb = deflateSync(new Uint8Array(2 ** 20), { windowBits: 10 });
    expect(() => decodeChunk(bomb, 3)).toThrow(damage);
  });

  it('of before chunks were compressed is read as it was', () => {
    const all = Array.from({ length: 512 }, (_, i): Row => [i * 1e6, (i * i) % 17, 0]);
    const body = encoder.encode(readingsOf(all)).slice();
    expect(rowsOf(decodeChunk(inflateSync(body), all.length))).toEqual(all);
  });
});

it('whole numbers of any size are read back', () => {
  const writer = new ByteWriter();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -(2 ** 52), max: 2 ** 52 })), (numbers) => {
      writer.begin();
      writer.reserve(8 * numbers.length);
      for (const number of numbers) writer.signed(number);
      const reader = new ByteReader(writer.written());
      expect(numbers.map(() => reader.signed())).toEqual(numbers);
      reader.requireEnd();
    }),
  );
});
