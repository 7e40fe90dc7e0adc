import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { manFolder } from './mdoc.ts';

const cli = join(manFolder, '..', 'bin', 'hkctl.js');
const page = readFileSync(join(manFolder, 'hkctl-keys.1'), 'utf8');
/** The script as the page prints it. */
const script = (/^#!\/bin\/sh\n[\s\S]*?(?=^\.Ed$)/m.exec(page)?.[0] ?? '').replaceAll('\\e', '\\');

const root = mkdtempSync(join(tmpdir(), 'hkctl-rotation-'));
const env = {
  ...process.env,
  HKCTL_STORE: join(root, 'hkctl.db'),
  HKCTL_USER: 'admin',
  PATH: `${root}:${process.env.PATH}`,
};
const file = join(root, 'gateway.key');
const pending = `${file}.new`;

function hkctl(...args: string[]): string {
  return execFileSync(process.execPath, [cli, ...args], { env, encoding: 'utf8', stdio: 'pipe' });
}

/** Whether a secret would be let in. */
function works(secret: string): boolean {
  return spawnSync(process.execPath, [cli, 'keys', 'verify'], { env, input: secret }).status === 0;
}

/** Runs the script of the page; keys older than `age` are due. */
function runScript(age: string): void {
  const path = join(root, 'hkctl-rotate');
  writeFileSync(path, script.replace('--older-than 90d', `--older-than ${age}`), { mode: 0o700 });
  execFileSync(path, [file], { env, stdio: 'pipe' });
}

writeFileSync(join(root, 'hkctl'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
chmodSync(join(root, 'hkctl'), 0o700);
hkctl('init', '--org', 'Acme', '--entity', 'BER', '--entity-name', 'Berlin', '--timezone', 'UTC', '--admin', 'admin');

beforeEach(() => {
  rmSync(file, { force: true });
  rmSync(pending, { force: true });
  hkctl('keys', 'create', '--name', 'Gateway', '--entity', 'BER', '--preset', 'sensor-gateway', '--secret-file', file);
});

afterAll(() => rmSync(root, { recursive: true }));

describe('the rotation script of hkctl-keys(1)', () => {
  it('leaves a young key alone', () => {
    const before = readFileSync(file, 'utf8');
    runScript('90d');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(works(before)).toBe(true);
  });

  it('replaces the secret of an old key', () => {
    const before = readFileSync(file, 'utf8');
    runScript('0s');
    const after = readFileSync(file, 'utf8');
    expect(after).not.toBe(before);
    expect([works(before), works(after)]).toEqual([false, true]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(pending)).toBe(false);
  });

  it('ends a rotation that was killed between commit and rename', () => {
    const before = readFileSync(file, 'utf8');
    runScript('0s');
    // As it was at that moment: the new secret waits beside the file, which still holds the old one.
    renameSync(file, pending);
    writeFileSync(file, before, { mode: 0o600 });
    const waiting = readFileSync(pending, 'utf8');
    runScript('90d');
    expect(readFileSync(file, 'utf8')).toBe(waiting);
    expect(existsSync(pending)).toBe(false);
    expect(works(waiting)).toBe(true);
  });

  it('begins anew where it was killed before the commit', () => {
    const before = readFileSync(file, 'utf8');
    // A secret that was handed over but never kept opens nothing.
    writeFileSync(pending, `${before.trim().slice(0, -7)}0000000\n`, { mode: 0o600 });
    runScript('0s');
    expect(existsSync(pending)).toBe(false);
    expect([works(before), works(readFileSync(file, 'utf8'))]).toEqual([false, true]);
  });
});
