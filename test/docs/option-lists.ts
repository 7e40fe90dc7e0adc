import type { Command, Option } from 'commander';

/**
 * What a page says of its commands by their declarations: each `.Nm hkctl keys create` of SYNOPSIS with its flags and arguments, and in
 * the list of options below `.Ss hkctl keys create` the spelling and the first sentence of each flag. Further lines of an item stay as
 * they are, written by hand.
 */
export function withOptions(page: string, commands: ReadonlyMap<string, Command>): string {
  return page
    .split(/^(?=\.S[hs] )/m)
    .map((section) => {
      if (section.startsWith('.Sh SYNOPSIS\n')) return withSynopsis(section, commands);
      const command = commands.get(/^\.Ss hkctl (.*)\n/.exec(section)?.[1] ?? '');
      const other = commands.get(
        /^It takes the flags of\n\.Nm hkctl (.*) [.,]$/m.exec(section)?.[1] ?? '',
      );
      return command ? withList(section, command, other) : section;
    })
    .join('');
}

function withSynopsis(section: string, commands: ReadonlyMap<string, Command>): string {
  return section
    .split(/^(?=\.Nm )/m)
    .map((lines) => {
      const path = /^\.Nm hkctl (.*)\n/.exec(lines)?.[1] ?? '';
      const command = commands.get(path);
      return command ? `${synopsisOf(path, command).join('\n')}\n` : lines;
    })
    .join('');
}

function synopsisOf(path: string, command: Command): string[] {
  const flags = optionsOf(command).map((option) => {
    const names = longNamesOf(option).map((name) => `Fl -${name}`);
    return `.Op ${names.join(' | ')}${valueNameOf(option)}`;
  });
  const words = command.registeredArguments.map((argument) => {
    const word = `Ar ${argument.name().toLowerCase()}${argument.variadic ? ' ...' : ''}`;
    return argument.required ? `.${word}` : `.Op ${word}`;
  });
  return [`.Nm hkctl ${path}`, ...flags, ...words];
}

const listStart = '.Bl -tag -width Ds\n';

/** A section with the list of its options; a first one comes at its end. Flags of `other` stand in its own section. */
function withList(section: string, command: Command, other: Command | undefined): string {
  const options = optionsOf(command).filter(
    ({ flags }) => !optionsOf(other).some((option) => option.flags === flags),
  );
  const start = section.indexOf(`${listStart}.It Fl `);
  if (start === -1) return options.length === 0 ? section : section + listOf(options, new Map());

  const end = section.indexOf('.El\n', start) + '.El\n'.length;
  const items = section.slice(start + listStart.length, end - '.El\n'.length).split(/^(?=\.It )/m);
  const byHand = new Map(
    items.map((item) => {
      const [spelling = '', , ...lines] = item.trimEnd().split('\n');
      return [/Fl -(\S+)/.exec(spelling)?.[1] ?? '', lines];
    }),
  );
  return section.slice(0, start) + listOf(options, byHand) + section.slice(end);
}

function listOf(
  options: readonly Option[],
  byHand: ReadonlyMap<string, readonly string[]>,
): string {
  if (options.length === 0) return '';
  const items = options.flatMap((option) => {
    const [name = ''] = longNamesOf(option);
    const short = /^-\w$/.test(option.short ?? '') ? [`Fl ${option.short?.slice(1)}`] : [];
    const names = [...short, ...longNamesOf(option).map((long) => `Fl -${long}`)];
    const spelling = `.It ${names.join(' , ')}${valueNameOf(option)}`;
    return [spelling, sentenceOf(option.description), ...(byHand.get(name) ?? [])];
  });
  return `${listStart}${items.join('\n')}\n.El\n`;
}

/** The doc of a flag as a line of mdoc(7). */
function sentenceOf(doc: string): string {
  const text = `${doc.charAt(0).toUpperCase()}${doc.slice(1)}.`;
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('…', '...')
    .replace(/--(?=[a-z])/g, '\\-\\-')
    .replace(/^(?=[.'])/, '\\&');
}

function optionsOf(command: Command | undefined): Option[] {
  return command?.options.filter(({ hidden, long }) => !hidden && long !== '--help') ?? [];
}

/** Two long names of one flag stand for two. */
function longNamesOf({ flags }: Option): string[] {
  return [...flags.matchAll(/--([a-z][a-z0-9-]*)/g)].map(([, name = '']) => name);
}

function valueNameOf({ flags }: Option): string {
  const value = /[<[](\S+)[>\]]$/.exec(flags)?.[1];
  return value === undefined ? '' : ` Ar ${value.toLowerCase()}`;
}
