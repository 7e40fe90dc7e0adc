import type { CommandDefinition } from '../../src/cli/command/command.ts';
import type { Flag } from '../../src/cli/command/flags.ts';
import { nouns } from '../../src/cli/nouns.ts';

export interface TypedCommand {
  /** The words behind `hkctl`. */
  path: string[];
  definition: CommandDefinition;
}

/** Every command of the program, from its own definitions. */
export const commands: readonly TypedCommand[] = await allCommands();

async function allCommands(): Promise<TypedCommand[]> {
  const found: TypedCommand[] = [];
  for (const entry of nouns) {
    const noun = await entry.load();
    if ('run' in noun) {
      found.push({ path: [noun.name], definition: noun });
      continue;
    }
    for (const verb of noun.verbs) found.push({ path: [noun.name, verb.name], definition: verb });
    if (noun.bare) found.push({ path: [noun.name], definition: noun.bare });
  }
  return found;
}

/** Commands that open no store: tests of what a store holds, of roles and of sites leave them out. */
export const storelessCommands: readonly string[] = [
  'completion',
  'examples',
  'metrics-rules',
  'openapi',
  'permissions list',
  'postgres-citus',
  'postgres-roles',
  'systemd-unit',
];

/** Words that a command wants, good enough for a flag to be looked at. */
export function argumentsOf({ arguments: declared }: CommandDefinition): string[] {
  return declared.filter(({ spelling }) => spelling.startsWith('<')).map(() => 'x');
}

/** The long name of a flag as it is typed: `--secret-file`. */
export function longNameOf({ spelling }: Flag<unknown>): string {
  return /--[a-z-]+/.exec(spelling)?.[0] ?? '';
}
