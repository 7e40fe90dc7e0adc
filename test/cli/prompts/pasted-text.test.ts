import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { longestAnswer, withoutLongPastes } from '../../../src/cli/prompts/asked.ts';
import { Cli } from '../harness.ts';

let stdin: PassThrough;
let received: Buffer;
let release: () => void;
beforeEach(() => {
  stdin = new PassThrough();
  received = Buffer.alloc(0);
  const limited = withoutLongPastes(stdin, longestAnswer);
  release = limited.release;
  limited.input.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
});
afterEach(() => release());

async function send(...chunks: (string | Buffer)[]): Promise<string> {
  for (const chunk of chunks) {
    stdin.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return received.toString();
}

it('passes keys and a text of the usual length as they are', async () => {
  const keys = ['a', '\u001b[A', '\r', 'é', '\u001b[200~', 'x'.repeat(4096 - 40), 'y'.repeat(40)];
  expect(await send(...keys)).toBe(keys.join(''));
});

it('drops what is pasted beyond the longest answer, in as many pieces as it comes, and leaves keys and Ctrl-C', async () => {
  const piece = 'x'.repeat(4095);
  expect(await send(piece, piece, 'y', `${piece}\r${piece}`, `${piece}\u0003`, '\r')).toBe(
    `${piece}xy\u0003\r`,
  );
});

it('ends between two characters', async () => {
  expect(await send(`x${'é'.repeat(3000)}`)).toBe(`x${'é'.repeat(2047)}`);
});

it('leaves the rest to the next question once it is released', async () => {
  await send('a');
  release();
  stdin.write('b');
  expect(stdin.read()).toEqual(Buffer.from('b'));
  expect(received.toString()).toBe('a');
});

it('a file that is pasted into a question of the settings page leaves Ctrl-C its effect', async () => {
  const cli = await new Cli().seed();
  const drawn: number[] = [];
  const { code } = await cli.run('keys', {
    terminal: { columns: 80, rows: 24 },
    keys: [
      'c',
      { on: 'Name', type: `${'a line '.repeat(20_000)}\u0003` },
      { on: 'Cancelled', type: 'q' },
    ],
    onWrite: (text) => drawn.push(text.length),
  });
  expect(code).toBe(0);
  // A screen for each key would be a hundred thousand.
  expect(drawn.length).toBeLessThan(100);
});
