import { permissionGroups } from '../../core/access/permissions.ts';
import { statusOf } from '../../core/keys/keys.ts';
import type { Key } from '../../core/port/keys.ts';
import { timeAt } from '../terminal/output.ts';
import type { Style } from '../terminal/style.ts';
import { padded, truncated, widthOf, wrapWords } from '../terminal/wrap.ts';
import { offersOf, type PageView } from './view.ts';

/** The labels of permissions, by their keys. */
export const permissionLabels = new Map(
  permissionGroups.flatMap(({ permissions }) => permissions.map(({ key, label }) => [key, label])),
);

/** The facts of a tile, in the order of the settings page (specification 5.4). */
export function factsOf(key: Key, nowMs: number): [label: string, value: string][] {
  const { entity } = key;
  const scope = entity
    ? `${entity.code} ${entity.name}${entity.status === 'inactive' ? ' (inactive)' : ''}`
    : 'none (removed)';
  return [
    ['Status', statusOf(key, nowMs)],
    ['Entity', scope],
    ['Last used', timeAt(key.lastUsedAtMs, key)],
    ['Expires', timeAt(key.expiresAtMs, key)],
    ['Created by', key.createdBy.name],
  ];
}

/** A tile as lines of equal width; the chosen tile has a heavy frame. */
export function tileLines(view: PageView, key: Key, chosen: boolean, width: number, style: Style): string[] {
  const inner = width - 4;
  const status = statusOf(key, view.nowMs);
  const colour = { Active: style.green, Expired: style.yellow, Revoked: style.red }[status];
  const name = truncated(key.name, inner - key.prefix.length - 2);
  const title = `${style.cyan(key.prefix)}  ${style.bold(name)}`;
  const facts = factsOf(key, view.nowMs).map(([label, value]) => {
    const text = truncated(value, inner - 12);
    return `${padded(label, 12)}${label === 'Status' ? colour(text) : text}`;
  });
  const columns = inner >= 84 ? inColumns(facts, inner) : facts;
  const chips = key.permissions.map((permission) => `[${permissionLabels.get(permission) ?? permission}]`);
  const chipLines = wrapWords(chips, inner);
  // The chosen tile shows all permissions, every other tile only the first two lines of them.
  const shownChips = !chosen && chipLines.length > 3 ? [...chipLines.slice(0, 2), moreChips(chipLines)] : chipLines;
  const lines = [title, ...columns, ...shownChips, actionsOf(view, key, chosen, style)];
  return framed(lines, inner, chosen, style);
}

function moreChips(lines: readonly string[]): string {
  const hidden = lines.slice(2).join(' ').split('] [').length;
  return `and ${hidden} more permissions`;
}

function inColumns(facts: readonly string[], width: number): string[] {
  const half = Math.floor(width / 2);
  const lines: string[] = [];
  for (let i = 0; i < facts.length; i += 2) {
    const left = facts[i] ?? '';
    // A fact that does not fit its half gets a line of its own.
    if (widthOf(left) >= half || widthOf(facts[i + 1] ?? '') > half)
      lines.push(left, ...(facts[i + 1] ? [facts[i + 1] ?? ''] : []));
    else lines.push(padded(left, half) + (facts[i + 1] ?? ''));
  }
  return lines;
}

function actionsOf(view: PageView, key: Key, chosen: boolean, style: Style): string {
  const offers = offersOf(view, key);
  const action = (letter: string, label: string) => (chosen ? `${style.bold(`[${letter}]`)} ${label}` : label);
  return [
    offers.rotate === 'offered'
      ? action('r', 'Rotate')
      : offers.rotate === 'disabled'
        ? `${style.strikethrough('Rotate')} (not permitted)`
        : '',
    offers.revoke ? action('v', 'Revoke') : '',
  ]
    .filter((text) => text !== '')
    .join('   ');
}

function framed(lines: readonly string[], inner: number, chosen: boolean, style: Style): string[] {
  const [corner, line, side] = chosen ? ['┏┓┗┛', '━', '┃'] : ['┌┐└┘', '─', '│'];
  const paint = chosen ? style.cyan : (text: string) => text;
  const edge = paint(side);
  const body = lines.filter((text) => text !== '').map((text) => `${edge} ${padded(text, inner)} ${edge}`);
  return [
    paint(`${corner[0]}${line.repeat(inner + 2)}${corner[1]}`),
    ...body,
    paint(`${corner[2]}${line.repeat(inner + 2)}${corner[3]}`),
  ];
}
