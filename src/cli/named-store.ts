import { shellWord } from '../core/text/shell.ts';
import { nouns } from './nouns.ts';

const storeless = ['permissions', 'openapi', 'systemd-unit', 'metrics-rules', 'completion', 'examples'];

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
