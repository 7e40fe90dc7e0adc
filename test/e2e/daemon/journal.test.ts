import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, environment } from '../program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hkctl-journal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a failing command writes to standard error, which is a file that `JOURNAL_STREAM` names, or another. */
function errorsIn(isJournal: boolean): string[] {
  const file = join(folder, 'stream');
  const fd = openSync(file, 'w');
  const { dev, ino } = fstatSync(fd);
  const env = environment({
    HKCTL_STORE: join(folder, 'hkctl.db'),
    JOURNAL_STREAM: `${dev}:${ino + (isJournal ? 0 : 1)}`,
  });
  expect(
    spawnSync(process.execPath, [cli, 'serve'], { env, stdio: ['ignore', 'ignore', fd] }).status,
  ).toBe(6);
  closeSync(fd);
  return readFileSync(file, 'utf8').trim().split('\n');
}

it('an error has a priority in the journal of systemd, so that journalctl -p err shows why a service failed', () => {
  const [line = '', ...more] = errorsIn(true);
  expect(more).toEqual([]);
  expect(line).toMatch(/^<3>\{/);
  expect(JSON.parse(line.slice(3))).toMatchObject({
    level: 'error',
    code: 'store_absent',
    hint: expect.stringMatching(/^Make one/),
    msg: expect.stringMatching(/^There is no store at/),
  });
});

it('an error has none elsewhere, also where a program stands before the journal', () => {
  expect(errorsIn(false)).toEqual([
    expect.stringMatching(/^error: /),
    expect.stringMatching(/^hint: /),
  ]);
});
