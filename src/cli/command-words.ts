import { HkctlError } from '../core/errors.ts';
import { redactSecrets } from '../core/secrets.ts';
import { shellWord } from '../core/text/quoting.ts';
import { didYouMean, nearestSafely, wordList } from '../core/text/words.ts';
import type { CommandDefinition } from './command/command.ts';
import { globalFlags, nameOf } from './command/flags.ts';
import { type NamedNoun, type NounEntry, nouns } from './nouns.ts';

export const aliases: Readonly<Record<string, string>> = { list: 'ls', revoke: 'rm' };

/** Names that other programs give a verb; only suggested, since `delete` of a key and of an entity differ. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  create: ['add', 'new', 'make', 'issue', 'generate'],
  add: ['create', 'new', 'make'],
  revoke: ['delete', 'remove', 'del'],
  remove: ['delete', 'del', 'rm'],
  deactivate: ['delete', 'remove', 'del', 'rm', 'disable'],
  activate: ['enable'],
  show: ['get', 'info', 'describe', 'view'],
  list: ['all', 'show', 'get', 'view'],
  rotate: ['roll', 'reissue'],
  set: ['update', 'edit', 'change'],
};

/** Verbs and commands that stop or delete something: they are suggested for a plain typing error alone. */
const riskyWords: readonly string[] = [
  ...['revoke', 'rotate', 'remove', 'deactivate', 'erase', 'set-role', 'set'],
  ...['restore', 'migrate', 'init', 'import'],
];

/** The places of the first two words of a command line, past the flags that all commands share. */
function leadingWordIndexes(argv: readonly string[]): number[] {
  const flagsWithValue = Object.values(globalFlags)
    .filter((flag) => flag.kind === 'value')
    .map(nameOf);
  const wordIndexes: number[] = [];
  for (let index = 0; index < argv.length && wordIndexes.length < 2; index++) {
    const word = argv[index] ?? '';
    if (flagsWithValue.includes(word)) index++;
    else if (!word.startsWith('-')) wordIndexes.push(index);
    else if (wordIndexes.length === 1) break;
  }
  return wordIndexes;
}

/**
 * The command line with `--help` at its end instead of the word help: `help keys`, and `keys help` of a noun with verbs; elsewhere
 * help can be the name of a file. Flags may stand before it: `--store X help keys`.
 */
export async function withoutHelpWord(argv: readonly string[]): Promise<readonly string[]> {
  const [firstIndex = -1, secondIndex = -1] = leadingWordIndexes(argv);
  let helpIndex = argv[firstIndex] === 'help' ? firstIndex : -1;
  if (helpIndex === -1 && argv[secondIndex] === 'help') {
    const loadedNoun = await nouns.find(({ name }) => name === argv[firstIndex])?.load();
    if (loadedNoun !== undefined && 'verbs' in loadedNoun) helpIndex = secondIndex;
  }
  return helpIndex === -1
    ? argv
    : [...argv.slice(0, helpIndex), ...argv.slice(helpIndex + 1), '--help'];
}

export function nounIn(
  argv: readonly string[],
): { noun: string; rest: readonly string[] } | undefined {
  const [nounIndex] = leadingWordIndexes(argv);
  return nounIndex === undefined
    ? undefined
    : { noun: argv[nounIndex] ?? '', rest: argv.slice(nounIndex + 1) };
}

/** The command line with noun and verb in their order, if they were given in the other one: `list keys`. */
export async function inOrder(argv: readonly string[]): Promise<readonly string[]> {
  const [verbIndex = -1, nounIndex = -1] = leadingWordIndexes(argv);
  const [typedVerb, typedNoun] = [argv[verbIndex], argv[nounIndex]];
  const nounEntry = nouns.find(({ name }) => name === typedNoun);
  if (
    typedVerb === undefined ||
    nounEntry === undefined ||
    nouns.some(({ name }) => name === typedVerb)
  )
    return argv;
  const loadedNoun = await nounEntry.load();
  if (!('verbs' in loadedNoun) || !loadedNoun.verbs.some(({ name }) => name === typedVerb))
    return argv;
  return argv.map((word, index) =>
    index === verbIndex ? nounEntry.name : index === nounIndex ? typedVerb : word,
  );
}

/** Refuses a verb that the noun does not have: `usage`. */
export function requireVerb(
  { name: noun, verbs, guidance }: NamedNoun,
  [word = '-']: readonly string[],
): void {
  const verbNames = verbs.map(({ name }) => name);
  if (word.startsWith('-') || verbNames.some((name) => name === word || aliases[name] === word))
    return;
  const advice = Object.hasOwn(guidance, word.toLowerCase()) && guidance[word.toLowerCase()];
  if (advice) throw new HkctlError('usage', advice.message, { hint: advice.hint });
  const [meantVerb] = Object.entries(synonyms).find(
    ([name, others]) => verbNames.includes(name) && others.includes(word.toLowerCase()),
  ) ?? [nearestSafely(word, verbNames, riskyWords)];
  throw new HkctlError('usage', `Unknown command: hkctl ${noun} ${word}`, {
    hint: `${didYouMean(meantVerb)}The commands of ${noun}: ${verbNames.join(', ')}.`,
  });
}

export function verbMissing({ name, verbs }: NamedNoun): HkctlError {
  const verbNames = verbs.map((verb) => verb.name);
  return new HkctlError('usage', `hkctl ${name} needs a command: ${wordList(verbNames, 'or')}.`, {
    hint: `Most often: hkctl ${name} ${verbNames[0]}. hkctl ${name} --help shows each, with examples.`,
  });
}

/** Flags of every command that other programs have as a word or as another flag, each with these. */
const flagsByWord: readonly (readonly [flag: string, words: readonly string[]])[] = [
  ['--version', ['version', 'ver', 'v']],
  ['--help', ['help', 'usage', 'man', 'h', '?']],
];

/** The flag of every command that a word or another flag means, also with a typing error; undefined if none. */
function commonFlagOf(typedWord: string): string | undefined {
  const bareWord = typedWord.replace(/^[-/]+/, '').toLowerCase();
  const [matchingFlag] = flagsByWord.find(([, words]) => words.includes(bareWord)) ?? [];
  if (matchingFlag !== undefined) return matchingFlag;
  const nearestWord = nearestSafely(bareWord, ['version', 'help'], ['version', 'help']);
  return nearestWord === undefined ? undefined : `--${nearestWord}`;
}

/** Refuses a noun that does not exist. A verb alone, such as `rotate`, is answered with the commands that have it. */
export async function requireNoun(typedNoun: string): Promise<void> {
  const nounNames = nouns.map(({ name }) => name);
  if (nounNames.includes(typedNoun)) return;
  const commonFlag = commonFlagOf(typedNoun);
  const nearestCommand =
    commonFlag === undefined
      ? nearestSafely(typedNoun, nounNames, riskyWords)
      : `hkctl ${commonFlag}`;
  const commandsWithVerb = nearestCommand === undefined ? await commandsWith(typedNoun) : [];
  const suggestion =
    nearestCommand ?? (commandsWithVerb.length === 0 ? undefined : commandsWithVerb.join(', '));
  throw new HkctlError('usage', `Unknown command: hkctl ${typedNoun}`, {
    hint:
      suggestion === undefined ? 'hkctl --help lists the commands.' : didYouMean(suggestion).trim(),
  });
}

/**
 * Refuses a flag of a command that stands before it, such as `--entity BER keys list`: `usage`, with the line as it was meant. A flag
 * whose command is missing is left to the program.
 */
export function requireFlagsBehindCommand(argv: readonly string[]): void {
  const isGlobal = (word: string) =>
    ['--help', '--version', ...Object.values(globalFlags).map(nameOf)].includes(
      word.split('=')[0] ?? '',
    );
  const nounIndex = argv.findIndex(
    (word) => word === '--' || nouns.some(({ name }) => name === word),
  );
  if (argv[nounIndex] === undefined || argv[nounIndex] === '--') return;
  const wordsBefore = argv.slice(0, nounIndex);
  const flagIndex = wordsBefore.findIndex((word) => word.startsWith('--') && !isGlobal(word));
  const misplacedFlag = wordsBefore[flagIndex];
  if (misplacedFlag === undefined) return;
  const correctedLine = [
    ...wordsBefore.slice(0, flagIndex),
    ...argv.slice(nounIndex),
    ...wordsBefore.slice(flagIndex),
  ];
  throw new HkctlError('usage', `${misplacedFlag.split('=')[0]} belongs behind the command.`, {
    hint: `hkctl ${correctedLine.map((word) => shellWord(redactSecrets(word))).join(' ')}`,
  });
}

/** Refuses a flag that a command does not have: `usage`, with what to do instead or the flag that was probably meant. */
export function unknownFlag(
  typedFlag: string,
  flagNames: readonly string[],
  guidance: CommandDefinition['flagGuidance'] = {},
): HkctlError {
  const [flagName = ''] = typedFlag.split('=');
  const advice = Object.hasOwn(guidance, flagName) ? guidance[flagName] : undefined;
  if (advice) return new HkctlError('usage', advice.message, { hint: advice.hint });
  const suggestedNames = flagNames.map((name) => name.replace(/^--/, '')).filter(isSuggested);
  const shortNames = suggestedNames.filter((name) => name.length <= mostLettersOfShort);
  const typedName = flagName.replace(/^-+/, '');
  const nearestName = suggestedNames.includes(typedName)
    ? typedName
    : nearestSafely(typedName, suggestedNames, shortNames);
  const suggestedFlag = nearestName === undefined ? commonFlagOf(flagName) : `--${nearestName}`;
  const hyphenAdvice = /^-[^-]/.test(flagName)
    ? ' An argument that begins with a hyphen stands behind --.'
    : '';
  return new HkctlError('usage', `Unknown flag: ${flagName}`, {
    hint:
      suggestedFlag === undefined
        ? `Add --help to see its flags.${hyphenAdvice}`
        : `Did you mean ${suggestedFlag}?`,
  });
}

/** Short names are like many words: only a plain typing error means one of these. */
const mostLettersOfShort = 5;

/** A flag by which a command does more, or no longer asks, is for people who know it. */
function isSuggested(flagName: string): boolean {
  const wideningFlags = [
    'yes',
    'force',
    'replace',
    'revoke',
    'accept-clock',
    'all-entities',
    'demo',
  ];
  return !wideningFlags.includes(flagName);
}

async function commandsWith(verb: string): Promise<string[]> {
  const matchingCommands = await Promise.all(
    nouns.map(async ({ name, load }: NounEntry) => {
      const loadedNoun = await load();
      return 'verbs' in loadedNoun && loadedNoun.verbs.some((command) => command.name === verb)
        ? [`hkctl ${name} ${verb}`]
        : [];
    }),
  );
  return matchingCommands.flat();
}

const storelessNouns = [
  'permissions',
  'openapi',
  'systemd-unit',
  'metrics-rules',
  'completion',
  'examples',
];

/**
 * Creates the function that adds `--store` to the hkctl commands in a hint, if the command line named the store: the hint is
 * then run on the same one (promise 3.11).
 */
export function createStoreNaming(argv: readonly string[]): (hint: string) => string {
  const storePath = namedStore(argv);
  if (storePath === undefined) return (hint) => hint;
  const nounNames = nouns.map(({ name }) => name).filter((name) => !storelessNouns.includes(name));
  const commandPattern = new RegExp(`\\bhkctl (?=(${nounNames.join('|')})\\b)`, 'g');
  return (hint) => hint.replace(commandPattern, () => `hkctl --store ${shellWord(storePath)} `);
}

function namedStore(argv: readonly string[]): string | undefined {
  const endOfFlags = argv.indexOf('--');
  const flagWords = endOfFlags === -1 ? argv : argv.slice(0, endOfFlags);
  const storeFlagIndex = flagWords.findLastIndex(
    (word) => word === '--store' || word.startsWith('--store='),
  );
  const storeFlag = flagWords[storeFlagIndex];
  return storeFlag === '--store'
    ? flagWords[storeFlagIndex + 1]
    : storeFlag?.slice('--store='.length);
}
