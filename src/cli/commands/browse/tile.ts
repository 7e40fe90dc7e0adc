import { permissionLabels } from '../../../core/access/permissions.ts';
import { expiresSoon, statusOf } from '../../../core/keys/keys.ts';
import type { Key } from '../../../core/port/keys.ts';
import { timesOf } from '../../table/shown-time.ts';
import type { Style } from '../../terminal/style.ts';
import { padded, shortened, truncated, widthOf, wrapText, wrapWords } from '../../terminal/wrap.ts';
import { refusedText, statusText } from '../keys/shown-keys.ts';
import { usageBars, usageFacts } from '../keys/usage.ts';
import type { PageView } from './view.ts';

/** The rows of every tile but the chosen one, which grows as its facts need. */
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
  const innerWidth = width - 4;
  const isNarrow = width < narrow;
  const statusWidth = isNarrow ? innerWidth - key.prefix.length - 2 : width - edgeWidthBesideStatus;
  const status = shortStatusOf(key, view.nowMs, statusWidth);
  const paintedStatus = paintOfStatus(key, view.nowMs, style)(status);

  const frame = frameOf(chosen, width, style);
  const prefix = style.cyan(key.prefix);
  const facts = factsOf(key, view.nowMs);
  const actions = actionsOf(view, key, chosen, style);
  const detailLines = [
    ...(chosen ? chosenKeyLines(view, key, status, innerWidth, style) : []),
    ...chipLines(key, chosen, innerWidth),
  ];

  if (isNarrow) {
    const body = [
      style.bold(shortened(key.name, innerWidth)),
      `${prefix}  ${paintedStatus}`,
      ...facts.map((fact) => cell(fact, labelWidths[1], innerWidth, style)),
      ...detailLines,
      ...wrapWords(actions, innerWidth, '  '),
    ];
    const rows = body.map(frame.row);
    return [frame.top('', ''), ...rows, frame.bottom('')];
  }

  const nameWidth = width - key.prefix.length - status.length - 11;
  const name = style.bold(shortened(key.name, nameWidth));
  const body = [...inColumns(facts, innerWidth, style), ...detailLines];
  return [
    frame.top(`${prefix}  ${name}`, paintedStatus),
    ...body.map(frame.row),
    frame.bottom(actions.join('  ')),
  ];
}

/** The facts and the usage that only the chosen tile has room for. */
function chosenKeyLines(
  view: PageView,
  key: Key,
  status: string,
  innerWidth: number,
  style: Style,
): string[] {
  const facts = extraFactsOf(key);
  const refused = refusedText(key, view.nowMs);
  // The edge may be too narrow for the reason.
  if (refused !== '' && !status.endsWith(refused))
    facts.unshift(['Status', statusText(key, view.nowMs)]);
  return [
    ...facts.flatMap((fact) => extraLines(fact, innerWidth, style)),
    ...usageLines(view, key, innerWidth, style),
  ];
}

/** The width of an edge besides the status: frame, prefix and the beginning of a name. */
const edgeWidthBesideStatus = 'hk_Ab3dE'.length + 11 + 12;

/** The state of a key; for a refused one as much of the reason as fits. */
function shortStatusOf(key: Key, nowMs: number, width: number): string {
  const refused = refusedText(key, nowMs);
  if (refused === '') return statusOf(key, nowMs);
  const statusTexts = [statusText(key, nowMs), refused, 'refused'];
  return statusTexts.find((text) => text.length <= width) ?? 'refused';
}

function paintOfStatus(key: Key, nowMs: number, style: Style): (text: string) => string {
  if (refusedText(key, nowMs) !== '') return style.red;
  const paints = { Active: style.green, Expired: style.yellow, Revoked: style.red };
  return paints[statusOf(key, nowMs)];
}

/** The lines of a frame; its edges hold texts at the left and at the right. */
function frameOf(chosen: boolean, width: number, style: Style) {
  const [corners, horizontal, vertical] = chosen ? ['┏┓┗┛', '━', '┃'] : ['┌┐└┘', '─', '│'];
  const [topLeft, topRight, bottomLeft, bottomRight] = corners;
  const paint = chosen ? style.cyan : style.dim;
  const spaced = (text: string) => (text === '' ? '' : ` ${text} `);
  const edge = (
    leftCorner: string | undefined,
    rightCorner: string | undefined,
    leftText: string,
    rightText: string,
  ) => {
    const leftPart = spaced(leftText);
    const rightPart = spaced(rightText);
    const fillWidth = width - 4 - widthOf(leftPart) - widthOf(rightPart);
    return [
      paint(`${leftCorner}${horizontal}`),
      leftPart,
      paint(horizontal.repeat(fillWidth)),
      rightPart,
      paint(`${horizontal}${rightCorner}`),
    ].join('');
  };
  return {
    top: (leftText: string, rightText: string) => edge(topLeft, topRight, leftText, rightText),
    row: (text: string) => `${paint(vertical)} ${padded(text, width - 4)} ${paint(vertical)}`,
    bottom: (rightText: string) => edge(bottomLeft, bottomRight, '', rightText),
  };
}

function inColumns(facts: readonly TileFact[], innerWidth: number, style: Style): string[] {
  const halfWidth = Math.floor(innerWidth / 2);
  const lines: string[] = [];
  for (let factIndex = 0; factIndex < facts.length; factIndex += 2) {
    const [leftFact, rightFact] = facts.slice(factIndex, factIndex + 2);
    const leftCell = leftFact ? cell(leftFact, labelWidths[0], halfWidth - 2, style) : '';
    const rightCell = rightFact
      ? cell(rightFact, labelWidths[1], innerWidth - halfWidth, style)
      : '';
    lines.push(padded(leftCell, halfWidth) + rightCell);
  }
  return lines;
}

/** A label and the longest of a fact's values that fits, cut if even the shortest does not. */
function cell(
  { label, values, isUrgent }: TileFact,
  labelWidth: number,
  width: number,
  style: Style,
): string {
  const freeWidth = width - labelWidth;
  const fittingValue = values.find((value) => widthOf(value) <= freeWidth);
  const shownValue = truncated(fittingValue ?? values.at(-1) ?? '', freeWidth);
  const paintedValue = isUrgent ? style.yellow(shownValue) : shownValue;
  return `${style.dim(padded(label, labelWidth))}${paintedValue}`;
}

function extraLines([label, value]: [string, string], innerWidth: number, style: Style): string[] {
  const [firstLine = '', ...furtherLines] = wrapText(value, innerWidth - label.length - 1);
  const indent = ' '.repeat(label.length + 1);
  const indentedLines = furtherLines.map((line) => indent + line);
  return [`${style.dim(label)} ${firstLine}`, ...indentedLines];
}

/** Usage of the chosen key: bars of 90 days, today in words, and the last rejected reading; empty for an unused key. */
function usageLines(
  { usage, nowMs }: PageView,
  key: Key,
  innerWidth: number,
  style: Style,
): string[] {
  if (usage.length === 0) return [];
  const labelWidth = 'Requests '.length;
  const width = innerWidth - labelWidth;
  const labelledBars = usageBars(usage, key, { nowMs, width, isAscii: false, style });
  const barLines = labelledBars.map(([label, bars]) => {
    return style.dim(padded(label, labelWidth)) + bars;
  });
  // The first fact sums up the days that the bars show.
  const [, ...facts] = usageFacts(usage, key, { nowMs, utc: false });
  const factLines = facts.flatMap(([label, value]) =>
    extraLines([padded(label, labelWidth - 1), value], innerWidth, style),
  );
  return [...barLines, ...factLines];
}

/** Permission chips: the chosen tile shows all of them, any other tile one line. */
function chipLines(key: Key, chosen: boolean, innerWidth: number): string[] {
  const chips = key.permissions.map(
    (permission) => `[${permissionLabels.get(permission) ?? permission}]`,
  );
  return chosen ? wrapWords(chips, innerWidth) : [oneLine(chips, innerWidth)];
}

/** The chips that fit, and the number of the others. */
function oneLine(chips: readonly string[], width: number): string {
  for (let shownCount = chips.length; shownCount > 0; shownCount--) {
    const hiddenCount = chips.length - shownCount;
    const moreChips = hiddenCount > 0 ? [`+${hiddenCount}`] : [];
    const chipLine = [...chips.slice(0, shownCount), ...moreChips].join(' ');
    if (widthOf(chipLine) <= width) return chipLine;
  }
  const [firstChip = ''] = chips;
  return truncated(chips.length === 1 ? firstChip : `${chips.length} permissions`, width);
}

/** Only active keys have actions; Rotate is struck out if the actor may not do it. */
function actionsOf(view: PageView, key: Key, chosen: boolean, style: Style): string[] {
  if (statusOf(key, view.nowMs) !== 'Active') return [];
  const action = (letter: string, label: string) =>
    chosen ? `${style.bold(`[${letter}]`)} ${label}` : style.dim(label);
  const rotate = view.mayRotate
    ? action('r', 'Rotate')
    : `${style.strikethrough('Rotate')} (not permitted)`;
  return view.mayRevoke ? [rotate, action('v', 'Revoke')] : [rotate];
}

/** A fact of a tile: its values say the same, the longest first; a tile shows the first that fits. */
interface TileFact {
  label: string;
  values: readonly string[];
  isUrgent?: boolean;
}

/** The facts of a tile other than prefix, name and status, in the order of the settings page (promise 3.10). */
export function factsOf(key: Key, nowMs: number): TileFact[] {
  const { entity, lastUsedIp, lastUsedAtMs, expiresAtMs, createdBy } = key;
  const inactive = entity?.status === 'inactive' ? ' (inactive)' : '';
  const siteText = entity ? `${entity.code} ${entity.name}${inactive}` : 'none (removed)';
  const lastUsedTexts = timesOf(lastUsedAtMs, key, nowMs);
  const textsWithAddress = lastUsedIp
    ? [`${lastUsedTexts[0]} from ${lastUsedIp}`, `${lastUsedTexts.at(-1)} from ${lastUsedIp}`]
    : [];
  return [
    { label: 'Entity', values: [siteText] },
    { label: 'Last used', values: [...textsWithAddress, ...lastUsedTexts] },
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
