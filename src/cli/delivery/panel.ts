import { errnoOf } from '../../core/errno.ts';
import { type DeliveredKey, type SecretDelivery, untilVerified } from '../../core/keys/issuance.ts';
import { shellWord } from '../../core/text/quoting.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Context } from '../command/context.ts';
import type { Screen, ScreenEvent } from '../terminal/interaction.ts';
import type { Io } from '../terminal/io.ts';
import { isCancelKey, isEnter } from '../terminal/keypress.ts';
import { openScreen } from '../terminal/screen.ts';
import { canDraw, type Style } from '../terminal/style.ts';
import { shortened, wrapLabelled, wrapText } from '../terminal/wrap.ts';
import { decidedFacts } from './decided.ts';
import { joinedSecrets } from './stdout.ts';

export interface PanelTexts {
  /** The message of success: `API key rotated`. */
  done: string;
  baseUrl?: string;
  copy: boolean;
  /** The store's clock, for how long a key still works. */
  clock: Clock;
}

/** The one-time panel (promise 1.8) on the alternate screen, which shows the secrets before the commit. */
export function createPanelDelivery(
  { io, naming, style }: Context,
  { done, baseUrl, copy, clock }: PanelTexts,
): SecretDelivery {
  let screen: Screen | undefined;
  let delivered: readonly DeliveredKey[] = [];
  const message = { outcome: '', copying: '' };
  let asking = false;
  const dismissal = new AbortController();
  const draw = () => {
    const toast = [message.outcome, message.copying].filter((text) => text !== '').join('. ');
    const view = { delivered, toast, asking, baseUrl, naming, nowMs: clock() };
    screen?.draw((columns, rows) => panelLines(view, columns, rows, style));
  };
  let copying: Promise<FinishedCopy> | undefined;
  /** Copies while the panel takes keys: a clipboard program may hang. */
  const startCopy = () => {
    message.copying = 'Copying …';
    draw();
    const copied = copySecret(io, joinedSecrets(delivered), io.stdout, dismissal.signal);
    copying = copied.then(
      (text) => ({ kind: 'copied', text }),
      (thrown: unknown) => ({ kind: 'failed', thrown }),
    );
  };
  const showCopied = (copied: FinishedCopy) => {
    copying = undefined;
    if (copied.kind === 'failed') throw copied.thrown;
    message.copying = copied.text;
  };
  const closeScreen = () => {
    dismissal.abort();
    screen?.close();
  };
  const untilDismissed = async (open: Screen) => {
    let signalled = false;
    let nextEvent: Promise<ScreenEvent> | undefined;
    for (;;) {
      draw();
      nextEvent ??= open.next();
      const event = await (copying === undefined ? nextEvent : Promise.race([nextEvent, copying]));
      if (isFinishedCopy(event)) {
        showCopied(event);
        continue;
      }
      nextEvent = undefined;
      // The terminal is gone, or a second signal came, whose sender may have no way to answer: the key was shown, and is kept.
      if (event === 'end' || (event === 'signal' && signalled)) {
        // Whatever opened the screen ends by the same event.
        open.unread(event);
        return;
      }
      if (event === 'signal') {
        signalled = true;
        asking = true;
        continue;
      }
      const letter = event.ctrl || event.meta ? '' : event.name;
      if (!asking) {
        if (letter === 'c' && copying === undefined) {
          message.outcome = '';
          startCopy();
        } else if (letter === 'd' || isEnter(event) || isCancelKey(event)) asking = true;
      } else if (letter === 'y') return;
      else if (letter === 'n' || isEnter(event) || isCancelKey(event)) asking = false;
    }
  };
  const dismissed = async (outcome: string) => {
    message.outcome = outcome;
    if (screen) await untilDismissed(screen).finally(closeScreen);
  };
  return {
    async deliver(deliveredKeys) {
      delivered = deliveredKeys;
      screen = openScreen(io);
      draw();
      if (copy) startCopy();
    },
    complete: () => dismissed(done),
    withdraw: closeScreen,
    async keep() {
      await dismissed(`Keep it: ${untilVerified}`);
      return `Keep what was just shown: ${untilVerified}`;
    },
  };
}

/** Whether the screen can show all secrets at once: each must be visible before the commit. */
export function fitsPanel(context: Context, keys: number): boolean {
  return keys === 1 || keys * 4 + 8 <= (context.io.stdout.rows() ?? 24);
}

/** The end of a copy in the background: its message, or what it threw. */
type FinishedCopy = { kind: 'copied'; text: string } | { kind: 'failed'; thrown: unknown };

function isFinishedCopy(event: ScreenEvent | FinishedCopy): event is FinishedCopy {
  return typeof event === 'object' && 'kind' in event;
}

interface PanelView {
  delivered: readonly DeliveredKey[];
  toast: string;
  asking: boolean;
  baseUrl: string | undefined;
  naming: Context['naming'];
  nowMs: number;
}

/**
 * The panel's lines for a terminal size. If rows are few, the examples are left out, then blank lines, names and the
 * message of success: the secrets are shown whole as long as they fit above the actions. They are near the bottom: tmux
 * without an alternate screen rewraps long lines when it gets narrower, which moves rows from the top to the scrollback.
 */
export function panelLines(view: PanelView, columns: number, rows: number, style: Style): string[] {
  const width = Math.max(20, Math.min(columns, 100));
  const { delivered, baseUrl } = view;
  const urlOf = (path: string) =>
    baseUrl === undefined ? `{base_url}${path}` : shellWord(baseUrl + path);
  const unknown =
    baseUrl === undefined ? view.naming('{base_url}: run hkctl serve, or give --base-url') : '';
  const keys = delivered.map(({ key, secret }) => ({
    name: `${shortened(key.name, width - key.prefix.length - 3)} (${key.prefix})`,
    secret: wrapText(secret, Math.min(columns, width)).map((line) => style.bold(line)),
    facts: decidedFacts(key, view.nowMs).flatMap(([label, value]) =>
      wrapLabelled(`${label.padEnd(8)} `, value, width),
    ),
  }));
  const actions = actionLines(view, width, style);
  const head = [
    style.bold(delivered.length > 1 ? 'Your new API keys' : 'Your new API key'),
    ...wrapText('Copy this key now. It cannot be shown again.', width),
  ];
  const examples = [
    '',
    style.bold('Quick start'),
    `  read -rs API_KEY${width < 52 ? '' : `    ${style.cyan('# paste the key, then Enter')}`}`,
    ...curl(urlOf('/api/v1/me'), width),
    ...curl(urlOf('/api/v1/resources'), width),
    ...wrapText(unknown, width - 2).map((line) => `  ${style.cyan(line)}`),
  ];
  const toast = wrapText(view.toast, width).map((line) => style.cyan(line));
  const secrets = keys.flatMap(({ secret }) => secret);
  const variants = [
    [
      ...keys.flatMap(({ name, facts, secret: lines }) => ['', name, ...facts, '', ...lines]),
      '',
      ...toast,
      ...actions,
    ],
    [
      ...keys.flatMap(({ name, facts, secret: lines }) => [name, ...facts, ...lines]),
      ...toast,
      ...actions,
    ],
    [...keys.flatMap(({ name, secret }) => ['', name, ...secret]), '', ...toast, ...actions],
    [...keys.flatMap(({ name, secret }) => [name, ...secret]), ...toast, ...actions],
    [...secrets, ...toast, ...actions],
  ];
  const bottom = variants.find(({ length }) => length <= rows) ?? [...secrets, ...actions];
  const freeRows = Math.max(0, rows - head.length - bottom.length);
  return [...head, ...examples.slice(0, freeRows), ...bottom].slice(-rows);
}

/** The keys that the panel takes, and in its question what is at stake. */
function actionLines({ delivered, asking }: PanelView, width: number, style: Style): string[] {
  const isNarrow = width < 26;
  const bold = (key: string) => style.bold(`[${key}]`);
  if (!asking) {
    const copy = isNarrow ? 'Copy' : delivered.length > 1 ? 'Copy keys  ' : 'Copy key  ';
    return [`${bold('c')} ${copy} ${bold('d')} Dismiss`];
  }
  const prefixes = delivered.map(({ key }) => key.prefix).join(', ');
  const question = `The full key for ${prefixes} will not be shown again. Dismiss?`;
  return [
    ...wrapText(question, width).map((line) => style.yellow(line)),
    isNarrow
      ? `${bold('n')}Cancel ${bold('y')}Dismiss`
      : `${bold('n')} Cancel   ${bold('y')} Dismiss`,
  ];
}

function curl(url: string, width: number): string[] {
  const [command, header] = ['curl -H', '"Authorization: Bearer $API_KEY"'];
  const line = `  ${command} ${header} ${url}`;
  if (line.length <= width) return [line];
  const broken = `  ${command} ${header} \\`;
  if (broken.length <= width) return [broken, `    ${url}`];
  return [`${command} \\`, `${header} \\`, url];
}

/** A clipboard program may wait for a display that never answers. */
const longestCopyMs = 2000;

/**
 * Copies a secret to the clipboard of this machine, else by OSC 52, which gets no answer; returns what is certain. An aborted copy
 * returns an empty text and writes nothing more.
 */
export async function copySecret(
  io: Io,
  secret: string,
  terminal = io.stdout,
  closing = new AbortController().signal,
): Promise<string> {
  // Over SSH the clipboard of this machine is not the user's.
  const remote = io.env.SSH_CONNECTION !== undefined || io.env.SSH_TTY !== undefined;
  const outcome = remote ? 'failed' : await copiedInTime(io, secret, closing);
  if (outcome === 'copied') return 'API key copied';
  if (closing.aborted) return '';
  if (canDraw(io.env, terminal)) {
    terminal.write(`\u001b]52;c;${Buffer.from(secret).toString('base64')}\u0007`);
    return 'Sent to the terminal by OSC 52; if it allows that, the key is on your clipboard. Paste it to be sure.';
  }
  return outcome === 'not installed'
    ? 'Not copied: the optional package clipboardy is not installed.'
    : 'Not copied: there is no clipboard here.';
}

type ClipboardResult = 'copied' | 'failed' | 'not installed';

async function copiedInTime(io: Io, secret: string, closed: AbortSignal): Promise<ClipboardResult> {
  const limit = new AbortController();
  const abort = () => limit.abort();
  closed.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(abort, longestCopyMs);
  const timeout = new Promise<ClipboardResult>((resolve) => {
    limit.signal.addEventListener('abort', () => resolve('failed'), { once: true });
  });
  // Any failure means that there is no clipboard; the tools behind it report theirs in many ways.
  const copied = io.copy(secret, limit.signal).then(
    (): ClipboardResult => 'copied',
    (thrown): ClipboardResult =>
      errnoOf(thrown) === 'MODULE_NOT_FOUND' ? 'not installed' : 'failed',
  );
  try {
    return await Promise.race([copied, timeout]);
  } finally {
    clearTimeout(timer);
    closed.removeEventListener('abort', abort);
  }
}
