import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ImportError } from '../../../src/core/records/imports.ts';
import { readRows } from '../../../src/formats/rows.ts';
import { createThreadedReader } from '../../../src/formats/threaded.ts';
import { orders } from '../../../src/resources/jobs-and-orders.ts';
import { parts } from '../../../src/resources/projects-and-settings.ts';
import { rowsOf } from '../../formats/batches.ts';

const threaded = createThreadedReader(join(process.cwd(), 'dist', 'reader.cjs'));

const header = 'id,name,part_number,is_active,weight_kg,description\n';
const textOf = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `P-${i},Ünit ${i},N-${i},${i % 2 > 0},${i / 8},"a\nb ${i}"\n`,
  ).join('');
const large = header + textOf(80_000);

/** The bytes of a text in pieces cut out of one buffer, as streams give them. */
async function* pieces(bytes: Buffer, onEnd = () => {}): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < bytes.length; at += 100_001) yield bytes.subarray(at, at + 100_001);
  } finally {
    onEnd();
  }
}

describe('a large file in a thread of its own', () => {
  it('gives the same rows', async () => {
    expect(Buffer.byteLength(large)).toBeGreaterThan(3_000_000);
    const expected = await rowsOf(readRows(parts, pieces(Buffer.from(large)), {}));
    expect(await rowsOf(threaded(parts, pieces(Buffer.from(large)), {}))).toEqual(expected);
    const noise = Array.from(
      { length: 120_000 },
      (_, i) => `P-${i},${Math.sin(i)},N,true,,${Math.cos(i)}\n`,
    ).join('');
    const packed = gzipSync(header + noise);
    expect(packed.length).toBeGreaterThan(2_100_000);
    expect(await rowsOf(threaded(parts, pieces(packed), {}))).toHaveLength(120_000);
  });

  it('keeps lists and mapping', async () => {
    const services = [{ row_id: 'SVC-01', service_code: 'A'.repeat(60), quantity: 1 }];
    const line = (i: number) =>
      `${JSON.stringify({ NR: `O-${i}`, order_number: 'N', status: 'draft', services })}\n`;
    const text = Array.from({ length: 20_000 }, (_, i) => line(i)).join('');
    const rows = await rowsOf(threaded(orders, pieces(Buffer.from(text)), { map: { NR: 'id' } }));
    expect(rows).toHaveLength(20_000);
    expect(rows[7]).toMatchObject({ line: 8, id: 'O-7' });
    expect(rows[7]?.values.at(-1)).toMatchObject([{ row_id: 'SVC-01', assignments: [] }]);
  });

  it('is refused with the same violations', async () => {
    const bad = `${large}P-X,x,N,maybe,1,\nP-Y,y,N,true,"1,5",\n`;
    const refusals = await Promise.all(
      [readRows, threaded].map((reader) =>
        rowsOf(reader(parts, pieces(Buffer.from(bad)), {})).catch((thrown: unknown) => thrown),
      ),
    );
    expect(refusals[0]).toBeInstanceOf(ImportError);
    expect(refusals[1]).toBeInstanceOf(ImportError);
    expect(refusals[1]).toEqual(refusals[0]);
    expect(refusals[1]).toMatchObject({
      violationCount: 2,
      violations: [{ line: 160_002 }, { column: 5 }],
    });
  });

  it('passes on damage, of the archive and of the source', async () => {
    const packed = gzipSync(Buffer.concat([Buffer.from(header), Buffer.alloc(3_000_000, 'x')]), {
      level: 0,
    });
    const cut = packed.subarray(0, packed.length - 100_000);
    await expect(rowsOf(threaded(parts, pieces(cut), {}))).rejects.toMatchObject({
      code: 'bad_input',
      hint: /Pack it/,
    });
    const broken = async function* () {
      yield Buffer.from(large);
      throw new Error('the disk is gone');
    };
    await expect(rowsOf(threaded(parts, broken(), {}))).rejects.toThrow('the disk is gone');
    const nowhere = createThreadedReader(join(process.cwd(), 'dist', 'nothing.cjs'));
    await expect(rowsOf(nowhere(parts, pieces(Buffer.from(large)), {}))).rejects.toThrow();
  });

  it('lets go of file and thread where nobody wants more', async () => {
    let ended = false;
    const source = pieces(Buffer.from(large), () => {
      ended = true;
    });
    let seen = 0;
    for await (const batch of threaded(parts, source, {})) {
      seen = batch.lines.length;
      break;
    }
    expect(seen).toBeGreaterThan(0);
    expect(ended).toBe(true);
  });
});

it('a small file needs no thread', async () => {
  const nowhere = createThreadedReader(join(process.cwd(), 'dist', 'nothing.cjs'));
  expect(await rowsOf(nowhere(parts, pieces(Buffer.from(header + textOf(3))), {}))).toHaveLength(3);
});
