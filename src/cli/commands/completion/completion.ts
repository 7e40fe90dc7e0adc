import { withoutSecrets } from '../../../core/secrets.ts';
import { isTricky, printable } from '../../../core/text/shown-text.ts';
import { defineCommand } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { requireOneOf, textFlag } from '../../command/flags.ts';
import { type Continuations, candidateOf, continuations } from './continuations.ts';
import bash from './hkctl.bash?raw';
import fish from './hkctl.fish?raw';
import zsh from './hkctl.zsh?raw';

/** Each script calls `hkctl completion SHELL -- WORD...`: one candidate a line, its description behind a tab, or `:files`. */
const completionScripts = {
  bash: bash.trimEnd(),
  zsh: zsh.trimEnd(),
  fish: fish.trimEnd(),
};

type Shell = keyof typeof completionScripts;

export default defineCommand({
  description:
    'The script asks hkctl itself at every Tab, so that it fits each version: with WORD... the command prints how the last word can continue.',
  readOnly: true,
  fields: ['shell', 'script', 'candidates', 'files'],
  arguments: [
    { spelling: '<SHELL>', doc: 'bash, zsh or fish' },
    {
      spelling: '[WORD...]',
      doc: 'behind --: the words of a command line',
      // The word that is about to be typed.
      mayBeBlank: true,
    },
  ],
  flags: {
    line: textFlag('--line <TEXT>', 'for bash: the command line up to the cursor, as it was typed'),
  },
  examples: [
    ["echo 'source <(hkctl completion bash)' >> ~/.bashrc", 'bash, for this account'],
    ["echo 'autoload -U compinit; compinit; source <(hkctl completion zsh)' >> ~/.zshrc", 'zsh'],
    [
      'mkdir -p ~/.config/fish/completions && hkctl completion fish > ~/.config/fish/completions/hkctl.fish',
      'fish',
    ],
    ['hkctl completion bash > /etc/bash_completion.d/hkctl', 'bash, for all accounts'],
  ],
  async run(context, { line }, [shellName = '', ...words]) {
    // Object.keys loses the literal types of a const object.
    const shells = Object.keys(completionScripts) as Shell[];
    const shell = requireOneOf(shellName, shells);
    if (line !== undefined) await printForReadline(context, shell, line);
    else if (words.length > 0) await printContinuations(context, shell, words);
    else {
      const script = completionScripts[shell];
      context.printDocument(script, { shell, script });
    }
  },
});

async function printContinuations(
  context: Context,
  shell: Shell,
  words: readonly string[],
): Promise<void> {
  const wordsBefore = words.slice(0, -1);
  const current = typedWord(shell, words.at(-1) ?? '');
  printCandidates(context, shell, await continuations(context, wordsBefore, current));
}

/** The same for bash, whose readline replaces only the end of a word, behind a character such as `=`. */
async function printForReadline(context: Context, shell: Shell, line: string): Promise<void> {
  const { words, current, replaced, openQuote } = readShellLine(line);
  const { kind, candidates } = await continuations(context, words.slice(1), current);
  const unreplaced = current.length - replaced.length;
  const inserted = candidates
    .filter(({ value }) => !isTricky(value))
    .map(({ value, doc }) => {
      const quotedEnd = quotedForShell(value.slice(unreplaced), openQuote);
      return candidateOf(quotedEnd, doc);
    });
  if (kind === 'files' && !context.json) context.printDocument(`:files\t${safeText(replaced)}`);
  else printCandidates(context, shell, { kind, candidates: inserted });
}

/** fish gives the word that is being typed with its quotes, and zsh with a quote that is still open. */
function typedWord(shell: Shell, word: string): string {
  if (shell === 'fish') return readShellLine(word).current;
  return shell === 'zsh' ? word.replace(/^["']/, '') : word;
}

function printCandidates(
  context: Context,
  shell: Shell,
  { kind, candidates }: Continuations,
): void {
  if (context.json) {
    context.printJson({ candidates, files: kind === 'files' });
    return;
  }
  if (kind === 'files') context.printDocument(':files');
  if (candidates.length === 0) return;

  // bash lists candidates without description in columns; names of keys and entities are worth a line each.
  const isBare = shell === 'bash' && kind === undefined;
  const lines = candidates.map(({ value, doc }) => {
    const parts = isBare || doc === '' ? [value] : [value, doc];
    return parts.map(safeText).join('\t');
  });
  context.printDocument(lines.join('\n'));
}

/** Names come from the store, and the shell shows them on its terminal. */
function safeText(text: string): string {
  return printable(withoutSecrets(text));
}

/** A command line as bash has it up to the cursor, read into words. */
interface ShellLine {
  /** The whole words, without their quotes. */
  words: string[];
  /** The word at the cursor, which may be empty. */
  current: string;
  /** The part of it that readline replaces: behind the last character at which readline breaks words. */
  replaced: string;
  /** The quote that is still open at the cursor. */
  openQuote: string;
}

/** The characters at which readline breaks words, as bash sets them (`COMP_WORDBREAKS`), without blanks and quotes. */
const wordBreaks = /[@><=;|&(:]/;

/** Reads a line as a shell does: quotes and backslashes, but no variables and no commands, which completion must not run. */
export function readShellLine(line: string): ShellLine {
  const words: string[] = [];
  let current = '';
  let replaced = '';
  let openQuote = '';
  let isBegun = false;
  for (let position = 0; position < line.length; position++) {
    let character = line[position] ?? '';
    if (openQuote !== '' && character === openQuote) {
      openQuote = '';
      continue;
    }
    if (openQuote === '' && /\s/.test(character)) {
      if (isBegun) words.push(current);
      current = replaced = '';
      isBegun = false;
      continue;
    }
    isBegun = true;
    if (openQuote === '' && (character === '"' || character === "'")) {
      openQuote = character;
      replaced = '';
      continue;
    }
    const isEscape = character === '\\' && openQuote !== "'" && position + 1 < line.length;
    if (isEscape) character = line[++position] ?? '';
    current += character;
    const isBreak = openQuote === '' && !isEscape && wordBreaks.test(character);
    replaced = isBreak ? '' : replaced + character;
  }
  return { words, current, replaced, openQuote };
}

/** A value as a shell reads it back, inside the quote that is open: `printf %q` of bash would end that. */
export function quotedForShell(value: string, openQuote: string): string {
  if (openQuote === "'") return value.replaceAll("'", "'\\''");
  if (openQuote === '"') return value.replace(/["\\$`]/g, '\\$&');
  return value.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
}
