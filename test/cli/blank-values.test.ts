import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Flag, globalFlags, readFlags } from '../../src/cli/command/flags.ts';
import { argumentsOf, commands, longNameOf } from './all-commands.ts';
import { Cli } from './harness.ts';

const cli = new Cli();
beforeAll(async () => {
  await cli.seed();
});

const audited = async () => (await cli.ok('audit list --json --limit 100000')).stdout;

/** Runs a line that must be refused, and returns the message. */
async function refused(argv: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const result = await cli.run([...argv, '--json'], { env });
  expect([argv.join(' '), result.code, result.stdout]).toEqual([argv.join(' '), 2, '']);
  return result.error().message;
}

const blanks = ['', ' ', '\t ', '\n'];

function blanksOf(flag: Flag<unknown>): string[] {
  return flag.takesCommas ? [...blanks, ',', ' , ', 'x,', ',x'] : blanks;
}

describe('a blank value', () => {
  let before: string;
  beforeAll(async () => {
    before = await audited();
  });
  // A record of the trail names the command that was not refused.
  afterAll(async () => {
    expect(await audited()).toBe(before);
  });

  for (const { path, definition } of commands) {
    const line = `hkctl ${path.join(' ')}`;
    const words = argumentsOf(definition);

    for (const flag of Object.values(definition.flags)) {
      if (flag.kind === 'toggle' || flag.mayBeBlank) continue;
      const long = longNameOf(flag);
      const [variable = ''] = flag.env;

      it(`of ${line} ${long} is exit 2 and named`, async () => {
        for (const blank of blanksOf(flag)) {
          // An optional value stands behind the sign =; the next word is an argument.
          const isOptional = flag.spelling.includes('[');
          if (!isOptional) expect(await refused([...path, ...words, long, blank])).toContain(long);
          expect(await refused([...path, ...words, `${long}=${blank}`])).toContain(long);
        }
      });

      it(`of ${variable} for ${line} is exit 2 and named`, async () => {
        const isRequired = flag.requiresVariableValue === true;
        for (const blank of isRequired ? blanksOf(flag) : blanks.slice(1)) {
          expect(await refused([...path, ...words], { [variable]: blank })).toContain(variable);
        }
      });

      if (flag.kind === 'value') {
        it(`of ${line} ${long} is refused behind another value, too`, async () => {
          const message = await refused([...path, ...words, long, 'x', long, 'x']);
          expect(message).toBe(`${long} was given twice.`);
        });
      }
    }

    for (const [place, argument] of definition.arguments.entries()) {
      if (argument.mayBeBlank) continue;
      const name = /\w+/.exec(argument.spelling)?.[0] ?? '';
      it(`of ${line} ${name} is exit 2 and named`, async () => {
        const before = Array.from({ length: place }, () => 'x');
        const after = words.slice(place + 1);
        for (const blank of blanks) {
          expect(await refused([...path, ...before, blank, ...after])).toContain(name);
        }
      });
    }
  }

  it('of a global flag is exit 2 for every command that has one', async () => {
    for (const flag of Object.values(globalFlags)) {
      if (flag.kind === 'toggle') continue;
      for (const blank of blanks) {
        expect(await refused(['keys', 'list', longNameOf(flag), blank])).toContain(
          longNameOf(flag),
        );
      }
    }
  });
});

describe('an empty environment variable', () => {
  it('counts as unset', async () => {
    const env = { HKCTL_ENTITY: '', HKCTL_STATUS: '', HKCTL_USER: '', HKCTL_JSON: '' };
    expect((await cli.ok('keys list', { env })).stdout).not.toContain('BER');
  });

  it('of any flag counts as unset, but for one whose absence opens something', () => {
    const sets = [globalFlags, ...commands.map(({ definition }) => definition.flags)];
    for (const flags of sets) {
      const unset = readFlags(flags, {}, {});
      for (const flag of Object.values<Flag<unknown>>(flags)) {
        for (const variable of flag.env) {
          const read = () => readFlags(flags, {}, { [variable]: '' });
          if (flag.requiresVariableValue) expect(read).toThrow(variable);
          else expect([variable, read()]).toEqual([variable, unset]);
        }
      }
    }
  });

  it('for --allow-ip is refused, unless the command line gives the flag', async () => {
    const create = 'keys create --name A --entity BER --preset sensor-gateway';
    const env = { HKCTL_ALLOW_IP: '' };
    expect((await cli.run(create, { env })).code).toBe(2);
    await cli.ok(`${create} --allow-ip 10.0.0.7`, { env });
  });
});

describe('what may be blank', () => {
  it.each(['', '  '])('is a note, which the text "%s" clears', async (blankText) => {
    const { key } = await cli.key('Noted', ['--note', 'Line 3']);
    await cli.ok(['keys', 'note', key.prefix, blankText]);
    expect((await cli.show(key.prefix)).note).toBeNull();
    expect((await cli.key('Plain', ['--note', blankText])).key.note).toBeNull();
  });

  it('is nothing else but the word that a shell completes', () => {
    const blankable = commands.flatMap(({ path, definition }) =>
      [...Object.values(definition.flags), ...definition.arguments]
        .filter(({ mayBeBlank }) => mayBeBlank)
        .map(({ spelling }) => `${path.join(' ')} ${spelling}`),
    );
    expect(blankable).toEqual([
      'keys create --note <TEXT>',
      'keys note <TEXT>',
      'completion [WORD...]',
    ]);
  });
});

it('of a global flag that is given twice the last one counts', async () => {
  await cli.ok(['keys', 'list', '--as', 'nobody', '--as', 'root']);
});
