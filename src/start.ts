import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { basename, dirname, join, relative } from 'node:path';
import { Chalk, supportsColor } from 'chalk';
import { readEnvironment } from './config.ts';
import { shellWord } from './core/text/shell.ts';
import { createRights } from './rights/rights.ts';

/**
 * `npm start`: shows a newcomer all of hkctl by running the usual commands: a demo store in ./demo (or at HKCTL_STORE), two keys in
 * files beside it, the daemon on a port that `hkctl serve` does not want, a first authenticated call and a first reading.
 */

const root = join(__dirname, '..');
const cli = join(root, 'bin', 'hkctl.js');
const { env, osAccount } = readEnvironment(process);
/** The login to create and to act as: the caller's, whichever account owns the files. */
const admin = env.HKCTL_USER ?? env.HKCTL_AS ?? osAccount;
const store = env.HKCTL_STORE ?? join(root, 'demo', 'hkctl.db');
const folder = join(store, '..');
const hasColours = process.stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
const colour = new Chalk({ level: hasColours ? (supportsColor || { level: 1 as const }).level : 0 });
// The same as those of `core/text/colours.ts`: readable on white, too.
const [green, cyan] = [colour.ansi256(64), colour.ansi256(31)];

interface DemoKey {
  name: string;
  preset: string;
  file: string;
}

const keys = {
  core: { name: 'Demo reporting', preset: 'operational-core', file: join(folder, 'operational-core.key') },
  gateway: { name: 'Demo gateway', preset: 'sensor-gateway', file: join(folder, 'sensor-gateway.key') },
} satisfies Record<string, DemoKey>;

const demoEntity = 'BER';
const demoSensor = 'OVEN-3-T1';

main().then(
  (code) => {
    process.exitCode = code;
  },
  (thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  },
);

async function main(): Promise<number> {
  // Without a listener Node would open its debugger to every account of this machine.
  process.on('SIGUSR1', () => {});
  if (/^postgres(ql)?:/i.test(store)) {
    process.stderr.write('npm start keeps its demo in files: name one with HKCTL_STORE, or leave that out.\n');
    return 2;
  }
  // Before any file of the demo is touched; the child processes then have the rights of that account, too.
  createRights(process, process.env, __filename).switchFor(store);
  say(colour.bold('hkctl'), colour.dim('API keys for plants, and the API they open'), '');
  prepareStore();
  for (const key of Object.values(keys)) issueKey(key);
  const daemon = spawn(process.execPath, [cli, 'serve'], {
    // The first calls go to this daemon directly, whatever its public address is.
    env: { ...childEnv(), HKCTL_BASE_URL: undefined, HKCTL_LOG_LEVEL: env.HKCTL_LOG_LEVEL ?? 'warn' },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = new Promise<number>((resolve) => {
    // Once its last words were read, too.
    daemon.on('close', (code, signal) => resolve(code ?? (signal === null ? 1 : 0)));
  });
  // A terminal sends Ctrl-C to both processes; any other signal to this one is passed on to the daemon.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) daemon.kill('SIGTERM');
    });
  }
  const errors: string[] = [];
  const url = await Promise.race([addressOf(daemon, errors), ended]);
  if (typeof url === 'number') {
    // The daemon's hint names its flags, which npm start does not take.
    if (errors.join('').includes('Cannot listen')) process.stderr.write('here:  HKCTL_PORT=0 npm start\n');
    return url;
  }
  try {
    await firstCalls(url);
  } catch (thrown) {
    daemon.kill('SIGTERM');
    await ended;
    throw thrown;
  }
  const code = await ended;
  say('', code === 0 ? done('stopped; every answered reading is on disk') : `stopped with exit code ${code}`);
  return code;
}

function prepareStore(): void {
  if (existsSync(store)) {
    say(done(`store    ${colour.dim(shown(store))} (kept from before)`));
    run(['migrate'], 'the store could not be brought up to date');
    return;
  }
  const init = (at: string): void =>
    run(['init', '--demo', '--admin', admin, '--store', at], 'the demo store could not be made');
  if (existsSync(folder)) init(store);
  else {
    const making = unfinishedFolder();
    init(join(making, basename(store)));
    renameSync(making, folder);
  }
  say(done(`store    ${colour.dim(shown(store))} with a made-up plant`));
}

/** Makes a folder beside the store's, to be renamed into place in one step: an interrupted start leaves no half of a demo. */
function unfinishedFolder(): string {
  const parent = dirname(folder);
  const start = `${basename(folder)}.hkctl-unfinished-`;
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    if (name.startsWith(start)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, start));
}

/** Issues a key into a file with mode 0600; a key that still works is used again. */
function issueKey(key: DemoKey): void {
  if (existsSync(key.file)) {
    const { status } = spawnSync(process.execPath, [cli, 'keys', 'verify'], {
      env: childEnv(),
      input: readFileSync(key.file),
    });
    if (status === 0) {
      describeKey(key);
      return;
    }
    throw new Error(
      `The key in ${shown(key.file)} is not let in any more.\nDelete the file, and start again for a new one.`,
    );
  }
  const options = ['--name', key.name, '--entity', demoEntity, '--preset', key.preset, '--secret-file', key.file];
  run(['keys', 'create', ...options], `the key ${key.name} could not be made`);
  describeKey(key);
}

function describeKey({ name, file }: DemoKey): void {
  const prefix = readFileSync(file, 'utf8').slice(0, 8);
  say(done(`key      ${cyan(prefix)}…  ${name}, in ${colour.dim(shown(file))}`));
}

async function firstCalls(url: string): Promise<void> {
  say(done(`daemon   ${cyan(url)}`));
  const me = await call(`${url}/api/v1/me`, keys.core);
  say('', colour.bold('A first authenticated call'), ...curl(keys.core, `${url}/api/v1/me`), answer(me));
  const reading = { sensor: demoSensor, at: new Date().toISOString(), value: 182.4 };
  // In two lines, so that the command stays within 80 columns.
  const body = `{"readings":[\n    ${JSON.stringify(reading)}]}`;
  const posted = await call(`${url}/api/v1/sensors/readings`, keys.gateway, body);
  say('', colour.bold('A first reading, answered once it is on disk'));
  const example = ["-H 'Content-Type: application/json'", `-d '${body}'`];
  say(...curl(keys.gateway, `${url}/api/v1/sensors/readings`, ...example), answer(posted));
  say('', `${colour.bold('The API documents')}  ${cyan(`${url}/api/v1/docs`)}`);
  say(
    `${colour.bold('The keys')}           HKCTL_STORE=${shellWord(shown(store))} node bin/hkctl.js keys`,
    '',
    colour.dim('Ctrl-C ends it.'),
  );
}

/** A curl command to paste; a variable takes the secret from its file. */
function curl(key: DemoKey, url: string, ...more: string[]): string[] {
  const trust = env.HKCTL_TLS_CERT ? ` --cacert ${shellWord(env.HKCTL_TLS_CERT)}` : '';
  const command = `curl -sS${trust} -H "Authorization: Bearer $KEY"`;
  const words = more.length === 0 ? [`${command} ${shellWord(url)}`] : [command, shellWord(url), ...more];
  const lines = words.map((word, index) => `  ${index > 0 ? '  ' : ''}${word}${index < words.length - 1 ? ' \\' : ''}`);
  return [`  KEY=$(cat ${shellWord(shown(key.file))})`, ...lines];
}

/** Calls the daemon as the curl command does; throws its answer unless the status is 200. */
function call(url: string, key: DemoKey, body?: string): Promise<string> {
  const secret = readFileSync(key.file, 'utf8').trim();
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
    ca: env.HKCTL_TLS_CERT ? readFileSync(env.HKCTL_TLS_CERT) : undefined,
    timeout: 10_000,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text.trimEnd());
        else reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer within 10 s`)));
    sent.end(body);
  });
}

/** Finds the daemon's address in its standard error, and forwards the text before it, also to `errors`. */
function addressOf(daemon: ChildProcess, errors: string[]): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    daemon.stderr?.setEncoding('utf8');
    daemon.stderr?.on('data', (text: string) => {
      received += text;
      const url = /https?:\/\/[^\s/]+/.exec(received);
      if (url && received.includes('\n')) resolve(url[0]);
      else if (!url) {
        errors.push(text);
        process.stderr.write(text);
      }
    });
  });
}

function run(args: string[], failure: string): void {
  const { status, stderr } = spawnSync(process.execPath, [cli, ...args], { env: childEnv(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`${failure}:\n${stderr}`);
}

function childEnv(): NodeJS.ProcessEnv {
  return { HKCTL_PORT: '8421', ...env, HKCTL_STORE: store, HKCTL_USER: admin };
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

function done(text: string): string {
  return `${green('✓')} ${text}`;
}

function answer(text: string): string {
  const width = Math.max(40, (process.stdout.columns ?? 100) - 10);
  return `  ${green('→ 200')} ${text.length > width ? `${text.slice(0, width)}…` : text}`;
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
