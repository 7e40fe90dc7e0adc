import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { manFolder } from '../../docs/mdoc.ts';
import { outputOf, runProgram } from '../../run-program.ts';

const cli = join(manFolder, '..', 'bin', 'hkctl.js');
const page = readFileSync(join(manFolder, 'hkctl-keys.1'), 'utf8');
const source = page.replaceAll('\\e', '\\');
/** The lines of cron and systemd as the page prints them, and as a shell runs them then. */
const lines = {
  cron: /^17 3 \* \* \* hkctl (.*)$/m.exec(source)?.[1] ?? '',
  systemd: (/^ExecStart=\/bin\/sh -c '([^']*)'$/m.exec(source)?.[1] ?? '')
    .replaceAll('$$', '$')
    .replaceAll('\\\n', ''),
};

const root = mkdtempSync(join(tmpdir(), 'hkctl-rotation-'));
const env = {
  ...process.env,
  HKCTL_STORE: join(root, 'hkctl.db'),
  HKCTL_USER: 'admin',
  PATH: `${root}:${process.env.PATH}`,
};
const file = join(root, 'gateway.key');
const pending = `${file}.new`;
const restarts = join(root, 'restarts');

function hkctl(...args: string[]): string {
  return outputOf(process.execPath, [cli, ...args], { env });
}

/** Whether a secret would be let in. */
function works(secret: string): boolean {
  return runProgram(process.execPath, [cli, 'keys', 'verify'], { env, input: secret }).code === 0;
}

/** Whether the gateway of the page was restarted to read its new secret since the last call. */
function wasRestarted(): boolean {
  const before = existsSync(restarts);
  rmSync(restarts, { force: true });
  return before;
}

writeFileSync(join(root, 'hkctl'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`);
writeFileSync(
  join(root, 'systemctl'),
  `#!/bin/sh\ntest "$*" = 'restart gateway' && echo "$*" > '${restarts}'\n`,
);
writeFileSync(join(root, 'sudo'), '#!/bin/sh\nexec "$@"\n');
for (const name of ['hkctl', 'systemctl', 'sudo']) chmodSync(join(root, name), 0o700);
hkctl(
  'init',
  '--org',
  'Acme',
  '--entity',
  'BER',
  '--entity-name',
  'Berlin',
  '--timezone',
  'UTC',
  '--admin',
  'admin',
);

beforeEach(() => {
  rmSync(file, { force: true });
  rmSync(pending, { force: true });
  rmSync(restarts, { force: true });
  hkctl(
    'keys',
    'create',
    '--name',
    'Gateway',
    '--entity',
    'BER',
    '--preset',
    'sensor-gateway',
    '--secret-file',
    file,
  );
});

afterAll(() => rmSync(root, { recursive: true }));

describe.each(Object.entries(lines))('the line of hkctl-keys(1) for %s', (_name, line) => {
  /** Runs it; keys older than `age` are due. */
  const runScript = (age: string) => {
    const command = line.replace('--if-older-than 90d', `--if-older-than ${age}`);
    outputOf('/bin/sh', ['-c', command], { env: { ...env, FILE: file } });
  };

  it('leaves a young key alone', () => {
    const before = readFileSync(file, 'utf8');
    runScript('90d');
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(works(before)).toBe(true);
    expect(wasRestarted()).toBe(false);
  });

  it('replaces the secret of an old key', () => {
    const before = readFileSync(file, 'utf8');
    runScript('0s');
    const after = readFileSync(file, 'utf8');
    expect(after).not.toBe(before);
    expect([works(before), works(after)]).toEqual([false, true]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(pending)).toBe(false);
    expect(wasRestarted()).toBe(true);
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
    // A secret that was delivered but never kept opens nothing.
    writeFileSync(pending, `${before.trim().slice(0, -7)}0000000\n`, { mode: 0o600 });
    runScript('0s');
    expect(existsSync(pending)).toBe(false);
    expect([works(before), works(readFileSync(file, 'utf8'))]).toEqual([false, true]);
  });
});
