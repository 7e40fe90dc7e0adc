import type { Command } from 'commander';

/** The possible continuations of the beginning of a command line. */
interface CompletionPoint {
  /** `keys create`, or empty for the beginning. */
  path: string;
  verbs: { name: string; doc: string }[];
  /** The allowed values of the argument after the verb, where they are known. */
  words: string[];
  flags: { name: string; doc: string; takesValue: boolean; values: string[] }[];
}

/** A completion script for bash, made from the program itself. */
export function bashCompletion(program: Command): string {
  const cases = pointsOf(program).map(({ path, verbs, words, flags }) => {
    const names = [...verbs.map(({ name }) => name), ...words, ...flags.map(({ name }) => name)];
    return `    ${quoted(path)}) words=${quoted(names.join(' '))} ;;`;
  });
  return `# completion of hkctl for bash
_hkctl() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' word
  case $prev in
${valueCases(program, (values) => `COMPREPLY=($(compgen -W ${quoted(values.join(' '))} -- "$cur")); return`)}
    ${fileFlags(program).join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      -*) ;;
      *) case "\${path:+$path }$word" in ${paths(program)}) path="\${path:+$path }$word" ;; esac ;;
    esac
  done
  case $path in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ \${#COMPREPLY[@]} -gt 0 || $cur == -* ]] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -F _hkctl hkctl`;
}

/** A completion script for zsh. */
export function zshCompletion(program: Command): string {
  const cases = pointsOf(program).map(({ path, verbs, words, flags }) => {
    const described = [...verbs, ...words.map((name) => ({ name, doc: '' })), ...flags];
    const items = described.map(({ name, doc }) => quoted(`${name}:${doc}`));
    return `    ${quoted(path)}) items=(${items.join(' ')}) ;;`;
  });
  return `#compdef hkctl
# completion of hkctl for zsh
_hkctl() {
  local path_='' word
  local -a items
  case \${words[CURRENT-1]} in
${valueCases(program, (values) => `compadd -- ${values.map(quoted).join(' ')}; return`)}
    ${fileFlags(program).join('|')}) _files; return ;;
  esac
  for word in \${words[2,CURRENT-1]}; do
    case $word in
      -*) ;;
      *) case "\${path_:+$path_ }$word" in ${paths(program)}) path_="\${path_:+$path_ }$word" ;; esac ;;
    esac
  done
  case $path_ in
${cases.join('\n')}
  esac
  _describe 'hkctl' items || _files
}
if [ "$funcstack[1]" = "_hkctl" ]; then _hkctl; else compdef _hkctl hkctl; fi`;
}

/** A completion script for fish. */
export function fishCompletion(program: Command): string {
  const points = pointsOf(program);
  const lines = points.flatMap(({ path, verbs, words, flags }) => {
    const at = `complete -c hkctl -n ${quoted(`__hkctl_at ${path}`.trim())}`;
    return [
      // Where a verb must follow, no file can.
      ...verbs.map(({ name, doc }) => `${at} -f -a ${quoted(name)} -d ${quoted(doc)}`),
      ...words.map((name) => `${at} -a ${quoted(name)}`),
      ...flags.map(({ name, doc, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
        return `${at} -l ${name.slice(2)}${value} -d ${quoted(doc)}`;
      }),
    ];
  });
  return `# completion of hkctl for fish
function __hkctl_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l path
  for word in $words
    contains -- "$path $word" ${points.map(({ path }) => quoted(` ${path}`)).join(' ')}
    and set path "$path $word"
  end
  set -l wanted
  set -q argv[1]
  and set wanted " $argv"
  test "$path" = "$wanted"
end
${lines.join('\n')}`;
}

function pointsOf(program: Command): CompletionPoint[] {
  const common = program.options;
  const walk = (command: Command, path: string): CompletionPoint[] => {
    const visible = command.createHelp().visibleCommands(command);
    // What a noun does without a verb is a hidden command: its flags are offered with the verbs.
    const bare = command.commands.find((inner) => !visible.includes(inner));
    const options = [...command.options, ...(bare?.options ?? []), ...(path === '' ? [] : common)];
    const flags = options.flatMap((option) =>
      [...option.flags.matchAll(/--[a-z-]+/g)].map(([name]) => ({
        name,
        doc: option.description,
        takesValue: option.required,
        values: valuesIn(option.description),
      })),
    );
    const verbs = visible.map((inner) => ({ name: inner.name(), doc: inner.summary() || inner.description() }));
    const inner = visible
      .filter((found) => found.name() !== 'help')
      .flatMap((found) => walk(found, path === '' ? found.name() : `${path} ${found.name()}`));
    const seen = new Set<string>();
    const once = flags.filter(({ name }) => !seen.has(name) && seen.add(name));
    const words = command.registeredArguments.flatMap((word) =>
      valuesIn(`: ${word.description.replace(' or ', ', ')}`),
    );
    return [
      { path, verbs, words, flags: [...once, { name: '--help', doc: 'show help', takesValue: false, values: [] }] },
      ...inner,
    ];
  };
  return walk(program, '');
}

/** Flags that take one of some words list them behind a colon: `…: active, expired, revoked`. */
function valuesIn(doc: string): string[] {
  const listed = /: ((?:[a-z_-]+, )+[a-z_-]+)$/.exec(doc)?.[1];
  return listed?.split(', ') ?? [];
}

function valueCases(program: Command, action: (values: string[]) => string): string {
  const byName = new Map<string, string[]>();
  for (const { flags } of pointsOf(program)) {
    for (const { name, values } of flags) if (values.length > 0) byName.set(name, values);
  }
  return [...byName].map(([name, values]) => `    ${name}) ${action(values)} ;;`).join('\n');
}

function fileFlags(program: Command): string[] {
  const names = pointsOf(program).flatMap(({ flags }) =>
    flags.filter(({ takesValue, values }) => takesValue && values.length === 0),
  );
  return [...new Set(names.map(({ name }) => name))];
}

function paths(program: Command): string {
  return pointsOf(program)
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
