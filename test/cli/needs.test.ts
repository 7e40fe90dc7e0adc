import { describe, expect, it } from 'vitest';
import { nouns } from '../../src/cli/nouns.ts';
import { storelessCommands } from './all-commands.ts';

/** Those of no store, and those that make, replace or serve one and so check for themselves who acts. */
const withoutNeeds = [...storelessCommands, 'init', 'migrate', 'restore', 'serve'].sort();

const loaded = await Promise.all(nouns.map(({ load }) => load()));
const commands = loaded.flatMap((noun) => {
  if ('run' in noun) return [{ name: noun.name, needs: noun.needs }];
  const verbs = noun.verbs.map(({ name, needs }) => ({ name: `${noun.name} ${name}`, needs }));
  return noun.bare ? [...verbs, { name: noun.name, needs: noun.bare.needs }] : verbs;
});

describe('the one door to a store', () => {
  it('is declared by every command that opens one for an actor', () => {
    expect(commands.length).toBeGreaterThan(40);
    const undeclared = commands.filter(({ needs }) => needs === undefined);
    expect(undeclared.map(({ name }) => name).sort()).toEqual(withoutNeeds);
  });
});
