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
  const flagWords = endOfFlags === -1 ? argv : argv.slice(0, endOfFlags);
  const jsonIndex = flagWords.findLastIndex(
    (word) => word === '--json' || word.startsWith('--json='),
  );
  const jsonFlag = flagWords[jsonIndex];
  if (jsonFlag === undefined) return { argv };

  if (jsonFlag !== '--json') {
    const fieldList = jsonFlag.slice('--json='.length);
    return { argv: argv.with(jsonIndex, '--json'), fields: requireFieldList(fieldList) };
  }

  const nextWord = flagWords[jsonIndex + 1] ?? '';
  const fields = fieldsIn(nextWord);
  if (fields === undefined) return { argv };

  const argvWithoutFields = argv.toSpliced(jsonIndex + 1, 1);
  const command = await commandOf(argvWithoutFields);
  if (command === undefined) return { argv };
  if (await isVerbOf(argvWithoutFields, nextWord)) return { argv };

  const namesField = fields.some((field) => command.fields.includes(field));
  const isNoun = nouns.some(({ name }) => name === nextWord);
  const mayBeArgument = isNoun || command.arguments.length > 0;
  if (mayBeArgument && !namesField) return { argv };

  return { argv: argvWithoutFields, fields };
}

function requireFieldList(fieldList: string): string[] {
  const fields = fieldsIn(fieldList);
  if (fields !== undefined) return fields;

  throw new HkctlError('usage', `--json: "${fieldList}" is not a list of fields.`, {
    hint: 'Give their names with commas between them, such as --json=name,prefix.',
  });
}

async function loadedNoun(argv: readonly string[]): Promise<NamedNoun | NamedCommand | undefined> {
  const namedNoun = nounIn(argv);
  const nounEntry = nouns.find(({ name }) => name === namedNoun?.noun);
  return nounEntry?.load();
}

function findVerb({ verbs }: NamedNoun, word: string): NamedCommand | undefined {
  return verbs.find(({ name }) => name === word || aliases[name] === word);
}

/** Whether a word is the missing verb of a command line. */
async function isVerbOf(argv: readonly string[], word: string): Promise<boolean> {
  const noun = await loadedNoun(argv);
  if (noun === undefined || 'run' in noun) return false;

  const namesVerb = findVerb(noun, firstWord(argv)) !== undefined;
  return !namesVerb && findVerb(noun, word) !== undefined;
}

/** The first word behind the noun that is no flag. */
function firstWord(argv: readonly string[]): string {
  const wordsBehindNoun = nounIn(argv)?.rest;
  return wordsBehindNoun?.find((word) => !word.startsWith('-')) ?? '';
}

/** The command that a line names, if there is one. */
async function commandOf(argv: readonly string[]): Promise<NamedCommand | undefined> {
  const noun = await loadedNoun(argv);
  if (noun === undefined || 'run' in noun) return noun;
  return findVerb(noun, firstWord(argv)) ?? noun.bare;
}
