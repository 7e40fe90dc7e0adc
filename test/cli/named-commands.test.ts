import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { nouns } from '../../src/cli/nouns.ts';
import { faultOf } from '../docs/lines.ts';
import { type Program, readProgram } from '../docs/program.ts';

const src = join(__dirname, '..', '..', 'src');
const program = await readProgram();
const verbsOf = new Map(
  nouns.map(({ name }) => [
    name,
    [...program.commands.keys()]
      .filter((path) => path.startsWith(`${name} `))
      .map((path) => path.slice(name.length + 1)),
  ]),
);

/** What stands for a value that the program fills in. */
const filledIn = 'VALUE';

/** Every text of a source file: strings and templates, without comments and without names of modules. */
function textsOf(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), 99);
  const texts: string[] = [];

  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      const parts = node.templateSpans.map(({ literal }) => `${filledIn}${literal.text}`);
      texts.push(`${node.head.text}${parts.join('')}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

/**
 * The commands that a text names, as words after `hkctl`. A sentence may go on behind one, so of its words only the command and
 * the flags that follow it at once are read.
 */
function commandsIn(text: string): string[][] {
  return [...text.matchAll(/\bhkctl((?: +[^\s]+)+)/g)].flatMap(([, line = '']) => {
    const words = line.trim().split(/ +/);
    const noun = (words[0] ?? '').replace(/[.,:;)"'`]+$/, '');
    const verbs = verbsOf.get(noun);
    if (verbs === undefined) return [];
    if (noun !== words[0]) return [[noun]];

    return [[noun, ...upToProse(noun, words.slice(1), verbs)]];
  });
}

/** The verb, the arguments in capitals and the flags with their values, up to the first word of a sentence. */
function upToProse(noun: string, words: readonly string[], verbs: readonly string[]): string[] {
  const command: string[] = [];

  for (const [index, word] of words.entries()) {
    const bare = word.replace(/[.,:;)"'`]+$/, '');
    const isVerb = index === 0 && verbs.length > 0 && /^[a-z][a-z-]*(VALUE)?$/.test(bare);
    const isArgument = /^\[?[A-Z…-]/.test(bare) || bare.includes(filledIn);
    const isValue = takesValue(noun, command);
    if (!isVerb && !isArgument && !isValue) break;

    command.push(isVerb ? bare.replace(filledIn, '') : bare);
    if (bare !== word) break;
  }
  return command;
}

/** Whether the last word is a flag whose value comes next. */
function takesValue(noun: string, command: readonly string[]): boolean {
  const flag = /^--([a-z-]+)$/.exec(command.at(-1) ?? '')?.[1];
  if (flag === undefined) return false;

  const flags = program.commands.get(`${noun} ${command[0]}`) ?? program.commands.get(noun);
  return flags?.flags.get(flag)?.takesValue ?? program.globalFlags.get(flag)?.takesValue ?? false;
}

/** Nothing is said of arguments that are missing: a sentence names a command by its words alone. */
function faultIn(program: Program, words: string[]): string | undefined {
  const [noun = '', verb = ''] = words;
  const verbs = verbsOf.get(noun) ?? [];
  if (verbs.length > 0 && verb === filledIn) return undefined;
  if (verbs.length > 0 && /^[a-z]/.test(verb) && !verbs.includes(verb)) {
    return `hkctl ${words.join(' ')}: no such command`;
  }

  const fault = faultOf(program, words);
  return fault?.endsWith('an argument is missing') ? undefined : fault;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const named = files.flatMap((file) =>
  textsOf(file)
    .flatMap(commandsIn)
    .map((words) => ({ file, words })),
);

describe('the commands that hints and messages name', () => {
  it('are ones that the program takes', () => {
    expect(named.length).toBeGreaterThan(100);
    const faults = named.flatMap(({ file, words }) => {
      const fault = faultIn(program, words);
      return fault === undefined ? [] : [`${file}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['keys rotate VALUE --expires never', 'no flag --expires'],
    ['keys lst', 'no such command'],
    ['users rename LOGIN', 'no such command'],
    ['sensors show CODE EXTRA', 'too many arguments'],
  ])('are found wrong if hkctl %s is one of them', (line, fault) => {
    const [words = []] = commandsIn(`Give it another: hkctl ${line}.`);
    expect(faultIn(program, words)).toContain(fault);
  });
});
