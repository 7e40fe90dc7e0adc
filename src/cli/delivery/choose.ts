import { HkctlError } from '../../core/errors.ts';
import type { Handover } from '../../core/keys/issuance.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Context } from '../context.ts';
import { canDraw } from '../terminal/style.ts';
import { withCopy } from './clipboard.ts';
import { createFolderHandover, createNewFileHandover, createReplacingFileHandover } from './files.ts';
import { createPanelHandover, fitsPanel } from './panel.ts';
import { createJsonHandover, createPlainHandover, requireReader } from './stdout.ts';

/** What the command line says about where secrets go. */
export interface HandoverWish {
  copy: boolean;
  secretFile?: string;
  secretDir?: string;
  /** PATH may hold the old secret, and is replaced (rotate). */
  replace: boolean;
  keys: number;
  /** The clock of the store, by which a key is active or not. */
  clock: Clock;
  /** The toast of the panel. */
  done: string;
  baseUrl?: string;
}

/** A way for secrets to go, and the files they went to (key id → path), if any. */
export interface ChosenHandover {
  handover: Handover;
  files: Map<string, string> | undefined;
  /** Whether standard output has been written already. */
  printed: boolean;
}

/** Chooses by flags and surroundings: a file or folder, JSON, the panel on a terminal, else plain lines. */
export async function chooseHandover(context: Context, wish: HandoverWish): Promise<ChosenHandover> {
  const chosen = choose(context, wish);
  // The panel copies by itself, so that what became of it can be read there.
  const panel = !chosen.files && chosen.panel;
  return wish.copy && !panel ? { ...chosen, handover: withCopy(context, chosen.handover) } : chosen;
}

function choose(context: Context, wish: HandoverWish): ChosenHandover & { panel: boolean } {
  const { secretFile, secretDir } = wish;
  const files = new Map<string, string>();
  if (secretFile !== undefined) {
    const inner = context.io.withOwnRights(() =>
      wish.replace ? createReplacingFileHandover(secretFile) : createNewFileHandover(secretFile),
    );
    return { handover: naming(withOwnRights(context, inner), files, secretFile), files, printed: false, panel: false };
  }
  if (secretDir !== undefined) {
    const inner = createFolderHandover(secretDir, files);
    return { handover: withOwnRights(context, inner), files, printed: false, panel: false };
  }
  requireReader(context);
  requireNoScrollback(context, wish.keys);
  if (context.json) {
    return {
      handover: createJsonHandover(context, wish.clock, wish.keys > 1),
      files: undefined,
      printed: true,
      panel: false,
    };
  }
  if (!context.io.stdout.isTTY) {
    return { handover: createPlainHandover(context), files: undefined, printed: true, panel: false };
  }
  const handover = createPanelHandover(context, { done: wish.done, baseUrl: wish.baseUrl, copy: wish.copy });
  return { handover, files: undefined, printed: true, panel: true };
}

/** No secret may stay in a terminal's scrollback (contract, section 1): without the alternate screen it goes elsewhere. */
function requireNoScrollback(context: Context, keys: number): void {
  const { io } = context;
  if (!io.stdout.isTTY) return;
  const refuse = (why: string, flag = '--secret-file PATH') =>
    new HkctlError('usage', `${why} Give ${flag}, or pipe standard output.`, {
      hint: 'A secret is never left in the scrollback of a terminal.',
    });
  if (context.json) throw refuse('With --json the secret would stay on this terminal.');
  if (!io.stdinIsTTY) throw refuse('Standard input is no terminal, so the one-time panel could not be dismissed.');
  if (!canDraw(io.env, io.stdout)) throw refuse('This terminal (TERM) has no alternate screen for the one-time panel.');
  if (!fitsPanel(context, keys)) throw refuse(`${keys} secrets do not fit on this screen at once.`, '--secret-dir DIR');
}

/** Files for secrets are named by the admin, and all that is done to them happens at once. */
function withOwnRights({ io }: Context, inner: Handover): Handover {
  return {
    deliver: (handed) => io.withOwnRights(() => inner.deliver(handed)),
    complete: () => io.withOwnRights(() => inner.complete()),
    withdraw: () => io.withOwnRights(() => inner.withdraw()),
  };
}

function naming(inner: Handover, files: Map<string, string>, path: string): Handover {
  return {
    ...inner,
    async deliver(handed) {
      await inner.deliver(handed);
      for (const { key } of handed) files.set(key.id, path);
    },
  };
}
