import { HkctlError } from '../core/errors.ts';
import { shellWord } from '../core/text/quoting.ts';
import { didYouMean, nearest } from '../core/text/words.ts';
import { globalFlags, nameOf } from './command/flags.ts';
import { type NamedNoun, type NounEntry, nouns } from './nouns.ts';

export const aliases: Readonly<Record<string, string>> = { list: 'ls', revoke: 'rm' };

/** What other programs call a verb; only suggested, since `delete` of a key and of an entity differ. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  create: ['add', 'new', 'make', 'issue', 'generate'],
  add: ['create', 'new', 'make'],
  revoke: ['delete', 'remove', 'del', 'disable', 'deactivate'],
  remove: ['delete', 'del', 'rm'],
  deactivate: ['delete', 'remove', 'del', 'rm', 'disable'],
  activate: ['enable'],
  show: ['get', 'info', 'describe', 'view'],
  list: ['all', 'show', 'get', 'view'],
  rotate: ['renew', 'roll', 'refresh'],
  set: ['update', 'edit', 'change'],
};

/** Where the first two words of a command line are in it, past the flags that all commands share. */
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

/** The command line with `--help` at its end instead of the word help, also behind flags: `--store X help keys`. */
export function withoutHelpWord(argv: readonly string[]): readonly string[] {
  const [first = -1] = wordPlaces(argv);
  return argv[first] === 'help'
    ? [...argv.slice(0, first), ...argv.slice(first + 1), '--help']
    : argv;
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
  { name: noun, verbs }: NamedNoun,
  [word = '-']: readonly string[],
): void {
  const names = verbs.map(({ name }) => name);
  if (word.startsWith('-') || names.some((name) => name === word || aliases[name] === word)) return;
  const [meant] = Object.entries(synonyms).find(
    ([name, others]) => names.includes(name) && others.includes(word.toLowerCase()),
  ) ?? [nearest(word, names)];
  throw new HkctlError('usage', `Unknown verb of ${noun} '${word}'.`, {
    hint: `${didYouMean(meant)}The verbs of ${noun}: ${names.join(', ')}.`,
  });
}

export function verbMissing({ name, verbs }: NamedNoun): HkctlError {
  const names = verbs.map((verb) => verb.name).join(', ');
  return new HkctlError('usage', `A verb is missing. The verbs of ${name}: ${names}.`, {
    hint: `hkctl ${name} --help shows what each does, with examples.`,
  });
}

/** Refuses a noun that does not exist. A verb alone, such as `rotate`, is answered with the commands that have it. */
export async function requireNoun(word: string): Promise<void> {
  const names = nouns.map(({ name }) => name);
  if (names.includes(word)) return;
  const near = nearest(word, names);
  const withVerb = near === undefined ? await commandsWith(word) : [];
  const meant = near ?? (withVerb.length === 0 ? undefined : withVerb.join(', '));
  throw new HkctlError('usage', `Unknown command '${word}'.`, {
    hint: meant === undefined ? 'hkctl --help lists the commands.' : didYouMean(meant).trim(),
  });
}

async function commandsWith(verb: string): Promise<string[]> {
  const found = await Promise.all(
    nouns.map(async ({ name, load }: NounEntry) => {
      const noun = await load();
      return 'verbs' in noun && noun.verbs.some((known) => known.name === verb)
        ? [`hkctl ${name} ${verb}`]
        : [];
    }),
  );
  return found.flat();
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
 * then run on the same one (contract, section 3).
 */
export function createStoreNaming(argv: readonly string[]): (hint: string) => string {
  const path = namedStore(argv);
  if (path === undefined) return (hint) => hint;
  const names = nouns.map(({ name }) => name).filter((name) => !storeless.includes(name));
  const command = new RegExp(`\\bhkctl (?=(${names.join('|')})\\b)`, 'g');
  return (hint) => hint.replace(command, () => `hkctl --store ${shellWord(path)} `);
}

function namedStore(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const at = flags.findLastIndex((word) => word === '--store' || word.startsWith('--store='));
  const word = flags[at];
  return word === '--store' ? flags[at + 1] : word?.slice('--store='.length);
}
