import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { createColours } from './colours/colours.ts';
import { readEnvironment } from './config.ts';
import { isStoreAddress } from './core/store-address.ts';
import { shellWord } from './core/text/quoting.ts';
import { textOfAny } from './core/text/shown-text.ts';
import { thingsToTry } from './demo/demo.ts';
import { main, version } from './main.ts';
import { createRights } from './rights/rights.ts';

/**
 * `npm start`: shows a newcomer all of hkctl by its own commands: `init --demo` makes a store in ./demo (or at HKCTL_STORE), `keys
 * create` a key in a file next to it, and `serve` a daemon on a port that `hkctl serve` does not want; then come first calls of it.
 */

const root = join(__dirname, '..');
const { env, osAccount } = readEnvironment(process);
/** The login to create and to act as: the caller's, whichever account owns the files. */
const admin = env.HKCTL_USER || env.HKCTL_AS || osAccount;
const store = env.HKCTL_STORE ?? join(root, 'demo', 'hkctl.db');
const folder = dirname(store);
const keyFile = join(folder, 'client.key');
const entity = 'BER';

const { bold, dim, green, cyan } = createColours(env, process.stdout.isTTY);

start().then(
  (code) => process.exit(code),
  (thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : textOfAny(thrown)}\n`);
    process.exit(1);
  },
);

async function start(): Promise<number> {
  // Without a listener Node would open its debugger to every account of this machine.
  process.on('SIGUSR1', () => {});
  if (isStoreAddress(store)) {
    process.stderr.write(
      'npm start keeps its demo in files: name one with HKCTL_STORE, or leave that out.\n',
    );
    return 2;
  }
  // Before any file of the demo is touched.
  createRights(process, process.env, __filename).switchFor(store);
  // The demo serves this machine alone, directly: without TLS, and whatever the public address is.
  for (const name of ['BASE_URL', 'TLS_CERT', 'TLS_KEY']) delete process.env[`HKCTL_${name}`];
  const usual = { HKCTL_PORT: '8421', HKCTL_LOG_LEVEL: 'warn' };
  Object.assign(process.env, { ...usual, ...env, HKCTL_STORE: store, HKCTL_USER: admin });
  say(`${bold('hkctl')} ${version}  ${dim('API keys for plants, and the API they open')}`, '');
  return (await prepareStore()) || (await issueKey()) || serve();
}

function hkctl(argv: readonly string[], listening?: (baseUrl: string) => void): Promise<number> {
  process.argv.splice(2, process.argv.length, ...argv);
  return main(process, listening);
}

async function prepareStore(): Promise<number> {
  const isKept = existsSync(store);
  const code = await (isKept ? hkctl(['migrate', '--quiet']) : makeStore());
  if (code !== 0) return code;
  done('store', `${dim(shown(store))} ${isKept ? '(kept from before)' : 'with a made-up plant'}`);
  if (isKept && folder === join(root, 'demo'))
    say(dim('           delete demo/ for a new day of readings'));
  return 0;
}

/** A new folder gets its name at the end: an interrupted start leaves no half of a demo. */
async function makeStore(): Promise<number> {
  const making = existsSync(folder) ? folder : `${folder}.hkctl-unfinished`;
  if (making !== folder) rmSync(making, { recursive: true, force: true });
  const code = await hkctl([
    'init',
    '--demo',
    '--admin',
    admin,
    '--quiet',
    '--store',
    join(making, basename(store)),
  ]);
  if (code === 0 && making !== folder) renameSync(making, folder);
  return code;
}

/** Issues a key into a file with mode 0600; one that exists is used again. */
async function issueKey(): Promise<number> {
  const flags = `--quiet --entity ${entity} --preset operational-core`.split(' ');
  const create = ['keys', 'create', ...flags, '--name', 'Demo client', '--secret-file', keyFile];
  const code = existsSync(keyFile) ? 0 : await hkctl(create);
  if (code === 0)
    done('key', `${cyan(secret().slice(0, 8))}…  Demo client, in ${dim(shown(keyFile))}`);
  return code;
}

async function serve(): Promise<number> {
  let calls: Promise<void> | undefined;
  const code = await hkctl(['serve', '--quiet'], (url) => {
    done('daemon', cyan(url));
    calls = firstCalls(url);
    calls.catch(() => process.kill(process.pid, 'SIGTERM'));
  });
  await calls;
  // The hint of the daemon names its flags, which npm start does not take.
  if (!calls) process.stderr.write('here:  HKCTL_PORT=0 npm start\n');
  else say('', `${green('✓')} stopped; every answered reading is on disk`);
  return code;
}

async function firstCalls(url: string): Promise<void> {
  const me = await call(`${url}/api/v1/me`);
  const reading = { sensor: 'OVEN-3-T1', at: new Date().toISOString(), value: 182.4 };
  // In two lines, so that the command stays within 80 columns.
  const body = `{"readings":[\n    ${JSON.stringify(reading)}]}`;
  const posted = await call(`${url}/api/v1/sensors/readings`, body);
  const curl = '  curl -sS -H "Authorization: Bearer $KEY"';
  say(
    '',
    bold('In a second terminal'),
    `  cd ${shellWord(process.cwd())}`,
    '  alias hkctl="$PWD/bin/hkctl.js"',
    `  KEY=$(cat ${shellWord(shown(keyFile))})`,
    '',
    bold('A first authenticated call'),
    `${curl} ${url}/api/v1/me`,
    answer(me),
    '',
    bold('A first reading, answered once it is on disk'),
    `${curl} \\`,
    `    ${url}/api/v1/sensors/readings \\`,
    `    -H 'Content-Type: application/json' -d '${body}'`,
    answer(posted),
    '',
    `${bold('The page in a browser')}  ${cyan(`${url}/`)}  its key: ${shown(keyFile)}`,
    `${bold('The API documents')}  ${cyan(`${url}/api/v1/docs`)}`,
    '',
    bold('Three things to try in the second terminal'),
  );
  for (const [sentence, command] of thingsToTry(entity)) {
    say(`  ${sentence}`, `    bin/hkctl.js --store ${shellWord(shown(store))} ${command}`);
  }
  say('', dim('Ctrl-C ends it.'));
}

/** Calls the daemon as the curl command does; throws its answer unless the status is 200. */
async function call(url: string, body?: string): Promise<string> {
  const headers = { authorization: `Bearer ${secret()}`, 'content-type': 'application/json' };
  const posted = body === undefined ? {} : { method: 'POST', body };
  const response = await fetch(url, { headers, ...posted, signal: AbortSignal.timeout(10_000) });
  const text = (await response.text()).trimEnd();
  if (response.status === 200) return text;
  if (response.status !== 401) throw new Error(`${url} answered ${response.status}: ${text}`);
  throw new Error(
    `The key in ${shown(keyFile)} is not let in any more.\nDelete the file, and start again for a new one.`,
  );
}

function secret(): string {
  return readFileSync(keyFile, 'utf8').trim();
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short.startsWith('..') ? path : short;
}

function done(step: string, text: string): void {
  say(`${green('✓')} ${step.padEnd(8)} ${text}`);
}

function answer(text: string): string {
  const width = Math.max(40, (process.stdout.columns ?? 100) - 10);
  return `  ${green('→ 200')} ${text.length > width ? `${text.slice(0, width)}…` : text}`;
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
