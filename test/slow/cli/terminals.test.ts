import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/store/sqlite-file/driver.ts';
import { Cli } from '../../cli/harness.ts';
import { cli as program } from '../../e2e/program.ts';
import { startProgram } from '../../run-program.ts';
import { needPrograms } from '../machine/needs.ts';
import { type Host, openPlainPty, openScreenHost, openTmux, openXterm, until } from './hosts.ts';

/** A narrow terminal breaks the question itself, but not its answers. */
const question = '[y] Dismiss';
const display = `:${90 + (process.pid % 100)}`;

const hosts: Record<string, { needs: string[]; open(store: string): Promise<Host> }> = {
  tmux: { needs: ['tmux'], open: (store) => openTmux(store, 'on') },
  'tmux without an alternate screen': { needs: ['tmux'], open: (store) => openTmux(store, 'off') },
  'GNU Screen': { needs: ['tmux', 'screen'], open: (store) => openScreenHost(store, 'off') },
  'GNU Screen with altscreen on': {
    needs: ['tmux', 'screen'],
    open: (store) => openScreenHost(store, 'on'),
  },
  xterm: { needs: ['xterm', 'Xvfb', 'script'], open: (store) => openXterm(store, display, 'on') },
  'xterm without an alternate screen': {
    needs: ['xterm', 'Xvfb', 'script'],
    open: (store) => openXterm(store, display, 'off'),
  },
  'a plain pseudo-terminal': { needs: ['script'], open: openPlainPty },
};

/** A panel that is shown, and what can be done to it. */
interface Panel {
  host: Host;
  secret: string;
  pid: number;
  /** Waits until a text is shown. */
  sees(text: string | RegExp): Promise<void>;
  /** The panel asks; then it must still have the secret. */
  asksAfter(act: () => void): Promise<void>;
}

interface Way {
  /** The exit code that the shell receives at the end. */
  code: number;
  /** Whether the key is kept. */
  kept: boolean;
  go(panel: Panel): Promise<void>;
}

const dismissed = { code: 0, kept: true };
const signalled = (signal: NodeJS.Signals): Way => ({
  ...dismissed,
  async go({ pid, asksAfter }) {
    await asksAfter(() => process.kill(pid, signal));
    process.kill(pid, signal);
  },
});
const asked = (key: string): Way => ({
  ...dismissed,
  async go({ host, sees, asksAfter }) {
    await asksAfter(() => host.write(key));
    // In the question the same key means Cancel; a second d means nothing.
    if (key !== 'd') {
      host.write(key);
      await sees('[d] Dismiss');
      await asksAfter(() => host.write(key));
    } else host.write(key);
    host.write('y');
  },
});
const resized = (sizes: readonly (readonly [number, number])[]): Way => ({
  ...dismissed,
  async go({ host, sees, asksAfter }) {
    for (const [columns, rows] of sizes) {
      await host.resize(columns, rows);
      await sees('[d] Dismiss');
    }
    await asksAfter(() => host.write('d'));
    host.write('y');
  },
});

const ways: Record<string, Way> = {
  'Dismiss, confirmed': asked('d'),
  'Copy, then Dismiss': {
    ...dismissed,
    async go({ host, sees, asksAfter }) {
      host.write('c');
      await sees('OSC 52');
      await asksAfter(() => host.write('d'));
      host.write('y');
    },
  },
  'Ctrl-C': asked('\u0003'),
  'Ctrl-D': asked('\u0004'),
  Esc: asked('\u001b'),
  Enter: asked('\r'),
  SIGINT: signalled('SIGINT'),
  SIGTERM: signalled('SIGTERM'),
  SIGHUP: signalled('SIGHUP'),
  SIGQUIT: signalled('SIGQUIT'),
  'a smaller terminal': resized([[80, 12]]),
  'a narrower terminal': resized([[40, 24]]),
  'a smaller and narrower terminal': resized([[30, 12]]),
  'a larger terminal': resized([[120, 40]]),
  'many sizes': resized([
    [60, 20],
    [30, 12],
    [100, 30],
    [80, 14],
    [80, 24],
  ]),
  'an error that nobody caught': {
    code: 1,
    kept: true,
    async go({ pid }) {
      process.kill(pid, 'SIGUSR2');
    },
  },
};

/** Tried in every terminal; all ways are tried in tmux, since most differ in the program and not in the terminal. */
const everywhere = ['Dismiss, confirmed', 'Ctrl-C', 'SIGTERM', 'many sizes'];

/** Throws where nobody catches, once it is asked to. */
const crash = "process.on('SIGUSR2', () => { throw new Error('on purpose') });";

for (const [name, { needs, open }] of Object.entries(hosts)) {
  describe(`in ${name}`, () => {
    let cli: Cli;
    let host: Host;
    let xvfb: ChildProcess | undefined;
    const file = (one: string) => join(cli.store, '..', one);

    beforeAll(async () => {
      needPrograms(...needs);
      cli = new Cli();
      cli.nowMs = Date.now();
      const line =
        'init --org Acme --entity BER --entity-name Berlin --timezone Europe/Berlin --admin alice';
      await cli.ok(line, { osAccount: 'alice' });
      writeFileSync(file('crash.cjs'), crash);
      const start = `export SSH_TTY=x; echo $$ > ${file('pid')}; exec ${process.execPath} -r ${file('crash.cjs')} ${program}`;
      writeFileSync(
        file('run'),
        `#!/bin/sh\n${start} keys create --name Oven --entity BER --preset sensor-gateway\n`,
      );
      chmodSync(file('run'), 0o755);
      if (needs.includes('Xvfb')) {
        xvfb = startProgram('Xvfb', [display, '-screen', '0', '1600x1200x24'], { stdio: 'ignore' });
        await until('the display', () => existsSync(`/tmp/.X11-unix/X${display.slice(1)}`));
      }
    });
    afterEach(() => host?.close());
    afterAll(() => void xvfb?.kill());

    async function openPanel(): Promise<Panel> {
      host = await open(cli.store);
      const sees = async (text: string | RegExp) => {
        await until(
          () => `${text} on ${JSON.stringify(host.shown())}`,
          () => {
            const shown = host.shown();
            return typeof text === 'string' ? shown.includes(text) : text.test(shown);
          },
        );
      };
      rmSync(file('pid'), { force: true });
      // Something to scroll back to.
      host.write(`seq 1000 1060; ${file('run')}; echo "ended $?"\r`);
      await sees('[d] Dismiss');
      await sees('API key created');
      const secret = /hk_[0-9A-Za-z]{49}/.exec(host.shown())?.[0] ?? '';
      expect(secret).not.toBe('');
      const pid = Number(readFileSync(file('pid'), 'utf8'));
      const asksAfter = async (act: () => void) => {
        act();
        await sees(question);
        expect(host.shown().replaceAll(/\s/g, '')).toContain(secret);
      };
      return { host, secret, pid, sees, asksAfter };
    }

    async function expectNoTrace({ secret }: Panel): Promise<void> {
      const everything = (await host.everything()).replaceAll(/\s/g, '');
      for (let at = 8; at + 10 <= secret.length; at++)
        expect(everything).not.toContain(secret.slice(at, at + 10));
    }

    async function isKept({ secret }: Panel): Promise<boolean> {
      const { stdout } = await cli.ok('keys list --json', {
        osAccount: 'alice',
        nowMs: Date.now(),
      });
      return stdout.includes(secret.slice(0, 8));
    }

    for (const [how, way] of Object.entries(ways)) {
      if (!name.startsWith('tmux') && !everywhere.includes(how)) continue;
      it(`no secret stays behind after ${how}`, async () => {
        const panel = await openPanel();
        await way.go(panel);
        await panel.sees(new RegExp(`ended ${way.code}\\b`));
        await expectNoTrace(panel);
        expect(await isKept(panel)).toBe(way.kept);
        // The shell's own lines were not taken along.
        expect(await host.everything()).toContain('1000');
      });
    }

    it('no secret stays behind, nor while the program is stopped', async () => {
      const panel = await openPanel();
      for (const stop of [() => host.write('\u001a'), () => process.kill(panel.pid, 'SIGTSTP')]) {
        stop();
        await panel.sees(/Stopped/);
        await expectNoTrace(panel);
        host.write('clear; fg\r');
        await panel.sees('[d] Dismiss');
        expect(host.shown().replaceAll(/\s/g, '')).toContain(panel.secret);
      }
      await panel.asksAfter(() => host.write('d'));
      host.write('y');
      // With the colon the shell's screen says so, not the panel, which would swallow what is typed next.
      await panel.sees('API key created: ');
      host.write('echo after$((1 + 1))\r');
      await panel.sees('after2');
      await expectNoTrace(panel);
    });

    it('no secret stays behind where the store refuses the key at last', async () => {
      const lock = openDatabase(cli.store, {});
      host = await open(cli.store);
      try {
        // Held before the program starts: reading needs no lock, and later a slow machine may be too late for the commit.
        lock.exec('BEGIN IMMEDIATE');
        host.write(`${file('run')}; echo "ended $?"\r`);
        await until('a panel', () => host.shown().includes('[d] Dismiss'));
        const secret = /hk_[0-9A-Za-z]{49}/.exec(host.shown())?.[0] ?? '';
        expect(secret).not.toBe('');
        await until('the end', () => /ended 6\b/.test(host.shown()), 60_000);
        const panel: Panel = {
          host,
          secret,
          pid: 0,
          sees: async () => {},
          asksAfter: async () => {},
        };
        await expectNoTrace(panel);
        lock.exec('ROLLBACK');
        expect(await isKept(panel)).toBe(false);
      } finally {
        lock.close();
      }
    }, 90_000);

    it('a terminal that is closed ends the program, and the key is kept', async () => {
      const panel = await openPanel();
      host.kill();
      await until('the end of the program', () => !existsSync(`/proc/${panel.pid}`));
      expect(await isKept(panel)).toBe(true);
    });
  });
}
