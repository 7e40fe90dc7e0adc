import { HkctlError } from '../core/errors.ts';
import { fieldsIn } from './command/json-fields.ts';
import { aliases, nounIn } from './command-words.ts';
import { type NamedCommand, type NamedNoun, nouns } from './nouns.ts';

export interface JsonArgument {
  /** The command line with `--json` alone. */
  argv: readonly string[];
  fields?: readonly string[];
}

/**
 * Takes the fields of `--json FIELD,…` out of a command line. A word behind `--json` that is no list of fields stays an argument of
 * the command: a noun or a verb that the line lacks, or a word of which no part is a field, if it is a noun or the command takes
 * arguments.
 */
export async function takeJsonFields(argv: readonly string[]): Promise<JsonArgument> {
  const endOfFlags = argv.indexOf('--');
  const flags = endOfFlags === -1 ? argv : argv.slice(0, endOfFlags);
  const at = flags.findLastIndex((word) => word === '--json' || word.startsWith('--json='));
  const flag = flags[at];
  if (flag === undefined) return { argv };

  if (flag !== '--json') {
    const text = flag.slice('--json='.length);
    return { argv: argv.with(at, '--json'), fields: requireFieldList(text) };
  }
  const word = flags[at + 1] ?? '';
  const fields = fieldsIn(word);
  const withoutFields = argv.toSpliced(at + 1, 1);
  if (fields === undefined) return { argv };

  const command = await commandOf(withoutFields);
  if (command === undefined || (await isVerbOf(withoutFields, word))) return { argv };
  const namesField = fields.some((field) => command.fields.includes(field));
  const mayBeWord = command.arguments.length > 0 || nouns.some(({ name }) => name === word);
  return namesField || !mayBeWord ? { argv: withoutFields, fields } : { argv };
}

function requireFieldList(text: string): string[] {
  const fields = fieldsIn(text);
  if (fields !== undefined) return fields;
  throw new HkctlError('usage', `--json: "${text}" is not a list of fields.`, {
    hint: 'Give their names with commas between them, such as --json=name,prefix.',
  });
}

async function loadedNoun(argv: readonly string[]): Promise<NamedNoun | NamedCommand | undefined> {
  const namedNoun = nounIn(argv);
  return nouns.find(({ name }) => name === namedNoun?.noun)?.load();
}

function verbIn({ verbs }: NamedNoun, word: string): NamedCommand | undefined {
  return verbs.find(({ name }) => name === word || aliases[name] === word);
}

/** Whether a word is the verb of a line that names none yet. */
async function isVerbOf(argv: readonly string[], word: string): Promise<boolean> {
  const noun = await loadedNoun(argv);
  if (noun === undefined || 'run' in noun) return false;
  return verbIn(noun, firstWord(argv)) === undefined && verbIn(noun, word) !== undefined;
}

/** The first word behind the noun that is no flag. */
function firstWord(argv: readonly string[]): string {
  return nounIn(argv)?.rest.find((word) => !word.startsWith('-')) ?? '';
}

/** The command that a line names, if there is one. */
async function commandOf(argv: readonly string[]): Promise<NamedCommand | undefined> {
  const noun = await loadedNoun(argv);
  if (noun === undefined || 'run' in noun) return noun;
  return verbIn(noun, firstWord(argv)) ?? noun.bare;
}
