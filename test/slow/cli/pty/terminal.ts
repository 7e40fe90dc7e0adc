import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../../e2e/program.ts';
import { outputOf } from '../../../run-program.ts';
import { needPrograms } from '../../machine/needs.ts';

const hkctl = join(root, 'bin', 'hkctl.js');
needPrograms('tmux');

/** A shell on a real pseudo-terminal of a given size, in a tmux server of its own. */
export class Terminal {
  private readonly server = `hkctl-${process.pid}-${Math.random().toString(36).slice(2)}`;
  readonly store: string;

  constructor(
    readonly columns: number,
    readonly rows: number,
    env: Record<string, string> = {},
    store?: string,
  ) {
    this.store = store ?? join(mkdtempSync(join(tmpdir(), 'hkctl-pty-')), 'state', 'hkctl.db');
    // Whatever the machine of the test has must not show: clipboard, colours, a login's settings.
    const variables = {
      PATH: process.env.PATH ?? '',
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      HKCTL_STORE: this.store,
      HKCTL_USER: 'alice',
      ...env,
    };
    const size = ['-x', String(columns), '-y', String(rows)];
    const settings = Object.entries(variables).flatMap(([name, value]) => [
      '-e',
      `${name}=${value}`,
    ]);
    this.tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      ...size,
      ...settings,
      'env -u NO_COLOR -u FORCE_COLOR bash --norc --noprofile',
    );
    this.tmux('set', '-g', 'history-limit', '5000');
    this.type(`PS1='$ '; hkctl() { ${process.execPath} ${hkctl} "$@"; }; clear`);
  }

  /** Types a text. */
  write(text: string): void {
    this.tmux('send-keys', '-l', text);
  }

  /** Types a line and Enter. */
  type(line: string): void {
    this.write(line);
    this.press('Enter');
  }

  /** Presses keys by tmux's names: `Enter`, `Down`, `Space`, `C-c`. */
  press(...keys: string[]): void {
    for (const key of keys) this.tmux('send-keys', key);
  }

  /** What stands on the screen. */
  screen(): string {
    return this.tmux('capture-pane', '-p').trimEnd();
  }

  /** The same with its colours. */
  painted(): string {
    return this.tmux('capture-pane', '-p', '-e').trimEnd();
  }

  /** Everything that can be scrolled back to, and the screen. */
  scrollback(): string {
    return this.tmux('capture-pane', '-p', '-S', '-5000');
  }

  /** Sets an option of tmux for its windows. */
  option(name: string, value: string): void {
    this.tmux('set-option', '-g', '-w', name, value);
  }

  /** The path of the terminal that the shell runs in. */
  device(): string {
    return this.tmux('display-message', '-p', '#{pane_tty}').trim();
  }

  /** Sends a signal to the programs of the terminal that are called node. */
  signal(name: 'STOP'): void {
    const terminal = this.device().replace('/dev/', '');
    outputOf('pkill', [`-${name}`, '-t', terminal, 'node']);
  }

  /** Closes the pane under whatever runs in it, and tmux with it. */
  kill(): void {
    this.tmux('kill-pane');
  }

  resize(columns: number, rows: number): void {
    this.tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Waits until a text stands on the screen and the screen has come to rest; gives the screen. */
  async until(text: string | RegExp): Promise<string> {
    const deadline = Date.now() + 15_000;
    for (let before = ''; ; ) {
      const now = this.screen();
      if (now === before && (typeof text === 'string' ? now.includes(text) : text.test(now)))
        return now;
      if (Date.now() > deadline) throw new Error(`The screen never showed ${text}:\n${now}`);
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }

  close(): void {
    this.tmux('kill-server');
  }

  private tmux(...args: string[]): string {
    return outputOf('tmux', ['-L', this.server, ...args]);
  }
}

/** Takes out what differs from run to run: secrets, prefixes and times, each by something of the same width. */
export function settled(screen: string): string {
  return screen
    .replace(/hk_[0-9A-Za-z]{49}/g, `hk_${'S'.repeat(49)}`)
    .replace(/hk_[0-9A-Za-z]{5}(?![0-9A-Za-z])/g, 'hk_PREFX')
    .replace(
      /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (CET |CEST|C[SD]T |UTC |GMT[+-]\d+|CET|C[SD]T|UTC)/g,
      (time) => '2026-01-01 00:00:00 TZ'.padEnd(time.length),
    );
}
