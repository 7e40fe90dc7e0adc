import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A flag as a page describes it: whether it takes a value, and its one-letter form where it has one. */
export interface PageFlag {
  takesValue: boolean;
  /** It also stands without a value, which follows `=`. */
  mayLackValue?: boolean;
  short: string | undefined;
}

/** A manual page, read for what a test compares with the program. Commands are named without `hkctl`: `keys create`. */
export interface ManualPage {
  file: string;
  name: string;
  section: string;
  text: string;
  /** The commands in SYNOPSIS: each `.Nm hkctl keys create` begins one. */
  synopsis: string[];
  /** The commands with a subsection `.Ss hkctl keys create`. */
  explained: string[];
  /** The flags that hkctl(1) explains for all commands. */
  globalFlags: Map<string, PageFlag>;
  exitCodes: number[];
  /** Environment variables with an item of their own. */
  environment: string[];
}

export const manFolder = join(__dirname, '..', '..', 'man');

/** Reads all pages of man/, in order of name. */
export function readPages(): ManualPage[] {
  return pageFiles().map(readPage);
}

/** Names of the page files in man/, sorted. */
export function pageFiles(): string[] {
  return readdirSync(manFolder)
    .filter((file) => /\.\d$/.test(file))
    .sort();
}

/** The program of a section of a page, as a reader of it would copy it. */
export function programIn(file: string, heading: string): string {
  const text = readFileSync(join(manFolder, file), 'utf8').split(`\n${heading}\n`)[1];
  const literal = text?.split('.Bd -literal\n')[1]?.split('\n.Ed')[0];
  if (literal === undefined) throw new Error(`${file} has no program in ${heading}.`);
  return `${shown(literal)}\n`;
}

/** A piece of shell on a page, and the heading above it. */
export interface ShellBlock {
  heading: string;
  text: string;
}

/** Every literal block of a page, in order, as a reader would type it. */
export function shellBlocks(file: string): ShellBlock[] {
  const sections = readFileSync(join(manFolder, file), 'utf8').split(/^\.S[hs] /m);

  return sections.flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const literals = [...section.matchAll(/^\.Bd -literal.*\n([\s\S]*?)^\.Ed$/gm)];
    return literals.map(([, text = '']) => ({ heading, text: shown(text) }));
  });
}

/** The characters that the escapes of mdoc stand for. */
function shown(literal: string): string {
  const characters: Record<string, string> = { aq: "'", ga: '`', ha: '^', ti: '~' };

  return literal
    .replace(/^\\&/gm, '')
    .replace(/\\\((aq|ga|ha|ti)/g, (_, name: string) => characters[name] ?? '')
    .replaceAll('\\e', '\\');
}

function readPage(file: string): ManualPage {
  const text = readFileSync(join(manFolder, file), 'utf8');
  const page: ManualPage = {
    file,
    name: file.slice(0, -2),
    section: file.slice(-1),
    text,
    synopsis: [],
    explained: [],
    globalFlags: new Map(),
    exitCodes: [],
    environment: [],
  };
  let heading = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('.Sh ')) {
      heading = line.slice(4).trim();
    } else if (heading === 'SYNOPSIS') {
      const named = /^\.Nm hkctl ?(.*)$/.exec(line);
      if (named) page.synopsis.push(named[1] ?? '');
    } else if (line.startsWith('.Ss ')) {
      const named = /^\.Ss hkctl ?(.*)$/.exec(line);
      if (named) page.explained.push(named[1] ?? '');
    } else if (line.startsWith('.It Fl ') && heading === 'OPTIONS') {
      readFlags(line, page.globalFlags);
    } else if (heading === 'EXIT STATUS') {
      const code = /^\.It (\d+)$/.exec(line);
      if (code) page.exitCodes.push(Number(code[1]));
    } else if (heading === 'ENVIRONMENT') {
      const variable = /^\.It Ev (\S+)/.exec(line);
      if (variable?.[1]) page.environment.push(variable[1]);
    }
  }
  return page;
}

/** `.It Fl y , Fl -yes` or `.It Fl -name Ar name`; aliases stand beside each other: `.It Fl -all , Fl -show-inactive`. */
function readFlags(line: string, flags: Map<string, PageFlag>): void {
  const short = /Fl ([A-Za-z])\b/.exec(line)?.[1];
  for (const [, name] of line.matchAll(/Fl -([a-z][a-z0-9-]*)/g)) {
    if (name) flags.set(name, { takesValue: / Ar /.test(line), short });
  }
}
