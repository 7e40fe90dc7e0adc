import { HkctlError } from '../../core/errors.ts';
import type { SecretDelivery } from '../../core/keys/issuance.ts';
import type { Clock } from '../../core/time/instants.ts';
import type { Context } from '../context.ts';
import { canDraw } from '../terminal/style.ts';
import { withCopy } from './clipboard.ts';
import { createFolderDelivery, createNewFileDelivery, createReplacingFileDelivery } from './files.ts';
import { createPanelDelivery, fitsPanel } from './panel.ts';
import { createJsonDelivery, createPlainDelivery, requireReader } from './stdout.ts';

/** Where the command line sends secrets, and what the delivery needs for it. */
export interface DeliveryOptions {
  copy: boolean;
  secretFile?: string;
  secretDir?: string;
  /** Whether PATH may hold the old secret and is replaced (rotate). */
  replace: boolean;
  keys: number;
  /** The store's clock, which decides whether a key is active. */
  clock: Clock;
  /** The panel's message of success: `API key rotated`. */
  done: string;
  baseUrl?: string;
}

/** A delivery, and the files that it wrote (key id → path), if any. */
export interface ChosenDelivery {
  delivery: SecretDelivery;
  files: Map<string, string> | undefined;
  /** Whether the delivery itself writes to standard output. */
  printed: boolean;
}

/** Chooses the delivery by flags and environment: a file or folder, JSON, the panel on a terminal, else plain lines. */
export async function chooseDelivery(context: Context, settings: DeliveryOptions): Promise<ChosenDelivery> {
  const chosen = choose(context, settings);
  // The panel copies by itself, to show the outcome.
  const panel = !chosen.files && chosen.panel;
  return settings.copy && !panel ? { ...chosen, delivery: withCopy(context, chosen.delivery) } : chosen;
}

function choose(context: Context, settings: DeliveryOptions): ChosenDelivery & { panel: boolean } {
  const { secretFile, secretDir } = settings;
  const files = new Map<string, string>();
  if (secretFile !== undefined) {
    const inner = context.io.withOwnRights(() =>
      settings.replace ? createReplacingFileDelivery(secretFile) : createNewFileDelivery(secretFile),
    );
    return { delivery: naming(withOwnRights(context, inner), files, secretFile), files, printed: false, panel: false };
  }
  if (secretDir !== undefined) {
    const inner = createFolderDelivery(secretDir, files);
    return { delivery: withOwnRights(context, inner), files, printed: false, panel: false };
  }
  requireReader(context);
  requireNoScrollback(context, settings.keys);
  if (context.json) {
    return {
      delivery: createJsonDelivery(context, settings.clock, settings.keys > 1),
      files: undefined,
      printed: true,
      panel: false,
    };
  }
  if (!context.io.stdout.isTTY) {
    return { delivery: createPlainDelivery(context), files: undefined, printed: true, panel: false };
  }
  const delivery = createPanelDelivery(context, {
    done: settings.done,
    baseUrl: settings.baseUrl,
    copy: settings.copy,
  });
  return { delivery, files: undefined, printed: true, panel: true };
}

/** Refuses a terminal without an alternate screen: no secret may stay in the scrollback (contract, section 1). */
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

/** Runs a delivery with the caller's rights: the command line names its files, and every step is synchronous. */
function withOwnRights({ io }: Context, inner: SecretDelivery): SecretDelivery {
  return {
    deliver: (handed) => io.withOwnRights(() => inner.deliver(handed)),
    complete: () => io.withOwnRights(() => inner.complete()),
    withdraw: () => io.withOwnRights(() => inner.withdraw()),
  };
}

function naming(inner: SecretDelivery, files: Map<string, string>, path: string): SecretDelivery {
  return {
    ...inner,
    async deliver(handed) {
      await inner.deliver(handed);
      for (const { key } of handed) files.set(key.id, path);
    },
  };
}
