import { statusOf } from '../../core/keys/keys.ts';
import type { Key } from '../../core/port/keys.ts';
import type { Style } from '../terminal/style.ts';
import { padded, truncated, widthOf, wrapText, wrapWords } from '../terminal/wrap.ts';
import { extraFactsOf, type Fact, factsOf, permissionLabels } from './facts.ts';
import { offersOf, type PageView } from './view.ts';

/** The rows of every tile but the chosen one, which grows by what does not fit into them. */
export const tileRows = 5;

/** Below this width each fact has a line of its own. */
const narrow = 46;
/** The width of the labels of the left and of the right column. */
const labelWidths = [8, 11] as const;

/**
 * A tile as lines of equal width. Prefix, name and status stand in its upper edge; the chosen tile has a heavy frame, and the
 * frames of the others are dim.
 */
export function tileLines(view: PageView, key: Key, chosen: boolean, width: number, style: Style): string[] {
  const inner = width - 4;
  const facts = factsOf(key, view.nowMs);
  const isNarrow = width < narrow;
  const extras = chosen ? extraFactsOf(key).flatMap((extra) => extraLines(extra, inner, style)) : [];
  const body = [
    ...(isNarrow ? narrowLines(view, key, inner, style) : []),
    ...(isNarrow ? facts.map((fact) => cell(fact, 11, inner, style)) : inColumns(facts, inner, style)),
    ...extras,
    ...chipLines(view, key, chosen, inner, style),
  ];
  const [corners, line, side] = chosen ? ['┏┓┗┛', '━', '┃'] : ['┌┐└┘', '─', '│'];
  const paint = chosen ? style.cyan : style.dim;
  const edge = paint(side);
  return [
    isNarrow
      ? paint(`${corners[0]}${line.repeat(width - 2)}${corners[1]}`)
      : titleLine(view, key, chosen, width, style),
    ...body.map((text) => `${edge} ${padded(text, inner)} ${edge}`),
    paint(`${corners[2]}${line.repeat(width - 2)}${corners[3]}`),
  ];
}

/** The upper edge of a tile with prefix, name and status. */
function titleLine(view: PageView, key: Key, chosen: boolean, width: number, style: Style): string {
  const status = statusOf(key, view.nowMs);
  const [left, right, line] = chosen ? ['┏', '┓', '━'] : ['┌', '┐', '─'];
  const paint = chosen ? style.cyan : style.dim;
  const name = truncated(key.name, width - key.prefix.length - status.length - 11);
  const rest = width - key.prefix.length - widthOf(name) - status.length - 10;
  return [
    paint(`${left}${line}`),
    ` ${style.cyan(key.prefix)}  ${style.bold(name)} `,
    paint(line.repeat(rest)),
    ` ${statusColour(status, style)(status)} `,
    paint(`${line}${right}`),
  ].join('');
}

function narrowLines(view: PageView, key: Key, inner: number, style: Style): string[] {
  const status = statusOf(key, view.nowMs);
  return [style.bold(truncated(key.name, inner)), `${style.cyan(key.prefix)}  ${statusColour(status, style)(status)}`];
}

function statusColour(status: ReturnType<typeof statusOf>, style: Style): (text: string) => string {
  return { Active: style.green, Expired: style.yellow, Revoked: style.red }[status];
}

/** Facts in two columns, row by row. */
function inColumns(facts: readonly Fact[], inner: number, style: Style): string[] {
  const half = Math.floor(inner / 2);
  const lines: string[] = [];
  for (let i = 0; i < facts.length; i += 2) {
    const [left, right] = facts.slice(i, i + 2);
    const first = left ? cell(left, labelWidths[0], half - 2, style) : '';
    lines.push(padded(first, half) + (right ? cell(right, labelWidths[1], inner - half, style) : ''));
  }
  return lines;
}

/** A label and the longest of a fact's values that fits, cut where even the shortest does not. */
function cell({ label, values, isUrgent }: Fact, labelWidth: number, width: number, style: Style): string {
  const free = width - labelWidth;
  const value = truncated(values.find((text) => widthOf(text) <= free) ?? values.at(-1) ?? '', free);
  return `${style.dim(padded(label, labelWidth))}${isUrgent ? style.yellow(value) : value}`;
}

function extraLines([label, value]: [string, string], inner: number, style: Style): string[] {
  const [first = '', ...more] = wrapText(value, inner - label.length - 1);
  const indent = ' '.repeat(label.length + 1);
  return [`${style.dim(label)} ${first}`, ...more.map((line) => indent + line)];
}

/** Permission chips with the actions at the right. The chosen tile shows every chip, others what one line holds. */
function chipLines(view: PageView, key: Key, chosen: boolean, inner: number, style: Style): string[] {
  const chips = key.permissions.map((permission) => `[${permissionLabels.get(permission) ?? permission}]`);
  const actions = actionsOf(view, key, chosen, style);
  const room = inner - widthOf(actions) - 2;
  if (!chosen) return [beside(oneLine(chips, room), actions, inner)];
  const lines = wrapWords(chips, inner);
  const last = lines.at(-1) ?? '';
  if (widthOf(last) <= room) return [...lines.slice(0, -1), beside(last, actions, inner)];
  return actions === '' ? lines : [...lines, beside('', actions, inner)];
}

function beside(left: string, right: string, width: number): string {
  return padded(left, width - widthOf(right)) + right;
}

/** As many chips as fit, and how many more there are. */
function oneLine(chips: readonly string[], width: number): string {
  for (let shown = chips.length; shown > 0; shown--) {
    const more = shown < chips.length ? [`+${chips.length - shown}`] : [];
    const line = [...chips.slice(0, shown), ...more].join(' ');
    if (widthOf(line) <= width) return line;
  }
  return truncated(chips.length === 1 ? (chips[0] ?? '') : `${chips.length} permissions`, width);
}

function actionsOf(view: PageView, key: Key, chosen: boolean, style: Style): string {
  const { rotate, revoke } = offersOf(view, key);
  const action = (letter: string, label: string) =>
    chosen ? `${style.bold(`[${letter}]`)} ${label}` : style.dim(label);
  return [
    ...(rotate === 'offered' ? [action('r', 'Rotate')] : []),
    ...(rotate === 'disabled' ? [`${style.strikethrough('Rotate')} (not permitted)`] : []),
    ...(revoke ? [action('v', 'Revoke')] : []),
  ].join('  ');
}
