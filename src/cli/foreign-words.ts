/** The words that other programs use for things that hkctl names differently: they are answered with its own, and do nothing. */

/** Other names of a verb; only suggested, since `delete` of a key and of an entity differ. */
export const verbSynonyms: Readonly<Record<string, readonly string[]>> = {
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

const entities = 'Did you mean hkctl entities?';
const serve = 'Did you mean hkctl serve?';
const settings =
  'Each setting is a flag and a variable: hkctl serve --help. Those of the organization: hkctl tenants set';
const profiles =
  'The account of the operating system acts, or --as LOGIN. Profiles: hkctl users list';

/** The answers to words in place of a command, and to verbs behind their noun. */
export const commandAnswers: Readonly<Record<string, string>> = {
  site: entities,
  sites: entities,
  plant: entities,
  plants: entities,
  start: serve,
  run: serve,
  daemon: serve,
  server: serve,
  roles: 'Roles belong to profiles: hkctl users set-role --help lists them.',
  docs: 'A running daemon shows them at /api/v1/docs. Did you mean hkctl openapi?',
  whoami: profiles,
  login: profiles,
  logs: 'The log of the service: journalctl -u hkctl. Who did what: hkctl audit list',
  config: settings,
  'keys search': 'Did you mean hkctl keys list --search TEXT?',
  'keys usage': 'Did you mean hkctl keys show REF?',
  'keys regenerate': 'Did you mean hkctl keys rotate REF?',
  'keys block': 'Did you mean hkctl keys revoke REF? It is final.',
  'keys reveal': 'A secret is shown once. For a new one: hkctl keys rotate REF',
  'sensors add': 'Did you mean hkctl import sensors FILE?',
};

/** Flags of every command, with the words and other flags that mean them. */
export const commonFlagWords: readonly (readonly [flag: string, words: readonly string[]])[] = [
  ['--version', ['version', 'ver', 'v']],
  ['--help', ['help', 'usage', 'man', 'h', '?']],
];

const tabbed = 'A list in a pipe has its cells behind tabs; --json is for programs.';

/** Other names of flags: the flag if the command has it, else the next one, or a sentence. */
export const flagAnswers: Readonly<Record<string, readonly string[]>> = {
  '-a': ['--all', 'Add --help to see its flags.'],
  '-o': ['--json'],
  '-q': ['--quiet'],
  '--output': ['--json'],
  '--format': ['--json'],
  '--csv': ['--format', tabbed],
  '--sort': ['A list has one order. With --json a program such as jq sorts it.'],
  '--site': ['--entity'],
  '--plant': ['--entity'],
  '--tz': ['--timezone', '--utc'],
  '--ttl': ['--expires'],
  '--scope': ['--permission'],
  '--user': ['--as'],
  '--inactive': ['--all', '--show-inactive'],
  '--bind': ['--host'],
  '--listen': ['--host'],
};
