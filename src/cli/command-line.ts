import { HkctlError } from '../core/errors.ts';
import { fieldsIn } from './command/json-fields.ts';
import { aliases, leadingWordIndexes, nounIn } from './command-words.ts';
import { type NamedCommand, type NamedNoun, nouns } from './nouns.ts';

export interface CommandLine {
  /** The words as commander takes them, with `--json` alone. */
  argv: readonly string[];
  /** The fields of `--json FIELD,…`. */
  fields?: readonly string[];
}

/**
 * Reads a command line. Commander cannot do what these forms need, since it decides word by word: the word help in place of
 * `--help`; a list of fields behind `--json` that may be missing; `list keys`; and a noun alone, which lists.
 */
export async function readCommandLine(typedWords: readonly string[]): Promise<CommandLine> {
  const { argv, fields } = await takeJsonFields(await withoutHelpWord(typedWords));
  return { argv: await inOrder(argv), ...(fields && { fields }) };
}

/**
 * Takes the fields of `--json FIELD,…` out of a command line. A word behind `--json` that is no list of fields stays an
 * argument of the command.
 */
async function takeJsonFields(argv: readonly string[]): Promise<CommandLine> {
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
  const command = await commandOf(await inOrder(argvWithoutFields));
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

/**
 * The command line with `--help` at its end instead of the word help: `help keys`, and `keys help` of a noun with verbs; elsewhere
 * help can be the name of a file. Flags may stand before it: `--store X help keys`.
 */
async function withoutHelpWord(argv: readonly string[]): Promise<readonly string[]> {
  const [firstIndex = -1, secondIndex = -1] = leadingWordIndexes(argv);
  if (argv[firstIndex] === 'help') return withHelpFlag(argv, firstIndex);
  if (argv[secondIndex] !== 'help') return argv;

  const nounEntry = nouns.find(({ name }) => name === argv[firstIndex]);
  const loadedNoun = await nounEntry?.load();
  const takesVerbs = loadedNoun !== undefined && 'verbs' in loadedNoun;
  return takesVerbs ? withHelpFlag(argv, secondIndex) : argv;
}

function withHelpFlag(argv: readonly string[], helpIndex: number): readonly string[] {
  return [...argv.toSpliced(helpIndex, 1), '--help'];
}

/**
 * The command line with noun and verb in their order, if they were given in the other one: `list keys`. A noun alone lists, as
 * `hkctl users`.
 */
async function inOrder(argv: readonly string[]): Promise<readonly string[]> {
  const [firstIndex = -1, secondIndex = -1] = leadingWordIndexes(argv);
  const firstEntry = nouns.find(({ name }) => name === argv[firstIndex]);
  if (firstEntry !== undefined) {
    const noun = await firstEntry.load();
    return isAlone(noun, argv.slice(firstIndex + 1))
      ? argv.toSpliced(firstIndex + 1, 0, 'list')
      : argv;
  }

  const typedVerb = argv[firstIndex];
  const nounEntry = nouns.find(({ name }) => name === argv[secondIndex]);
  if (typedVerb === undefined || nounEntry === undefined) return argv;

  const loadedNoun = await nounEntry.load();
  if (!('verbs' in loadedNoun)) return argv;
  if (!loadedNoun.verbs.some(({ name }) => name === typedVerb)) return argv;

  return argv.with(firstIndex, nounEntry.name).with(secondIndex, typedVerb);
}

/** Whether a noun that does nothing by itself has no verb, nor asks for help. */
function isAlone(noun: NamedNoun | NamedCommand, rest: readonly string[]): boolean {
  if ('run' in noun || noun.bare !== undefined) return false;
  if (rest[0] !== undefined && !rest[0].startsWith('-')) return false;

  const otherWords = ['--help', '-h', ...noun.verbs.flatMap(({ name }) => [name, aliases[name]])];
  return !rest.some((word) => otherWords.includes(word));
}
