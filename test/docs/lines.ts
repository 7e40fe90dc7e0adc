import type { Program } from './program.ts';

/** What is wrong with a command line (words after `hkctl`), or undefined where the program would take it. */
export function faultOf(program: Program, words: readonly string[]): string | undefined {
  const path = program.commands.has(words.slice(0, 2).join(' '))
    ? words.slice(0, 2)
    : words.slice(0, 1);
  const said = `hkctl ${words.join(' ')}`;
  if (path.length === 0 || path[0]?.startsWith('-')) return undefined;
  const command = program.commands.get(path.join(' '));
  if (!command) return `${said}: no such command`;
  const rest: string[] = [];
  const given = words.slice(path.length);
  for (let i = 0; i < given.length; i++) {
    const word = given[i] ?? '';
    if (!word.startsWith('--')) {
      rest.push(word);
      continue;
    }
    const [name = '', inline] = word.slice(2).split('=');
    const flag = command.flags.get(name) ?? program.globalFlags.get(name);
    if (!flag) return name === 'help' ? undefined : `${said}: no flag --${name}`;
    const hasFields = name === 'json' && /^[a-z_]+(,[a-z_]+)*$/.test(given[i + 1] ?? '');
    const isWithoutValue = inline !== undefined || flag.mayLackValue;
    if (hasFields || (flag.takesValue && !isWithoutValue)) {
      i++;
      if (given[i] === undefined) return `${said}: --${name} has no value`;
    }
  }
  if (rest.length < command.required) return `${said}: an argument is missing`;
  if (rest.length > command.arguments.length && !command.variadic)
    return `${said}: has too many arguments`;
  return undefined;
}
