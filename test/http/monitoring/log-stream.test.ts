import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLogStream } from '../../../src/http/monitoring/log.ts';
import { runProgram } from '../../run-program.ts';

const mebibyte = 1 << 20;

it('a log that nothing reads for a while keeps 16 MiB, and says how much of it was left out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-log-'));
  const pipe = join(folder, 'pipe');
  expect(runProgram('mkfifo', [pipe]).code).toBe(0);
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  const leftOut: number[] = [];
  const stream = createLogStream(fd, (pieces) => {
    leftOut.push(pieces);
    stream.write('end');
  });
  // The first is being written while the others wait.
  for (let piece = 0; piece < 21; piece++)
    stream.write(String.fromCharCode(97 + piece).repeat(mebibyte));
  const read = new Map<string, number>();
  const buffer = Buffer.alloc(mebibyte);
  let end = '';
  while (!end.endsWith('end')) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    let text = '';
    try {
      text = buffer.toString('latin1', 0, readSync(fd, buffer));
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'EAGAIN' });
    }
    for (const run of text.match(/(.)\1*/g) ?? []) {
      const letter = run.charAt(0);
      read.set(letter, (read.get(letter) ?? 0) + run.length);
    }
    end = (end + text).slice(-3);
  }
  expect(leftOut).toEqual([3]);
  const kept = 'abcdefghijklmnopqr';
  // The letters of the last line are those of earlier ones, too.
  for (const letter of 'end') read.set(letter, (read.get(letter) ?? 0) - 1);
  expect([...kept].filter((letter) => read.get(letter) !== mebibyte)).toEqual([]);
  expect(read.has('s')).toBe(false);
});
