import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../e2e/program.ts';
import { outputOf, runProgram } from '../../run-program.ts';

/** The command lines of hkctl-keys(1), section DELIVERY BY A COMMAND, as a shell runs them. */
const section =
  /\.Sh DELIVERY BY A COMMAND\n([\s\S]*?)\n\.Sh /.exec(
    readFileSync('man/hkctl-keys.1', 'utf8'),
  )?.[1] ?? '';
const examples = [...section.matchAll(/\.Bd -literal -offset indent\n([\s\S]*?)\n\.Ed/g)]
  .flatMap(([, text = '']) => text.split('\n\n'))
  .map((text) => text.replaceAll('\\e', '\\'));

const root = mkdtempSync(join(tmpdir(), 'hkctl-delivery-'));
afterAll(() => rmSync(root, { recursive: true }));
const [programs, machines] = [join(root, 'programs'), join(root, 'machines')];
const env = {
  ...process.env,
  HKCTL_STORE: join(root, 'hkctl.db'),
  HKCTL_USER: 'admin',
  PATH: `${programs}:${process.env.PATH}`,
};

/** Programs that do what those of the page do, as far as it goes: a machine is a folder. */
const fakes = {
  hkctl: `exec '${process.execPath}' '${cli}' "$@"`,
  ssh: `cd "${machines}/$1" && shift && exec sh -c "$*"`,
  vault: `test "$1 $2 $3 $4 $5" = 'kv put -mount=secret erp/hkctl key=-' && exec cat > '${machines}/vault'`,
  kubectl: `case "$1 $2" in
  'create secret') test "$4 $5" = 'hkctl --from-file=key=/dev/stdin' && cat /dev/stdin;;
  'apply -f') cat > '${machines}/kubernetes'; test -s '${machines}/kubernetes';;
  'rollout restart') echo "$*" > '${machines}/restarted';;
  *) exit 9;;
esac`,
};

mkdirSync(programs);
for (const [name, text] of Object.entries(fakes)) {
  writeFileSync(join(programs, name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(programs, name), 0o755);
}
const hkctl = (...args: string[]) => outputOf('hkctl', args, { env });
hkctl(
  'init',
  ...['--org', 'A', '--entity', 'BER', '--entity-name', 'B', '--timezone', 'UTC'],
  ...['--admin', 'admin'],
);

beforeEach(() => {
  rmSync(machines, { recursive: true, force: true });
  for (const name of ['erp', 'Gateway1', 'Gateway2'])
    mkdirSync(join(machines, name), { recursive: true });
  for (const name of ['ERP', 'Gateway 1', 'Gateway 2']) {
    runProgram('hkctl', ['keys', 'revoke', name, '--yes'], { env });
    hkctl('keys', 'create', '--name', name, '--entity', 'BER', '--preset', 'sensor-gateway');
  }
});

const run = (line: string) =>
  runProgram('sh', ['-c', line.replace('--if-older-than 90d ', '')], { env });
const held = (...path: string[]) => readFileSync(join(machines, ...path), 'utf8');
const works = (secret: string) =>
  runProgram('hkctl', ['keys', 'verify'], { env, input: secret }).code;

describe('the examples of hkctl-keys(1) for --deliver', () => {
  it('are four', () => {
    expect(examples).toHaveLength(4);
  });

  it.each([
    ['by ssh', 0, [['erp', 'hkctl.key']]],
    [
      'by ssh, for several',
      1,
      [
        ['Gateway1', 'hkctl.key'],
        ['Gateway2', 'hkctl.key'],
      ],
    ],
    ['into Vault', 2, [['vault']]],
    ['into Kubernetes', 3, [['kubernetes']]],
  ])('%s: the secret that is there works', (_what, index, places) => {
    const { code, stderr } = run(examples[index] ?? '');
    expect(code, stderr).toBe(0);
    for (const place of places) expect(works(held(...place))).toBe(0);
  });

  it('restart what uses the secret', () => {
    run(examples[3] ?? '');
    expect(held('restarted')).toBe('rollout restart deployment erp\n');
  });

  it('rotate nothing where the other machine is not there', () => {
    rmSync(join(machines, 'erp'), { recursive: true });
    const { code, stderr } = run(examples[0] ?? '');
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing was rotated')]);
  });
});
