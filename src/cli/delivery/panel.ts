import { errnoOf } from '../../core/errors.ts';
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
import { decidedFacts } from './results.ts';
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
  const messages = { outcome: '', copying: '' };
  let asking = false;
  const dismissal = new AbortController();
  const draw = () => {
    const sentences = [messages.outcome, messages.copying].filter((text) => text !== '');
    const view = {
      delivered,
      toast: sentences.join('. '),
      asking,
      baseUrl,
      naming,
      nowMs: clock(),
    };
    screen?.draw((columns, rows) => panelLines(view, columns, rows, style));
  };

  let pendingCopy: Promise<FinishedCopy> | undefined;
  /** Copies while the panel takes keys: a clipboard program may hang. */
  const startCopy = () => {
    messages.copying = 'Copying …';
    draw();
    const copyResult = copySecret(io, joinedSecrets(delivered), io.stdout, dismissal.signal);
    pendingCopy = copyResult.then(
      (text) => ({ kind: 'copied', text }),
      (thrown: unknown) => ({ kind: 'failed', thrown }),
    );
  };

  const showCopied = (finishedCopy: FinishedCopy) => {
    pendingCopy = undefined;
    if (finishedCopy.kind === 'failed') throw finishedCopy.thrown;
    messages.copying = finishedCopy.text;
  };
  const closeScreen = () => {
    dismissal.abort();
    screen?.close();
  };

  const untilDismissed = async (openedScreen: Screen) => {
    let signalled = false;
    let nextEvent: Promise<ScreenEvent> | undefined;
    for (;;) {
      draw();
      nextEvent ??= openedScreen.next();
      const event = await (pendingCopy === undefined
        ? nextEvent
        : Promise.race([nextEvent, pendingCopy]));
      if (isFinishedCopy(event)) {
        showCopied(event);
        continue;
      }
      nextEvent = undefined;

      // The terminal is gone, or a second signal came, whose sender may have no way to answer: the key was shown, and is kept.
      if (event === 'end' || (event === 'signal' && signalled)) {
        // The same event ends the page or command that opened the screen.
        openedScreen.unread(event);
        return;
      }
      if (event === 'signal') {
        signalled = true;
        asking = true;
        continue;
      }

      const letter = event.ctrl || event.meta ? '' : event.name;
      const isEnterOrCancel = isEnter(event) || isCancelKey(event);
      if (asking) {
        if (letter === 'y') return;
        if (letter === 'n' || isEnterOrCancel) asking = false;
      } else if (letter === 'c' && pendingCopy === undefined) {
        messages.outcome = '';
        startCopy();
      } else if (letter === 'd' || isEnterOrCancel) {
        asking = true;
      }
    }
  };

  const showUntilDismissed = async (outcome: string) => {
    messages.outcome = outcome;
    if (screen) await untilDismissed(screen).finally(closeScreen);
  };

  return {
    async deliver(deliveredKeys) {
      delivered = deliveredKeys;
      screen = openScreen(io);
      draw();
      if (copy) startCopy();
    },
    complete: () => showUntilDismissed(done),
    withdraw: closeScreen,
    async keep() {
      await showUntilDismissed(`Keep it: ${untilVerified}`);
      return `Keep what was just shown: ${untilVerified}`;
    },
  };
}

/** Whether the screen can show all secrets at once: each must be visible before the commit. */
export function fitsPanel(context: Context, keys: number): boolean {
  if (keys === 1) return true;

  const terminalRows = context.io.stdout.rows() ?? 24;
  return keys * 4 + 8 <= terminalRows;
}

interface CopiedKey {
  kind: 'copied';
  text: string;
}

interface FailedCopy {
  kind: 'failed';
  thrown: unknown;
}

/** The end of a copy in the background: its message, or its error. */
type FinishedCopy = CopiedKey | FailedCopy;

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
 * The panel's lines for a terminal size. If rows are few, the panel leaves out the examples, then blank lines, names and the
 * message of success. Secrets are shown whole as long as they fit above the actions. They are near the bottom: tmux without an
 * alternate screen rewraps long lines when it gets narrower, which moves rows from the top to the scrollback.
 */
export function panelLines(view: PanelView, columns: number, rows: number, style: Style): string[] {
  const width = Math.max(20, Math.min(columns, 100));
  const { delivered, baseUrl } = view;
  const keyBlocks = delivered.map(({ key, secret }) => {
    const nameWidth = width - key.prefix.length - 3;
    const secretWidth = Math.min(columns, width);
    const facts = decidedFacts(key, view.nowMs);
    return {
      name: `${shortened(key.name, nameWidth)} (${key.prefix})`,
      secret: wrapText(secret, secretWidth).map((line) => style.bold(line)),
      facts: facts.flatMap(([label, value]) => wrapLabelled(`${label.padEnd(8)} `, value, width)),
    };
  });

  const heading = delivered.length > 1 ? 'Your new API keys' : 'Your new API key';
  const headLines = [
    style.bold(heading),
    ...wrapText('Copy this key now. It cannot be shown again.', width),
  ];
  const exampleLines = quickStartLines(baseUrl, view.naming, width, style);

  const toastLines = wrapText(view.toast, width).map((line) => style.cyan(line));
  const actions = actionLines(view, width, style);
  const endLines = [...toastLines, ...actions];

  const spacedBlocks = keyBlocks.flatMap(({ name, facts, secret }) => [
    '',
    name,
    ...facts,
    '',
    ...secret,
  ]);
  const factBlocks = keyBlocks.flatMap(({ name, facts, secret }) => [name, ...facts, ...secret]);
  const spacedNames = keyBlocks.flatMap(({ name, secret }) => ['', name, ...secret]);
  const namedSecrets = keyBlocks.flatMap(({ name, secret }) => [name, ...secret]);
  const secretLines = keyBlocks.flatMap(({ secret }) => secret);
  const layouts = [
    [...spacedBlocks, '', ...endLines],
    [...factBlocks, ...endLines],
    [...spacedNames, '', ...endLines],
    [...namedSecrets, ...endLines],
    [...secretLines, ...endLines],
  ];
  const fittingLayout = layouts.find(({ length }) => length <= rows);
  const bottomLines = fittingLayout ?? [...secretLines, ...actions];

  const freeRows = Math.max(0, rows - headLines.length - bottomLines.length);
  const shownExamples = exampleLines.slice(0, freeRows);
  return [...headLines, ...shownExamples, ...bottomLines].slice(-rows);
}

/** First calls with the key, and how to get an address if none is known. */
function quickStartLines(
  baseUrl: string | undefined,
  naming: Context['naming'],
  width: number,
  style: Style,
): string[] {
  const shownUrl = (path: string) =>
    baseUrl === undefined ? `{base_url}${path}` : shellWord(baseUrl + path);
  const baseUrlHint =
    baseUrl === undefined ? naming('{base_url}: run hkctl serve, or give --base-url') : '';
  const pasteComment = width < 52 ? '' : `    ${style.cyan('# paste the key, then Enter')}`;
  return [
    '',
    style.bold('Quick start'),
    `  read -rs API_KEY${pasteComment}`,
    ...curlLines(shownUrl('/api/v1/me'), width),
    ...curlLines(shownUrl('/api/v1/resources'), width),
    ...wrapText(baseUrlHint, width - 2).map((line) => `  ${style.cyan(line)}`),
  ];
}

/** The keys that the panel takes, and its question before the secret disappears. */
function actionLines({ delivered, asking }: PanelView, width: number, style: Style): string[] {
  const isNarrow = width < 26;
  const boldKey = (key: string) => style.bold(`[${key}]`);
  if (!asking) {
    const wideLabel = delivered.length > 1 ? 'Copy keys  ' : 'Copy key  ';
    const copyLabel = isNarrow ? 'Copy' : wideLabel;
    return [`${boldKey('c')} ${copyLabel} ${boldKey('d')} Dismiss`];
  }

  const prefixes = delivered.map(({ key }) => key.prefix).join(', ');
  const question = `The full key for ${prefixes} will not be shown again. Dismiss?`;
  const questionLines = wrapText(question, width).map((line) => style.yellow(line));
  const answers = isNarrow
    ? `${boldKey('n')}Cancel ${boldKey('y')}Dismiss`
    : `${boldKey('n')} Cancel   ${boldKey('y')} Dismiss`;
  return [...questionLines, answers];
}

function curlLines(url: string, width: number): string[] {
  const command = 'curl -H';
  const header = '"Authorization: Bearer $API_KEY"';
  const singleLine = `  ${command} ${header} ${url}`;
  if (singleLine.length <= width) return [singleLine];

  const firstLine = `  ${command} ${header} \\`;
  if (firstLine.length <= width) return [firstLine, `    ${url}`];
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
  closingSignal = new AbortController().signal,
): Promise<string> {
  // Over SSH the clipboard of this machine is not the user's.
  const isRemote = io.env.SSH_CONNECTION !== undefined || io.env.SSH_TTY !== undefined;
  const outcome = isRemote ? 'failed' : await copiedInTime(io, secret, closingSignal);
  if (outcome === 'copied') return 'API key copied';
  if (closingSignal.aborted) return '';

  if (canDraw(io.env, terminal)) {
    const encodedSecret = Buffer.from(secret).toString('base64');
    terminal.write(`\u001b]52;c;${encodedSecret}\u0007`);
    return 'Sent to the terminal by OSC 52; if it allows that, the key is on your clipboard. Paste it to be sure.';
  }
  return outcome === 'not installed'
    ? 'Not copied: the optional package clipboardy is not installed.'
    : 'Not copied: there is no clipboard here.';
}

type ClipboardResult = 'copied' | 'failed' | 'not installed';

async function copiedInTime(
  io: Io,
  secret: string,
  closingSignal: AbortSignal,
): Promise<ClipboardResult> {
  const cancellation = new AbortController();
  const cancel = () => cancellation.abort();
  closingSignal.addEventListener('abort', cancel, { once: true });

  const timer = setTimeout(cancel, longestCopyMs);
  const timeout = new Promise<ClipboardResult>((resolve) => {
    cancellation.signal.addEventListener('abort', () => resolve('failed'), { once: true });
  });

  // Any failure means that there is no clipboard; the tools behind it report theirs in many ways.
  const copyOutcome = io.copy(secret, cancellation.signal).then(
    (): ClipboardResult => 'copied',
    (thrown): ClipboardResult =>
      errnoOf(thrown) === 'MODULE_NOT_FOUND' ? 'not installed' : 'failed',
  );
  try {
    return await Promise.race([copyOutcome, timeout]);
  } finally {
    clearTimeout(timer);
    closingSignal.removeEventListener('abort', cancel);
  }
}
