import type { Command } from 'commander';
import { nouns } from '../../src/cli/nouns.ts';
import { createProgram } from '../../src/cli/program.ts';
import { silentOutput } from '../cli/silent-output.ts';
import type { PageFlag } from './mdoc.ts';

/** A command of the program: its arguments in order, and its flags by long name. */
export interface ProgramCommand {
  command: Command;
  arguments: string[];
  flags: Map<string, PageFlag>;
  /** The last argument takes any number of words. */
  variadic: boolean;
  required: number;
}

/** The program as the pages describe it. */
export interface Program {
  /** By words without `hkctl`: `keys create`. Nouns that do nothing without a verb are left out. */
  commands: Map<string, ProgramCommand>;
  globalFlags: Map<string, PageFlag>;
}

/** Walks the real program. */
export async function readProgram(): Promise<Program> {
  const root = await createProgram({ stdout: silentOutput() }, '0.0.0', async () => {});
  const commands = new Map<string, ProgramCommand>();
  for (const entry of nouns) {
    const noun = await entry.load();
    const command = childOf(root, entry.name);
    if ('run' in noun) {
      commands.set(entry.name, shapeOf(command));
      continue;
    }
    for (const { name } of noun.verbs)
      commands.set(`${entry.name} ${name}`, shapeOf(childOf(command, name)));
    if (noun.bare) commands.set(entry.name, shapeOf(childOf(command, noun.bare.name)));
  }
  return { commands, globalFlags: flagsOf(root) };
}

function childOf(command: Command, name: string): Command {
  const child = command.commands.find((found) => found.name() === name);
  if (!child) throw new Error(`${command.name()} has no command ${name}.`);
  return child;
}

function shapeOf(command: Command): ProgramCommand {
  const words = command.registeredArguments;
  return {
    command,
    arguments: words.map((word) => word.name().toLowerCase()),
    required: words.filter((word) => word.required).length,
    variadic: words.at(-1)?.variadic ?? false,
    flags: flagsOf(command),
  };
}

/** Flags by long name; two long names of one flag stand for two. Every command has `--help`, so it is left out. */
function flagsOf(command: Command): Map<string, PageFlag> {
  const flags = new Map<string, PageFlag>();
  for (const option of command.options.filter(({ hidden }) => !hidden)) {
    const short = /(?:^|\s)-([A-Za-z])\b/.exec(option.flags)?.[1];
    for (const [, name] of option.flags.matchAll(/--([a-z][a-z0-9-]*)/g)) {
      if (name && name !== 'help')
        flags.set(name, {
          takesValue: option.required || option.optional,
          short,
          ...(option.optional && { mayLackValue: true }),
        });
    }
  }
  return flags;
}
