import { HkctlError } from '../core/errors.ts';
import { redactSecrets } from '../core/secrets.ts';
import { shellWord } from '../core/text/quoting.ts';
import { didYouMean, nearestSafely } from '../core/text/words.ts';
import type { CommandDefinition, Guidance } from './command/command.ts';
import { globalFlags, nameOf } from './command/flags.ts';
import { commandAnswers, commonFlagWords, flagAnswers, verbSynonyms } from './foreign-words.ts';
import { type NamedNoun, type NounEntry, nouns } from './nouns.ts';

export const aliases: Readonly<Record<string, string>> = {
  list: 'ls',
  revoke: 'rm',
};

/** Verbs and commands that stop or delete something: they are suggested for a plain typing error alone. */
const riskyWords: readonly string[] = [
  ...['revoke', 'rotate', 'remove', 'deactivate', 'erase', 'set-role', 'set'],
  ...['restore', 'migrate', 'init', 'import'],
];

function isNoun(word: string): boolean {
  return nouns.some(({ name }) => name === word);
}

/** The indexes of the first two words of a command line, past the flags that all commands share. */
export function leadingWordIndexes(argv: readonly string[]): number[] {
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

export function nounIn(
  argv: readonly string[],
): { noun: string; rest: readonly string[] } | undefined {
  const [nounIndex] = leadingWordIndexes(argv);
  if (nounIndex === undefined) return undefined;

  return {
    noun: argv[nounIndex] ?? '',
    rest: argv.slice(nounIndex + 1),
  };
}

/** Refuses a verb that the noun does not have: `usage`. */
export function requireVerb(namedNoun: NamedNoun, rest: readonly string[]): void {
  const { name: noun, verbs, guidance } = namedNoun;
  const [word = '-'] = rest;
  const verbNames = verbs.map(({ name }) => name);
  if (word.startsWith('-')) return;
  if (verbNames.includes(word)) return;
  if (verbNames.some((name) => aliases[name] === word)) return;

  const advice = adviceFor(word.toLowerCase(), guidance);
  if (advice !== undefined) throw advice;

  const answer = answerTo(`${noun} ${word}`);
  if (answer !== undefined)
    throw new HkctlError('usage', `Unknown command: hkctl ${noun} ${word}`, { hint: answer });

  const meantVerb = meantVerbOf(word, verbNames);
  throw new HkctlError('usage', `Unknown command: hkctl ${noun} ${word}`, {
    hint: `${didYouMean(meantVerb)}The commands of ${noun}: ${verbNames.join(', ')}.`,
  });
}

/** The answer to the word of another program, such as `sites`; undefined for any other word. */
function answerTo(words: string): string | undefined {
  const lowerWords = words.toLowerCase();
  return Object.hasOwn(commandAnswers, lowerWords) ? commandAnswers[lowerWords] : undefined;
}

/** The error for a word that does not exist on purpose; undefined for any other word. */
function adviceFor(
  word: string,
  guidance: Readonly<Record<string, Guidance>>,
): HkctlError | undefined {
  const advice = Object.hasOwn(guidance, word) ? guidance[word] : undefined;
  if (advice === undefined) return undefined;

  const { message, hint } = advice;
  return new HkctlError('usage', message, { hint });
}

/** The verb for which other programs use this word, else the verb with the nearest spelling. */
function meantVerbOf(word: string, verbNames: readonly string[]): string | undefined {
  const lowerCaseWord = word.toLowerCase();
  const synonymEntry = Object.entries(verbSynonyms).find(
    ([verb, otherWords]) => verbNames.includes(verb) && otherWords.includes(lowerCaseWord),
  );
  if (synonymEntry !== undefined) return synonymEntry[0];

  return nearestSafely(word, verbNames, riskyWords);
}

/** The flag of every command that a word or another flag means, also with a typing error; undefined if none. */
function commonFlagOf(typedWord: string): string | undefined {
  const bareWord = typedWord.replace(/^[-/]+/, '').toLowerCase();
  const matchingEntry = commonFlagWords.find(([, words]) => words.includes(bareWord));
  if (matchingEntry !== undefined) return matchingEntry[0];

  const commonWords = ['version', 'help'];
  const nearestWord = nearestSafely(bareWord, commonWords, commonWords);
  return nearestWord === undefined ? undefined : `--${nearestWord}`;
}

/** Refuses a noun that does not exist. A verb alone, such as `rotate`, is answered with the commands that have it. */
export async function requireNoun(typedNoun: string): Promise<void> {
  const nounNames = nouns.map(({ name }) => name);
  if (nounNames.includes(typedNoun)) return;

  const hint = answerTo(typedNoun) ?? (await suggestionFor(typedNoun, nounNames));
  throw new HkctlError('usage', `Unknown command: hkctl ${typedNoun}`, { hint });
}

async function suggestionFor(word: string, nounNames: readonly string[]): Promise<string> {
  const suggestion = await suggestedCommands(word, nounNames);
  return suggestion === undefined
    ? 'hkctl --help lists the commands.'
    : didYouMean(suggestion).trim();
}

/** The command that a word probably means, else all commands of which it is the verb. */
async function suggestedCommands(
  word: string,
  nounNames: readonly string[],
): Promise<string | undefined> {
  const commonFlag = commonFlagOf(word);
  if (commonFlag !== undefined) return `hkctl ${commonFlag}`;

  const nearestNoun = nearestSafely(word, nounNames, riskyWords);
  if (nearestNoun !== undefined) return nearestNoun;

  const commandsWithVerb = await commandsWith(word);
  if (commandsWithVerb.length === 0) return undefined;

  return commandsWithVerb.join(', ');
}

/**
 * Refuses a flag of a command that stands before it, such as `--entity BER keys list`: `usage`, with the line as it was meant. A flag
 * whose command is missing is left to the program.
 */
export function requireFlagsBehindCommand(argv: readonly string[]): void {
  const nounIndex = argv.findIndex((word) => word === '--' || isNoun(word));
  const noun = argv[nounIndex];
  if (noun === undefined || noun === '--') return;

  const globalNames = Object.values(globalFlags).map(nameOf);
  const allowedNames = ['--help', '--version', ...globalNames];
  const isMisplaced = (word: string) => {
    const [flagName = ''] = word.split('=');
    return word.startsWith('--') && !allowedNames.includes(flagName);
  };
  const wordsBefore = argv.slice(0, nounIndex);
  const flagIndex = wordsBefore.findIndex(isMisplaced);
  const misplacedFlag = wordsBefore[flagIndex];
  if (misplacedFlag === undefined) return;

  const correctedLine = [
    ...wordsBefore.slice(0, flagIndex),
    ...argv.slice(nounIndex),
    ...wordsBefore.slice(flagIndex),
  ];
  const shownWords = correctedLine.map((word) => shellWord(redactSecrets(word)));
  const [flagName] = misplacedFlag.split('=');
  throw new HkctlError('usage', `${flagName} belongs behind the command.`, {
    hint: `hkctl ${shownWords.join(' ')}`,
  });
}

/** Refuses a flag that a command does not have: `usage`, with the alternative or the flag that was probably meant. */
export function unknownFlag(
  typedFlag: string,
  flagNames: readonly string[],
  guidance: CommandDefinition['flagGuidance'] = {},
): HkctlError {
  const [flagName = ''] = typedFlag.split('=');
  const advice = adviceFor(flagName, guidance);
  if (advice !== undefined) return advice;

  const answer = flagAnswers[flagName]?.find(
    (text) => !text.startsWith('--') || flagNames.includes(text) || text in guidance,
  );
  if (answer !== undefined) {
    const isFlag = answer.startsWith('--');
    const guided = isFlag ? adviceFor(answer, guidance) : undefined;
    if (guided !== undefined) return guided;
    return new HkctlError('usage', `Unknown flag: ${flagName}`, {
      hint: isFlag ? didYouMean(answer).trim() : answer,
    });
  }

  const bareNames = flagNames.map((name) => name.replace(/^--/, ''));
  const suggestedNames = bareNames.filter(isSuggested);
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

/** Short names resemble many words: only a plain typing error suggests them. */
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
      if (!('verbs' in loadedNoun)) return [];

      const hasVerb = loadedNoun.verbs.some((command) => command.name === verb);
      return hasVerb ? [`hkctl ${name} ${verb}`] : [];
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
 * Creates the function that adds `--store` to the hkctl commands in a hint, if the command line named the store. The hint then
 * runs on the same one (promise 3.11).
 */
export function createStoreNaming(argv: readonly string[]): (hint: string) => string {
  const storePath = namedStore(argv);
  if (storePath === undefined) return (hint) => hint;

  const nounNames = nouns.map(({ name }) => name);
  const storeNouns = nounNames.filter((name) => !storelessNouns.includes(name));
  const commandPattern = new RegExp(`\\bhkctl (?=(${storeNouns.join('|')})\\b)`, 'g');
  const commandStart = `hkctl --store ${shellWord(storePath)} `;
  return (hint) => hint.replace(commandPattern, () => commandStart);
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
