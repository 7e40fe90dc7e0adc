import { expect, it } from 'vitest';
import { header, read } from './reading.ts';

it('lines that begin with a number sign and a blank are comments between the header and the first record only', async () => {
  const comments = '# P-1,an example,"with a quote\n#  and more, of any shape\r\n\n# \n';
  const { records, lines, violations } = await read(
    `${header}\n${comments}A,x,1,true\n# B,y,2,true\n`,
  );
  expect(violations).toEqual([]);
  expect(records.map(({ id }) => id)).toEqual(['A', '# B']);
  expect(lines).toEqual([6, 7]);
});

it('an id that begins with a number sign is no comment, nor is a quoted one', async () => {
  for (const id of ['#1', '#', '"# 1"']) {
    const { records } = await read(`${header}\n${id},x,1,true\n`);
    expect(records.map((record) => record.id)).toEqual([id.replaceAll('"', '')]);
  }
});

it('a comment at the end of the file needs no line break', async () => {
  expect((await read(`${header}\n# P-1,an example`)).records).toEqual([]);
  expect((await read(`${header}\n#`)).violations).toHaveLength(1);
});
