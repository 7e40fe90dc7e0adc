import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHkctlError } from '../../src/core/errors.ts';
import { defineResource, type Field } from '../../src/core/fields/fields.ts';
import { formatOfName } from '../../src/formats/pieces.ts';
import { readRows } from '../../src/formats/rows.ts';
import { parts } from '../../src/resources/projects-and-settings.ts';
import { propertyRuns } from '../properties.ts';
import { header, read } from './reading.ts';

describe('any format', () => {
  const csv = `${header}\nA,xä,1,true\n`;

  it('may be gzipped, in one part or several', async () => {
    const packed = Buffer.concat([gzipSync(`${header}\nA,x`), gzipSync('ä,1,true\n')]);
    expect((await read(packed, { fileName: 'x.csv.gz' })).records).toEqual(
      (await read(csv)).records,
    );
  });

  it('is refused where the archive is cut or damaged', async () => {
    const packed = gzipSync(csv.repeat(50));
    const cut = packed.subarray(0, packed.length - 9);
    await expect(read(cut)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('gzip'),
    });
    const damaged = Buffer.from(packed);
    damaged[20] = (damaged[20] ?? 0) ^ 0xff;
    await expect(read(damaged)).rejects.toMatchObject({ code: 'bad_input' });
  });

  it('is refused if it is not UTF-8, with the byte and the line', async () => {
    const latin1 = Buffer.concat([
      Buffer.from(`${header}\nA,"x\n`),
      Buffer.from([0xe4]),
      Buffer.from('",1,true\n'),
    ]);
    const { violations } = await read(latin1);
    expect(violations).toMatchObject([
      { line: 3, rule: expect.stringContaining(`byte ${latin1.indexOf(0xe4)} (0xE4)`) },
    ]);
    const cut = Buffer.from(`${header}\nA,xä`).subarray(0, -1);
    expect((await read(cut)).violations[0]?.rule).toContain(`byte ${cut.length - 1} (0xC3)`);
  });

  it('is refused where it is empty: a job that broke, not a plant without parts', async () => {
    for (const format of ['csv', 'ndjson', undefined] as const) {
      for (const content of ['', '\ufeff', '\r\n\n']) {
        expect((await read(content, { format })).violations[0]?.rule ?? '').toContain(
          'the file is empty',
        );
      }
    }
  });

  it('is found by its name, else by its beginning', async () => {
    expect(
      ['a.csv', 'a.CSV.gz', 'b.json', 'c.ndjson.gz', 'c.jsonl', 'd.tsv', 'e', 'f.gz'].map(
        formatOfName,
      ),
    ).toEqual(['csv', 'csv', 'json', 'ndjson', 'ndjson', 'csv', undefined, undefined]);
    const one = '{"id":"A","name":"x","part_number":"1","is_active":true}';
    for (const text of [csv, `\n[${one}]`, `  ${one}\n`])
      expect((await read(text)).records).toHaveLength(1);
  });

  it('is refused where a record has no end', async () => {
    const endless = async function* () {
      yield Buffer.from(`${header}\nA,"`);
      const text = Buffer.alloc(1 << 20, 'x');
      for (;;) yield text;
    };
    const reading = (async () => {
      for await (const batch of readRows(parts, endless(), {})) expect(batch).toEqual([]);
    })();
    await expect(reading).rejects.toThrow(/at most 1 MiB for one record/);
  });

  it('passes on what the source throws', async () => {
    const broken = async function* () {
      yield Buffer.from(csv);
      throw new Error('the disk is gone');
    };
    const reading = (async () => {
      for await (const _ of readRows(parts, broken(), {}));
    })();
    await expect(reading).rejects.toThrow('the disk is gone');
  });
});

it('bytes of any kind make rows or a refusal, never another error', async () => {
  const resource = defineResource({ ...parts, fields: { name: parts.fields.name as Field } });
  const text = fc.string({
    unit: fc.constantFrom(
      'id',
      'name',
      ',',
      '"',
      '\n',
      '\r',
      '[',
      ']',
      '{',
      '}',
      ':',
      'ä',
      '\\',
      '1',
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.uint8Array({ maxLength: 60 }),
        text.map((made) => Buffer.from(made)),
      ),
      fc.constantFrom('csv', 'json', 'ndjson', undefined),
      async (bytes, format) => {
        if (bytes[0] === 0x1f && bytes[1] === 0x8b) return;
        await read(bytes, { format }, resource).catch((thrown) => {
          // Two bytes can begin an archive or a page.
          if (!isHkctlError(thrown) || thrown.code !== 'bad_input') throw thrown;
        });
      },
    ),
    propertyRuns(500),
  );
});
