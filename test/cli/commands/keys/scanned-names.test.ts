import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shownPath } from '../../../../src/cli/commands/keys/scan/secret-scan.ts';
import { outputOf } from '../../../run-program.ts';
import { Cli } from '../../harness.ts';

let cli: Cli;
let folder: string;
beforeEach(async () => {
  cli = await new Cli().seed();
  folder = mkdtempSync(join(tmpdir(), 'hkctl-names-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string))); // Buffer.from takes both

describe('keys scan reads names as bytes', () => {
  const names: [what: string, name: Buffer, shown: string][] = [
    ['a name in Latin-1', bytes('schl', [0xfc], 'ssel'), 'schl\\xfcssel'],
    ['a cut character', bytes([0xe2, 0x82]), '\\xe2\\x82'],
    ['an overlong slash', bytes([0xc0, 0xaf]), '\\xc0\\xaf'],
    ['a surrogate', bytes([0xed, 0xa0, 0x80]), '\\xed\\xa0\\x80'],
    ['a mixture', bytes('ü', [0xff], '€😀'), 'ü\\xff€😀'],
  ];

  it.each(names)('%s, of a file and of a folder', async (_what, name, shown) => {
    const { key, secret } = await cli.key('A');
    const inner = Buffer.concat([bytes(`${folder}/`), name]);
    mkdirSync(inner);
    writeFileSync(Buffer.concat([inner, bytes('/'), name]), secret);
    const { code, stdout } = await cli.run(['keys', 'scan', folder, '--revoke', '--yes', '--json']);
    expect(code).toBe(5);
    const path = `${folder}/${shown}/${shown}`;
    const whole = Buffer.concat([inner, bytes('/'), name]).toString('base64');
    expect(JSON.parse(stdout).findings).toEqual([
      expect.objectContaining({ path, path_base64: whole, line: 1 }),
    ]);
    expect((await cli.show(key.id)).status).toBe('Revoked');
    expect((await cli.run(['keys', 'scan', folder])).stdout).toContain(`${path}:1:1: `);
  });

  it('of links that are skipped, too', async () => {
    symlinkSync('/etc', bytes(`${folder}/`, [0xff]));
    const { stdout } = await cli.run(['keys', 'scan', folder, '--json']);
    expect(JSON.parse(stdout).skipped).toEqual([
      {
        path: `${folder}/\\xff`,
        path_base64: bytes(`${folder}/`, [0xff]).toString('base64'),
        reason: 'is a link, not followed',
      },
    ]);
  });

  it('and shows a name that is UTF-8 as it is', () => {
    for (const name of ['plain', 'ü', '€', '😀', '\\xff', '\ufffd']) {
      expect(shownPath(Buffer.from(name))).toEqual({ path: name });
    }
  });

  it('and names a folder whose path is too long for the system', async () => {
    const { secret } = await cli.key('A');
    // Deeper than a path may be long, so that a tree like this grows from its end.
    const name = 'd'.repeat(200);
    mkdirSync(join(folder, 'tree'));
    writeFileSync(join(folder, 'tree', 'file'), secret);
    for (let depth = 0; depth < 30; depth++) {
      mkdirSync(join(folder, 'next'));
      renameSync(join(folder, 'tree'), join(folder, 'next', name));
      renameSync(join(folder, 'next'), join(folder, 'tree'));
    }
    const { code, stdout } = await cli.run(['keys', 'scan', folder, '--json']);
    const { findings, skipped } = JSON.parse(stdout);
    outputOf('rm', ['-rf', join(folder, 'tree')]);
    expect([code, findings]).toEqual([1, []]);
    expect(skipped).toEqual([expect.objectContaining({ reason: 'has too long a name' })]);
  });
});

it('keys scan follows a link that the command line names', async () => {
  const { secret } = await cli.key('A');
  mkdirSync(join(folder, 'real'));
  writeFileSync(join(folder, 'real', 'file'), secret);
  symlinkSync('real', join(folder, 'link'));
  const { code, stdout } = await cli.run(['keys', 'scan', join(folder, 'link'), '--json']);
  expect([code, JSON.parse(stdout).findings[0].path]).toEqual([5, join(folder, 'link', 'file')]);
});
