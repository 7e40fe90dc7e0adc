import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { importFormats } from '../../src/core/records/imports.ts';
import { readReadings } from '../../src/formats/readings.ts';
import { readRows } from '../../src/formats/rows.ts';
import { parts } from '../../src/resources/projects-and-settings.ts';
import { header } from './reading.ts';

const csv = `${header}\nA,x,1,true\n`;
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(text, 'utf16le');
/** The local header of the first part of a zip archive, as far as it matters here. */
const zip = (...names: string[]) =>
  Buffer.concat(
    names.map((name) => Buffer.concat([latin1('PK\x03\x04'), Buffer.alloc(26), latin1(name)])),
  );
const tar = Buffer.concat([
  latin1('parts.csv'),
  Buffer.alloc(248),
  latin1('ustar\x0000'),
  Buffer.alloc(512),
]);

const files: [content: Buffer, what: RegExp, hint: RegExp][] = [
  [zip('[Content_Types].xml', 'xl/workbook.xml'), /an Excel workbook \(xlsx\)/, /CSV UTF-8/],
  [zip('_rels/.rels', 'docProps/app.xml', 'xl/'), /an Excel workbook \(xlsx\)/, /CSV UTF-8/],
  [zip('[Content_Types].xml', 'word/document.xml'), /an Office document/, /Export the table/],
  [zip('mimetypeapplication/vnd.oasis.opendocument.spreadsheet'), /OpenDocument/, /CSV UTF-8/],
  [zip('parts.csv'), /a zip archive/, /Unpack/],
  [latin1('PK\x05\x06\0\0'), /an empty zip archive/, /Unpack/],
  [latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0'), /an old Excel workbook \(xls\)/, /CSV UTF-8/],
  [latin1('%PDF-1.7\n%\xe2\xe3'), /a PDF document/, /Export the table/],
  [latin1('7z\xbc\xaf\x27\x1c'), /a 7z archive/, /Unpack/],
  [latin1('BZh91AY&SY'), /a bzip2 archive/, /Unpack/],
  [latin1('\xfd7zXZ\0\0'), /an xz archive/, /Unpack/],
  [latin1('\x28\xb5\x2f\xfd\x04'), /a zstd archive/, /Unpack/],
  [tar, /a tar archive/, /Unpack/],
  [gzipSync(gzipSync(csv)), /a gzip archive inside a gzip archive/, /Unpack/],
  [gzipSync(tar), /a tar archive/, /Unpack/],
  [gzipSync(zip('xl/workbook.xml')), /an Excel workbook/, /CSV UTF-8/],
  [latin1('SQLite format 3\0'), /an SQLite database/, /Export the table/],
  [latin1('PAR1\x15\x04'), /a Parquet file/, /Export the table/],
  [latin1('\x89PNG\r\n\x1a\n\0'), /an image/, /Export the table/],
  [utf16(`\ufeff${csv}`), /UTF-16 text/, /Save it as UTF-8/],
  [utf16(`\ufeff${csv}`).swap16(), /UTF-16 text/, /Save it as UTF-8/],
  [utf16(csv), /UTF-16 text/, /Save it as UTF-8/],
  [utf16(csv).swap16(), /UTF-16 text/, /Save it as UTF-8/],
  [utf16('[{"id":"Ä"}]'), /UTF-16 text/, /Save it as UTF-8/],
  [utf16('{"id":1}'), /UTF-16 text/, /Save it as UTF-8/],
  [
    Buffer.from(`\ufeff<!DOCTYPE html><html>${'x'.repeat(9000)}`),
    /an HTML page/,
    /download the file again/,
  ],
  [Buffer.from('\n\n  <html lang="en"><head>'), /an HTML page/, /download the file again/],
  [Buffer.from('<?xml version="1.0"?><Workbook/>'), /an XML document/, /Export the table/],
];

it.each(files)(
  'says what %# is and what to do, in every format and import',
  async (content, what, hint) => {
    const pieces = async function* (size: number) {
      for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
    };
    for (const format of [...importFormats, undefined]) {
      for (const size of [1, 1 << 16]) {
        for (const reading of [
          readRows(parts, pieces(size), { format }),
          readReadings(pieces(size), { format }),
        ]) {
          const refusal = (async () => {
            for await (const _ of reading) expect.fail('it is no table');
          })();
          await expect(refusal).rejects.toMatchObject({
            code: 'bad_input',
            message: expect.stringMatching(what),
            hint: expect.stringMatching(hint),
          });
        }
      }
    }
  },
);

it('takes a short or unusual text for what it is', async () => {
  for (const text of ['id', '', 'é', '< 5,x', 'PK,name', 'id\0', '\0']) {
    const refusal = (async () => {
      for await (const _ of readRows(
        parts,
        (async function* () {
          yield Buffer.from(text);
        })(),
        {},
      ));
    })();
    await expect(refusal).rejects.toMatchObject({ name: 'ImportError' });
  }
});
