import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { outputOf, runProgram, startProgram } from '../../run-program.ts';
import { Terminal } from './pty/terminal.ts';

/** A shell in some kind of terminal, and everything that a person could scroll back to in it. */
export interface Host {
  write(text: string): void;
  resize(columns: number, rows: number): Promise<void>;
  /** What was shown last; for hosts that keep no picture, the bytes since the last writing. */
  shown(): string;
  everything(): Promise<string>;
  /** Closes the terminal under whatever runs in it. */
  kill(): void;
  close(): void;
}

/** Waits until something is there; says what was not. */
export async function until<T>(
  what: string | (() => string),
  find: () => T | undefined | false,
  patienceMs = 20_000,
): Promise<T> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    const found = find();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline)
      throw new Error(`Never came: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

/** From where a program goes to the alternate screen to where it comes back. */
const esc = '\u001b';
const alternateScreen = new RegExp(`${esc}\\[\\?1049h.*?${esc}\\[\\?1049l`, 'gs');
const prompt = '$ ';
const columns = 80;
const rows = 24;

async function shellReady(terminal: Terminal): Promise<void> {
  await terminal.until(/^\$$/);
}

/**
 * Waits until a terminal has a size. tmux and GNU Screen pass a new size on later: what is typed meanwhile would reach a program that does
 * not know it yet, and the shell after that program, which then draws its prompt over the rows before.
 */
async function hasSize(device: string, width: number, height: number): Promise<void> {
  const size = `${height} ${width}`;
  await until(`the size ${size}`, () => outputOf('stty', ['-F', device, 'size']).trim() === size);
}

/** tmux, with its alternate screen or without. */
export async function openTmux(store: string, alternate: 'on' | 'off'): Promise<Host> {
  const terminal = new Terminal(columns, rows, {}, store);
  terminal.option('alternate-screen', alternate);
  await shellReady(terminal);
  const device = terminal.device();
  return {
    write: (text) => terminal.write(text),
    async resize(width, height) {
      terminal.resize(width, height);
      await hasSize(device, width, height);
    },
    shown: () => terminal.screen(),
    everything: async () => terminal.scrollback(),
    kill: () => terminal.kill(),
    close: () => closeQuietly(terminal),
  };
}

/** GNU Screen as it comes, attached to a terminal that can be resized. */
export async function openScreenHost(store: string, alternate: 'on' | 'off'): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-screen-'));
  const name = `hkctl-${process.pid}-${Math.random().toString(36).slice(2)}`;
  writeFileSync(
    join(folder, 'rc'),
    `defscrollback 5000\nstartup_message off\naltscreen ${alternate}\n`,
  );
  const terminal = new Terminal(columns, rows, {}, store);
  await shellReady(terminal);
  terminal.type(`screen -c ${folder}/rc -S ${name} bash --norc --noprofile`);
  await terminal.until('bash-');
  terminal.type(`PS1='${prompt}'; tty > ${folder}/tty; clear`);
  await shellReady(terminal);
  const device = readFileSync(join(folder, 'tty'), 'utf8').trim();
  const screen = (...args: string[]) => outputOf('screen', ['-S', name, '-p', '0', '-X', ...args]);
  return {
    write: (text) => terminal.write(text),
    async resize(width, height) {
      terminal.resize(width, height);
      await hasSize(device, width, height);
    },
    shown: () => terminal.screen(),
    async everything() {
      const copy = join(folder, 'copy');
      rmSync(copy, { force: true });
      screen('hardcopy', '-h', copy);
      return until(
        'the hard copy',
        () => existsSync(copy) && statSync(copy).size > 0 && readFileSync(copy, 'latin1'),
      );
    },
    kill: () => void screen('kill'),
    close() {
      runProgram('screen', ['-S', name, '-X', 'quit']);
      closeQuietly(terminal);
    },
  };
}

/** A pseudo-terminal that nobody draws: what was written to it is kept as it is. */
export async function openPlainPty(store: string): Promise<Host> {
  const shell = await openShell(store, []);
  return {
    ...shell,
    resize: async (width, height) => shell.setSize(width, height),
    // What a terminal keeps is what was not written to the alternate screen.
    everything: async () => shell.output().replaceAll(alternateScreen, ''),
  };
}

/** xterm on a display of its own, with its alternate screen or without; it prints all it holds where it is asked to. */
export async function openXterm(
  store: string,
  display: string,
  alternate: 'on' | 'off',
): Promise<Host> {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-xterm-'));
  const printed = join(folder, 'printed');
  const resources = {
    printerCommand: `cat >> ${printed}`,
    printerAutoClose: 'true',
    titeInhibit: alternate === 'off' ? 'true' : 'false',
    saveLines: '5000',
    allowWindowOps: 'true',
  };
  const settings = Object.entries(resources).flatMap(([name, value]) => [
    '-xrm',
    `XTerm*${name}: ${value}`,
  ]);
  const run = [
    'xterm',
    '-display',
    display,
    '-geometry',
    `${columns}x${rows}`,
    ...settings,
    '-e',
    'sh',
    '-c',
  ];
  const own = join(folder, 'tty');
  const shell = await openShell(store, [...run, `tty > ${own}; stty raw -echo; exec sh "$0"`]);
  const device = (
    await until(
      'the terminal of xterm',
      () => existsSync(own) && /\n/.test(readFileSync(own, 'utf8')) && readFileSync(own, 'utf8'),
    )
  ).trim();
  const send = (sequence: string) => writeFileSync(device, sequence, { flag: 'a' });
  return {
    ...shell,
    async resize(width, height) {
      send(`\u001b[8;${height};${width}t`);
      await hasSize(device, width, height);
      shell.setSize(width, height);
    },
    async everything() {
      rmSync(printed, { force: true });
      const end = `end-${Math.random()}`;
      send(`\u001b7\u001b[${rows * 4};1H\u001b[2K${end}\u001b8\u001b[?11i`);
      const text = await until(
        'the print',
        () =>
          existsSync(printed) &&
          readFileSync(printed, 'latin1').includes(end) &&
          readFileSync(printed, 'latin1'),
      );
      return stripVTControlCharacters(text.replaceAll('\u001b#5', ''));
    },
  };
}

/** A shell behind `script`, whose input is a named pipe, so that no program of a person at a keyboard is needed. */
async function openShell(store: string, wrapper: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'hkctl-script-'));
  const [input, output, tty, pid, start] = ['input', 'output', 'tty', 'pid', 'start'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string, string];
  outputOf('mkfifo', [input]);
  writeFileSync(output, '');
  writeFileSync(
    start,
    `echo $$ > ${pid}\nexec script -qfc 'exec bash --norc --noprofile' ${output} < ${input}\n`,
  );
  const env = {
    PATH: process.env.PATH,
    TERM: 'xterm',
    LC_ALL: 'C.UTF-8',
    HKCTL_STORE: store,
    HKCTL_USER: 'alice',
  };
  const [program = 'sh', ...args] = [...wrapper, ...(wrapper.length === 0 ? ['sh'] : []), start];
  const child: ChildProcess = startProgram(program, args, { env, stdio: 'ignore' });
  const fd = openSync(input, 'r+');
  let since = 0;
  const text = () => readFileSync(output, 'utf8');
  const write = (keys: string) => {
    since = text().length;
    writeSync(fd, keys);
  };
  // A shell that is just starting may drop what is typed: it is typed again until it answers.
  for (let answered = false; !answered; ) {
    write('echo ready$((1 + 1))\r');
    const deadline = Date.now() + 2_000;
    await until('the shell', () => {
      answered = text().includes('ready2');
      return answered || Date.now() > deadline;
    });
  }
  write(`PS1='${prompt}'; tty > ${tty}\r`);
  const device = (
    await until(
      'the terminal of the shell',
      () => existsSync(tty) && /\n/.test(readFileSync(tty, 'utf8')) && readFileSync(tty, 'utf8'),
    )
  ).trim();
  const setSize = (width: number, height: number) => {
    since = text().length;
    outputOf('stty', ['-F', device, 'cols', String(width), 'rows', String(height)]);
  };
  setSize(columns, rows);
  const close = () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    // Under xterm it is a process of its own, which may be gone with it.
    runProgram('kill', ['-KILL', readFileSync(pid, 'utf8').trim()]);
  };
  return {
    write,
    setSize,
    output: text,
    shown: () => stripVTControlCharacters(text().slice(since)),
    kill: close,
    close() {
      close();
      closeSync(fd);
    },
  };
}

/** The last pane may be gone already, and the server with it. */
function closeQuietly(terminal: Terminal): void {
  try {
    terminal.close();
  } catch (thrown) {
    if (!/no server running|server exited/.test(String(thrown))) throw thrown;
  }
}
