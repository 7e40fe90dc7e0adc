import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { globalFlags } from '../../src/cli/command/flags.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { commands, longNameOf } from './all-commands.ts';

const sources = join(__dirname, '..', '..', 'src');
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

/** The commands that texts of the program name: `hkctl keys rotate REF --yes`, up to the end of the sentence. */
function namedCommands(text: string): string[] {
  const quoted = text.matchAll(
    /\bhkctl ((?:[a-z][a-z-]*)(?: (?:[a-z][a-z-]*|[A-Z]+|--[a-z-]+|\$\{[^}]*\}|"[^"]*"|\d+\w*))*)/g,
  );
  return [...quoted].map(([, words = '']) => words);
}

/** What is wrong with a command that a text names; undefined if the program has it. */
function faultOf(line: string): string | undefined {
  const words = line.split(' ');
  const entry = nouns.find(({ name }) => name === words[0]);
  // A sentence about hkctl itself: "hkctl asks only on a terminal".
  if (entry === undefined) return undefined;
  const isNamed = ({ path }: { path: string[] }) => path.every((word, at) => words[at] === word);
  const fitting = commands.filter(isNamed).sort((a, b) => b.path.length - a.path.length);
  const [command] = fitting;
  if (command === undefined) return words.length === 1 ? undefined : `${line}: no such command`;
  const known = [...Object.values(command.definition.flags), ...Object.values(globalFlags)];
  const names = [...known.map(longNameOf), '--help', '--show-inactive'];
  const unknown = words.filter((word) => word.startsWith('--') && !names.includes(word));
  return unknown.length === 0 ? undefined : `${line}: no flag ${unknown.join(', ')}`;
}

describe('every command that a text of the program names', () => {
  it('exists, with its flags', () => {
    const named = files.flatMap((file) => {
      const text = readFileSync(join(sources, file), 'utf8');
      return namedCommands(text).map((line) => ({ file, line }));
    });
    expect(named.length).toBeGreaterThan(150);
    const faults = named.flatMap(({ file, line }) => {
      const fault = faultOf(line);
      return fault === undefined ? [] : [`${file}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('would be missed if it did not exist', () => {
    expect(faultOf('keys rotate REF --expires')).toContain('no flag --expires');
    expect(faultOf('users rename LOGIN')).toContain('no such command');
    expect(faultOf('keys rotate REF --yes')).toBeUndefined();
  });
});
