import { permissionLabels } from '../../../core/access/permissions.ts';
import { expiresSoon, statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { timesOf } from '../../table/shown-time.ts';
import type { Style } from '../../terminal/style.ts';
import { padded, shortened, truncated, widthOf, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { refusedText, statusText } from '../keys/refused.ts';
import { usageBars, usageFacts } from '../keys/usage.ts';
import type { PageView } from './view.ts';

/** The rows of every tile but the chosen one, which grows by what does not fit into them. */
export const tileRows = 5;

/** Below this width each fact has a line of its own. */
const narrow = 46;
const labelWidths = [8, 11] as const;

/**
 * A tile as lines of equal width. Prefix, name and status stand in its upper edge, the actions in the lower one; the chosen
 * tile has a heavy frame, and the frames of the others are dim.
 */
export function tileLines(
  view: PageView,
  key: Key,
  chosen: boolean,
  width: number,
  style: Style,
): string[] {
  const inner = width - 4;
  const frame = frameOf(chosen, width, style);
  const facts = factsOf(key, view.nowMs);
  const isNarrow = width < narrow;
  const freeForStatus = isNarrow ? inner - key.prefix.length - 2 : width - leastNameWidth;
  const status = shortStatusOf(key, view.nowMs, freeForStatus);
  const shownStatus = paintOfStatus(key, view.nowMs, style)(status);
  const ofUsage = chosen ? usageLines(view, key, inner, style) : [];
  const refused = refusedText(key, view.nowMs);
  // The edge may be too narrow for the reason.
  const reason: [string, string][] =
    refused === '' || status.endsWith(refused) ? [] : [['Status', statusText(key, view.nowMs)]];
  const extras = chosen
    ? [
        ...[...reason, ...extraFactsOf(key)].flatMap((extra) => extraLines(extra, inner, style)),
        ...ofUsage,
      ]
    : [];
  const chips = chipLines(key, chosen, inner);
  const prefix = style.cyan(key.prefix);
  const actions = actionsOf(view, key, chosen, style);
  if (isNarrow) {
    const name = style.bold(shortened(key.name, inner));
    const lines = facts.map((fact) => cell(fact, labelWidths[1], inner, style));
    const body = [
      name,
      `${prefix}  ${shownStatus}`,
      ...lines,
      ...extras,
      ...chips,
      ...wrapWords(actions, inner, '  '),
    ];
    return [frame.top('', ''), ...body.map(frame.row), frame.bottom('')];
  }
  const name = style.bold(shortened(key.name, width - key.prefix.length - status.length - 11));
  const body = [...inColumns(facts, inner, style), ...extras, ...chips];
  return [
    frame.top(`${prefix}  ${name}`, shownStatus),
    ...body.map(frame.row),
    frame.bottom(actions.join('  ')),
  ];
}

/** The width of an edge besides the status: frame, prefix and the beginning of a name. */
const leastNameWidth = 'hk_Ab3dE'.length + 11 + 12;

/** The state of a key; for a refused one as much of the reason as fits. */
function shortStatusOf(key: Key, nowMs: number, width: number): string {
  const refused = refusedText(key, nowMs);
  if (refused === '') return statusOf(key, nowMs);
  const texts = [statusText(key, nowMs), refused, 'refused'];
  return texts.find((text) => text.length <= width) ?? 'refused';
}

function paintOfStatus(key: Key, nowMs: number, style: Style): (text: string) => string {
  if (refusedText(key, nowMs) !== '') return style.red;
  return { Active: style.green, Expired: style.yellow, Revoked: style.red }[statusOf(key, nowMs)];
}

/** The lines of a frame; its edges hold texts at the left and at the right. */
function frameOf(chosen: boolean, width: number, style: Style) {
  const [corners, line, side] = chosen ? ['┏┓┗┛', '━', '┃'] : ['┌┐└┘', '─', '│'];
  const paint = chosen ? style.cyan : style.dim;
  const edge = (
    from: string | undefined,
    to: string | undefined,
    leftText: string,
    right: string,
  ) => {
    const [first, last] = [leftText, right].map((text) => (text === '' ? '' : ` ${text} `)) as [
      string,
      string,
    ]; // a pair stays one
    const fillWidth = width - 4 - widthOf(first) - widthOf(last);
    return `${paint(`${from}${line}`)}${first}${paint(line.repeat(fillWidth))}${last}${paint(`${line}${to}`)}`;
  };
  return {
    top: (leftText: string, right: string) => edge(corners[0], corners[1], leftText, right),
    row: (text: string) => `${paint(side)} ${padded(text, width - 4)} ${paint(side)}`,
    bottom: (right: string) => edge(corners[2], corners[3], '', right),
  };
}

function inColumns(facts: readonly Fact[], inner: number, style: Style): string[] {
  const half = Math.floor(inner / 2);
  const lines: string[] = [];
  for (let i = 0; i < facts.length; i += 2) {
    const [leftFact, right] = facts.slice(i, i + 2);
    const first = leftFact ? cell(leftFact, labelWidths[0], half - 2, style) : '';
    lines.push(
      padded(first, half) + (right ? cell(right, labelWidths[1], inner - half, style) : ''),
    );
  }
  return lines;
}

/** A label and the longest of a fact's values that fits, cut if even the shortest does not. */
function cell(
  { label, values, isUrgent }: Fact,
  labelWidth: number,
  width: number,
  style: Style,
): string {
  const free = width - labelWidth;
  const value = truncated(
    values.find((text) => widthOf(text) <= free) ?? values.at(-1) ?? '',
    free,
  );
  return `${style.dim(padded(label, labelWidth))}${isUrgent ? style.yellow(value) : value}`;
}

function extraLines([label, value]: [string, string], inner: number, style: Style): string[] {
  const [first = '', ...more] = wrapText(value, inner - label.length - 1);
  const indent = ' '.repeat(label.length + 1);
  return [`${style.dim(label)} ${first}`, ...more.map((line) => indent + line)];
}

/** Usage of the chosen key: bars of 90 days, today in words, and the last rejected reading; none of a key that was not used. */
function usageLines({ usage, nowMs }: PageView, key: Key, inner: number, style: Style): string[] {
  if (usage.length === 0) return [];
  const labelWidth = 'Requests '.length;
  const bars = usageBars(usage, key, { nowMs, width: inner - labelWidth, isAscii: false, style });
  const [, ...facts] = usageFacts(usage, key, { nowMs, utc: false });
  return [
    ...bars.map(([label, line]) => style.dim(padded(label, labelWidth)) + line),
    ...facts.flatMap(([label, value]) =>
      extraLines([padded(label, labelWidth - 1), value], inner, style),
    ),
  ];
}

/** Permission chips: the chosen tile shows every one, others what one line holds. */
function chipLines(key: Key, chosen: boolean, inner: number): string[] {
  const chips = key.permissions.map(
    (permission) => `[${permissionLabels.get(permission) ?? permission}]`,
  );
  return chosen ? wrapWords(chips, inner) : [oneLine(chips, inner)];
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

/** Only active keys have actions; Rotate is struck out if the actor may not do it. */
function actionsOf(view: PageView, key: Key, chosen: boolean, style: Style): string[] {
  if (statusOf(key, view.nowMs) !== 'Active') return [];
  const action = (letter: string, label: string) =>
    chosen ? `${style.bold(`[${letter}]`)} ${label}` : style.dim(label);
  return [
    view.mayRotate ? action('r', 'Rotate') : `${style.strikethrough('Rotate')} (not permitted)`,
    ...(view.mayRevoke ? [action('v', 'Revoke')] : []),
  ];
}

/** A fact of a tile: its values say the same, the longest first; the first that fits is shown. */
interface Fact {
  label: string;
  values: readonly string[];
  isUrgent?: boolean;
}

/** The facts of a tile other than prefix, name and status, in the order of the settings page (promise 3.10). */
export function factsOf(key: Key, nowMs: number): Fact[] {
  const { entity, lastUsedIp, lastUsedAtMs, expiresAtMs, createdBy } = key;
  const scope = entity
    ? `${entity.code} ${entity.name}${entity.status === 'inactive' ? ' (inactive)' : ''}`
    : undefined;
  const used = timesOf(lastUsedAtMs, key, nowMs);
  const withAddress = lastUsedIp
    ? [`${used[0]} from ${lastUsedIp}`, `${used.at(-1)} from ${lastUsedIp}`]
    : [];
  return [
    { label: 'Entity', values: [scope ?? 'none (removed)'] },
    { label: 'Last used', values: [...withAddress, ...used] },
    {
      label: 'Expires',
      values: timesOf(expiresAtMs, key, nowMs),
      isUrgent: expiresSoon(key, nowMs),
    },
    { label: 'Created by', values: [createdBy.name] },
  ];
}

/** The facts that only some keys have: the note, and the addresses a key may be used from. */
export function extraFactsOf({ note, allowedIps }: Key): [label: string, value: string][] {
  const facts: [string, string][] = [
    ['Note', note ?? ''],
    ['Allowed from', allowedIps.join(', ')],
  ];
  return facts.filter(([, value]) => value !== '');
}
