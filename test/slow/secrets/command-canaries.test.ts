import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../../cli/harness.ts';
import { type ProgramCommand, readProgram } from '../../docs/program.ts';
import { type Canary, CanaryWatch, canaries } from '../../e2e/secrets/canaries.ts';
import { filesUnder } from '../../e2e/secrets/leaks.ts';
import { isPath } from './path-arguments.ts';

/** Each input is given so many forms of the canary in one run, others in each; all of them with a number that is as large. */
const rounds = Number(process.env.TEST_HKCTL_ROUNDS ?? 8);

/** What each command needs beside the input that is tried. */
const valid: Record<string, string[]> = {
  init: [
    '--org',
    'A',
    '--week-start',
    'monday',
    '--entity',
    'X',
    '--entity-name',
    'x',
    '--timezone',
    'UTC',
    '--admin',
    'a',
  ],
  'keys create': [
    '--name',
    'N',
    '--entity',
    'BER',
    '--preset',
    'sensor-gateway',
    '--expires',
    'never',
  ],
  'keys show': ['hk_00000'],
  'keys rotate': ['hk_00000', '--yes'],
  'keys revoke': ['hk_00000', '--yes'],
  'keys scan': ['-'],
  'entities add': ['NEW', '--name', 'n', '--timezone', 'UTC'],
  'entities activate': ['CHI'],
  'entities deactivate': ['CHI', '--yes'],
  'entities remove': ['GONE', '--yes'],
  'users add': ['bob', '--name', 'Bob', '--role', 'operator'],
  'users activate': ['operator'],
  'users deactivate': ['operator', '--yes'],
  'users set-role': ['operator', 'manager'],
  'tenants add': ['Other', '--admin', 'eve'],
  'tenants set': ['--name', 'Acme'],
  import: ['parts', '-', '--entity', 'BER', '--format', 'csv'],
  'sensors list': ['--entity', 'BER'],
  'sensors show': ['OVEN', '--entity', 'BER'],
  'sensors export': ['--entity', 'BER'],
  'sensors tail': ['--entity', 'BER'],
  completion: ['bash'],
  examples: ['mirror.py'],
};

/** A shell says itself what it does not find, and the process list has a command anyway. */
const leftOut = new Set(['exec']);

describe('no canary comes out of a command', () => {
  let folder: string;
  let cli: Cli;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hkctl-canaries-'));
    cli = await new Cli(join(folder, 'store', 'hkctl.db')).seed();
    await cli.ok('import sensors - --format csv --entity BER', {
      input: 'id,code,name,is_active\n1,OVEN,Oven,true\n',
    });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs a line with a canary in it; what it says must not hold it, and nothing unexpected may happen. */
  const tried = async (
    canary: Canary,
    argv: string[],
    options: { env?: Record<string, string>; input?: string } = {},
  ) => {
    // `sensors tail` goes on until Ctrl-C.
    const { code, stdout, stderr } = await cli.run(argv, {
      ...options,
      interrupted: AbortSignal.abort(),
    });
    const what = `${canary.form}: ${JSON.stringify(argv)} ${JSON.stringify(options)}\n${stdout}${stderr}`;
    expect(code === 1 && /Internal error/.test(stderr), what).toBe(false);
    expect(new CanaryWatch([canary]).leakIn(stdout + stderr), what).toBeUndefined();
  };
  const asPath = (name: string, text: string) =>
    isPath(name) ? join(folder, `in-${text.replaceAll('/', '_').slice(0, 200)}`) : text;

  it('by flag, variable or word', async () => {
    const { commands, globalFlags } = await readProgram();
    const all = canaries();
    const used = new Set<Canary>();
    let turn = 0;
    const each = async (use: (canary: Canary) => Promise<void>) => {
      for (let round = 0; round < Math.min(rounds, all.length); round++) {
        const canary = all[turn++ % all.length];
        if (!canary) continue;
        used.add(canary);
        await use(canary);
      }
    };
    const linesOf = (name: string, command: ProgramCommand) => {
      const words = name.split(' ');
      const rest =
        valid[name] ??
        command.arguments.slice(0, command.required).map((word) => asPath(word, 'x'));
      return { words, rest };
    };
    for (const [name, command] of commands) {
      // The daemon has a file of tests of its own.
      if (name === 'serve') continue;
      const { words, rest } = linesOf(name, command);
      for (const [flag, { takesValue }] of [...command.flags, ...globalFlags]) {
        if (!takesValue || leftOut.has(flag)) continue;
        await each((canary) =>
          tried(canary, [...words, ...rest, `--${flag}`, asPath(flag, canary.text)]),
        );
        await each((canary) =>
          tried(canary, [...words, ...rest, '--json', `--${flag}=${asPath(flag, canary.text)}`]),
        );
        const variable = `HKCTL_${flag.toUpperCase().replaceAll('-', '_')}`;
        const without = rest.filter(
          (word, at) => word !== `--${flag}` && rest[at - 1] !== `--${flag}`,
        );
        await each((canary) =>
          tried(canary, [...words, ...without], { env: { [variable]: asPath(flag, canary.text) } }),
        );
      }
      for (const [at, word] of command.arguments.entries()) {
        await each((canary) =>
          tried(
            canary,
            [...words, ...rest.with(at < rest.length ? at : -1, asPath(word, canary.text))].filter(
              Boolean,
            ),
          ),
        );
      }
      const first = command.arguments[0] ?? '';
      await each((canary) => tried(canary, [...words, asPath(first, canary.text)]));
      await each((canary) => tried(canary, [...words, ...rest, `--${canary.text}`, '--debug']));
      await each((canary) => tried(canary, [canary.text, ...words]));
    }
    expect([used.size, turn]).toEqual([all.length, expect.any(Number)]);
    expect(turn).toBeGreaterThan(500);
    await expectClean(all);
  });

  it('by standard input or the content of a file', async () => {
    const all = canaries();
    // Each line of a file is a value of its own, and nobody can know that some of them belong together.
    for (const canary of all.filter(({ text }) => !text.includes('\n'))) {
      const { text } = canary;
      const content = `id,${text.replaceAll(',', ' ')}\n${text},${text}\n{"id":"${text}"}\n`;
      const file = join(folder, 'in.txt');
      writeFileSync(file, content);
      for (const format of ['csv', 'ndjson', 'json']) {
        await tried(canary, ['import', 'parts', '-', '--entity', 'BER', '--format', format], {
          input: content,
        });
        await tried(canary, [
          'import',
          'parts',
          file,
          '--entity',
          'BER',
          '--format',
          format,
          '--json',
        ]);
      }
      await tried(canary, ['import', 'parts', '-', '--entity', 'BER', '--format', 'json'], {
        input: `[{"id":${JSON.stringify(text)},"${text}":1}]`,
      });
      await tried(canary, ['keys', 'verify'], { input: text });
      await tried(canary, ['keys', 'verify', '--json'], { input: `${text}\n` });
      await tried(canary, ['keys', 'scan', '-'], { input: `${text}\n` });
      await tried(canary, ['keys', 'scan', file, '--json']);
      await tried(canary, ['audit', 'verify', '--anchors', '-'], {
        input: `${content}{"msg":"audit head","count":"${text}"}`,
      });
      await tried(canary, ['restore', file, '--yes']);
      await tried(canary, ['--store', file, 'keys', 'list']);
      rmSync(file);
    }
    await expectClean(all);
  });

  it('by the account of the operating system', async () => {
    const all = canaries();
    for (const canary of all) {
      const { stdout, stderr } = await cli.run('keys list', { osAccount: canary.text });
      expect(new CanaryWatch([canary]).leakIn(stdout + stderr), canary.form).toBeUndefined();
      await cli.ok('--as root keys create --name N --entity BER --preset sensor-gateway', {
        osAccount: canary.text,
      });
    }
    await expectClean(all);
  });

  /** Neither the trail nor any file may hold one; those that a canary names are its own doing. */
  const expectClean = async (all: readonly Canary[]) => {
    const trail =
      (await cli.ok('--as root audit export')).stdout +
      (await cli.ok('--as root audit list --limit 100000')).stdout;
    expect(new CanaryWatch(all).leakIn(trail)).toBeUndefined();
    for (const path of filesUnder(join(folder, 'store'))) {
      expect(new CanaryWatch(all).leakIn(readFileSync(path, 'latin1'), 13), path).toBeUndefined();
    }
  };
});
