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
const risky: readonly string[] = [
  ...['revoke', 'rotate', 'remove', 'deactivate', 'erase', 'set-role', 'set'],
  ...['restore', 'migrate', 'init', 'import'],
];

/** The places of the first two words of a command line, past the flags that all commands share. */
function wordPlaces(argv: readonly string[]): number[] {
  const withValue = Object.values(globalFlags)
    .filter((flag) => flag.kind === 'value')
    .map(nameOf);
  const places: number[] = [];
  for (let i = 0; i < argv.length && places.length < 2; i++) {
    const word = argv[i] ?? '';
    if (withValue.includes(word)) i++;
    else if (!word.startsWith('-')) places.push(i);
    else if (places.length === 1) break;
  }
  return places;
}

/**
 * The command line with `--help` at its end instead of the word help: `help keys`, and `keys help` of a noun with verbs; elsewhere
 * help can be the name of a file. Flags may stand before it: `--store X help keys`.
 */
export async function withoutHelpWord(argv: readonly string[]): Promise<readonly string[]> {
  const [first = -1, second = -1] = wordPlaces(argv);
  let at = argv[first] === 'help' ? first : -1;
  if (at === -1 && argv[second] === 'help') {
    const noun = await nouns.find(({ name }) => name === argv[first])?.load();
    if (noun !== undefined && 'verbs' in noun) at = second;
  }
  return at === -1 ? argv : [...argv.slice(0, at), ...argv.slice(at + 1), '--help'];
}

export function nounIn(
  argv: readonly string[],
): { noun: string; rest: readonly string[] } | undefined {
  const [at] = wordPlaces(argv);
  return at === undefined ? undefined : { noun: argv[at] ?? '', rest: argv.slice(at + 1) };
}

/** The command line with noun and verb in their order, if they were given in the other one: `list keys`. */
export async function inOrder(argv: readonly string[]): Promise<readonly string[]> {
  const [first = -1, second = -1] = wordPlaces(argv);
  const [verb, noun] = [argv[first], argv[second]];
  const entry = nouns.find(({ name }) => name === noun);
  if (verb === undefined || entry === undefined || nouns.some(({ name }) => name === verb))
    return argv;
  const loaded = await entry.load();
  if (!('verbs' in loaded) || !loaded.verbs.some(({ name }) => name === verb)) return argv;
  return argv.map((word, i) => (i === first ? entry.name : i === second ? verb : word));
}

/** Refuses a verb that the noun does not have: `usage`. */
export function requireVerb(
  { name: noun, verbs, guidance }: NamedNoun,
  [word = '-']: readonly string[],
): void {
  const names = verbs.map(({ name }) => name);
  if (word.startsWith('-') || names.some((name) => name === word || aliases[name] === word)) return;
  const answer = Object.hasOwn(guidance, word.toLowerCase()) && guidance[word.toLowerCase()];
  if (answer) throw new HkctlError('usage', answer.message, { hint: answer.hint });
  const [meant] = Object.entries(synonyms).find(
    ([name, others]) => names.includes(name) && others.includes(word.toLowerCase()),
  ) ?? [nearestSafely(word, names, risky)];
  throw new HkctlError('usage', `Unknown command: hkctl ${noun} ${word}`, {
    hint: `${didYouMean(meant)}The commands of ${noun}: ${names.join(', ')}.`,
  });
}

export function verbMissing({ name, verbs }: NamedNoun): HkctlError {
  const names = verbs.map((verb) => verb.name);
  return new HkctlError('usage', `hkctl ${name} needs a command: ${wordList(names, 'or')}.`, {
    hint: `Most often: hkctl ${name} ${names[0]}. hkctl ${name} --help shows each, with examples.`,
  });
}

/** Flags of every command that other programs have as a word or as another flag, each with these. */
const flagsByWord: readonly (readonly [flag: string, words: readonly string[]])[] = [
  ['--version', ['version', 'ver', 'v']],
  ['--help', ['help', 'usage', 'man', 'h', '?']],
];

/** The flag of every command that a word or another flag means, also with a typing error; undefined if none. */
function commonFlagOf(typed: string): string | undefined {
  const word = typed.replace(/^[-/]+/, '').toLowerCase();
  const [flag] = flagsByWord.find(([, words]) => words.includes(word)) ?? [];
  if (flag !== undefined) return flag;
  const near = nearestSafely(word, ['version', 'help'], ['version', 'help']);
  return near === undefined ? undefined : `--${near}`;
}

/** Refuses a noun that does not exist. A verb alone, such as `rotate`, is answered with the commands that have it. */
export async function requireNoun(word: string): Promise<void> {
  const names = nouns.map(({ name }) => name);
  if (names.includes(word)) return;
  const flag = commonFlagOf(word);
  const near = flag === undefined ? nearestSafely(word, names, risky) : `hkctl ${flag}`;
  const withVerb = near === undefined ? await commandsWith(word) : [];
  const meant = near ?? (withVerb.length === 0 ? undefined : withVerb.join(', '));
  throw new HkctlError('usage', `Unknown command: hkctl ${word}`, {
    hint: meant === undefined ? 'hkctl --help lists the commands.' : didYouMean(meant).trim(),
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
  const at = argv.findIndex((word) => word === '--' || nouns.some(({ name }) => name === word));
  if (argv[at] === undefined || argv[at] === '--') return;
  const before = argv.slice(0, at);
  const flagAt = before.findIndex((word) => word.startsWith('--') && !isGlobal(word));
  const flag = before[flagAt];
  if (flag === undefined) return;
  const line = [...before.slice(0, flagAt), ...argv.slice(at), ...before.slice(flagAt)];
  throw new HkctlError('usage', `${flag.split('=')[0]} belongs behind the command.`, {
    hint: `hkctl ${line.map((word) => shellWord(redactSecrets(word))).join(' ')}`,
  });
}

/** Refuses a flag that a command does not have: `usage`, with what to do instead or the flag that was probably meant. */
export function unknownFlag(
  typedFlag: string,
  flagNames: readonly string[],
  guidance: CommandDefinition['flagGuidance'] = {},
): HkctlError {
  const [flag = ''] = typedFlag.split('=');
  const answer = Object.hasOwn(guidance, flag) ? guidance[flag] : undefined;
  if (answer) return new HkctlError('usage', answer.message, { hint: answer.hint });
  const names = flagNames.map((name) => name.replace(/^--/, '')).filter(isSuggested);
  const short = names.filter((name) => name.length <= mostLettersOfShort);
  const word = flag.replace(/^-+/, '');
  const near = names.includes(word) ? word : nearestSafely(word, names, short);
  const meant = near === undefined ? commonFlagOf(flag) : `--${near}`;
  const orArgument = /^-[^-]/.test(flag)
    ? ' An argument that begins with a hyphen stands behind --.'
    : '';
  return new HkctlError('usage', `Unknown flag: ${flag}`, {
    hint:
      meant === undefined ? `Add --help to see its flags.${orArgument}` : `Did you mean ${meant}?`,
  });
}

/** Short names are like many words: only a plain typing error means one of these. */
const mostLettersOfShort = 5;

/** A flag by which a command does more, or no longer asks, is for people who know it. */
function isSuggested(name: string): boolean {
  const widening = ['yes', 'force', 'replace', 'revoke', 'accept-clock', 'all-entities', 'demo'];
  return !widening.includes(name);
}

async function commandsWith(verb: string): Promise<string[]> {
  const commands = await Promise.all(
    nouns.map(async ({ name, load }: NounEntry) => {
      const noun = await load();
      return 'verbs' in noun && noun.verbs.some((command) => command.name === verb)
        ? [`hkctl ${name} ${verb}`]
        : [];
    }),
  );
  return commands.flat();
}

const storeless = [
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
  const path = namedStore(argv);
  if (path === undefined) return (hint) => hint;
  const names = nouns.map(({ name }) => name).filter((name) => !storeless.includes(name));
  const command = new RegExp(`\\bhkctl (?=(${names.join('|')})\\b)`, 'g');
  return (hint) => hint.replace(command, () => `hkctl --store ${shellWord(path)} `);
}

function namedStore(argv: readonly string[]): string | undefined {
  const endOfFlags = argv.indexOf('--');
  const flags = endOfFlags === -1 ? argv : argv.slice(0, endOfFlags);
  const at = flags.findLastIndex((word) => word === '--store' || word.startsWith('--store='));
  const word = flags[at];
  return word === '--store' ? flags[at + 1] : word?.slice('--store='.length);
}
