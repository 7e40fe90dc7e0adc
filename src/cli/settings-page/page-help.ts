import type { Style } from '../terminal/style.ts';
import { padded, wrapText } from '../terminal/wrap.ts';
import type { PageView } from './view.ts';

/** The keys of the page with what they do, as its help shows them. */
export function helpLines(view: PageView, columns: number, style: Style): string[] {
  const keys: [keys: string, effect: string][] = [
    ['↑ ↓', 'choose a key (also j and k)'],
    ['PgUp PgDn', 'one page up or down'],
    ['Home End', 'first or last key'],
    ...entry(view.mayView, '/', 'search name, note, prefix and entity; Esc clears the search'),
    ...entry(view.mayView, 'i', 'show or hide inactive keys'),
    ...entry(view.mayView, 'e', 'show only keys that expire within 14 days, or all'),
    ...entry(view.mayView, 's', 'sort by expiry, last use, name, or the newest first'),
    ...entry(view.mayView, 'l', 'a list with a line for each key, or tiles'),
    ...entry(view.mayCreate, 'c', 'create a key'),
    ...entry(view.mayRotate, 'r', 'rotate the chosen key: a new secret, the old one stops at once'),
    ...entry(view.mayRevoke, 'v', 'revoke the chosen key: access stops at once'),
    ...entry(view.documentation !== undefined, 'd', 'open the documentation of the API'),
    ['q', 'quit'],
  ];
  const width = 11;
  return [
    style.bold('Keys of this page'),
    ...keys.flatMap(([name, effect]) => {
      const [first = '', ...more] = wrapText(effect, columns - width);
      return [style.bold(padded(name, width)) + first, ...more.map((line) => ' '.repeat(width) + line)];
    }),
    style.dim('Any key goes back.'),
  ];
}

function entry(when: boolean, name: string, effect: string): [string, string][] {
  return when ? [[name, effect]] : [];
}
