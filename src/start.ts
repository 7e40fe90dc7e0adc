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
 * `npm start`: shows a newcomer all of hkctl by its own commands. `init --demo` makes a store in ./demo (or at HKCTL_STORE),
 * `keys create` a key in a file next to it. `serve` takes a port that `hkctl serve` does not want, and is called for the first time.
 */

const packageRoot = join(__dirname, '..');
const { env, osAccount } = readEnvironment(process);
/** The login to create and to act as: the caller's, whichever account owns the files. */
const adminLogin = env.HKCTL_USER || env.HKCTL_AS || osAccount;
const storePath = env.HKCTL_STORE ?? join(packageRoot, 'demo', 'hkctl.db');
const storeFolder = dirname(storePath);
const keyFile = join(storeFolder, 'client.key');
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
  if (isStoreAddress(storePath)) {
    process.stderr.write(
      'npm start keeps its demo in files: name one with HKCTL_STORE, or leave that out.\n',
    );
    return 2;
  }

  // Before any file of the demo is touched.
  const rights = createRights(process, process.env, __filename);
  rights.switchFor(storePath);

  // The demo serves this machine alone, directly: without TLS, and whatever the public address is.
  for (const name of ['BASE_URL', 'TLS_CERT', 'TLS_KEY']) delete process.env[`HKCTL_${name}`];
  const defaults = {
    HKCTL_PORT: '8421',
    HKCTL_LOG_LEVEL: 'warn',
  };
  Object.assign(process.env, {
    ...defaults,
    ...env,
    HKCTL_STORE: storePath,
    HKCTL_USER: adminLogin,
  });

  const purpose = dim('API keys for plants, and the API they open');
  printLines(`${bold('hkctl')} ${version}  ${purpose}`, '');
  return (await prepareStore()) || (await issueKey()) || serve();
}

function hkctl(argv: readonly string[], listening?: (baseUrl: string) => void): Promise<number> {
  process.argv.splice(2, process.argv.length, ...argv);
  return main(process, listening);
}

async function prepareStore(): Promise<number> {
  const isKept = existsSync(storePath);
  const exitCode = await (isKept ? hkctl(['migrate', '--quiet']) : makeStore());
  if (exitCode !== 0) return exitCode;

  const origin = isKept ? '(kept from before)' : 'with a made-up plant';
  reportStep('store', `${dim(shownPath(storePath))} ${origin}`);
  if (isKept && storeFolder === join(packageRoot, 'demo'))
    printLines(dim('           delete demo/ for a new day of readings'));
  return 0;
}

/** A new folder gets its name at the end: an interrupted start leaves no half of a demo. */
async function makeStore(): Promise<number> {
  const isFolderKept = existsSync(storeFolder);
  const newFolder = isFolderKept ? storeFolder : `${storeFolder}.hkctl-unfinished`;
  if (!isFolderKept) rmSync(newFolder, { recursive: true, force: true });

  const exitCode = await hkctl([
    'init',
    '--demo',
    '--admin',
    adminLogin,
    '--quiet',
    '--store',
    join(newFolder, basename(storePath)),
  ]);

  if (exitCode === 0 && !isFolderKept) renameSync(newFolder, storeFolder);
  return exitCode;
}

/** Issues a key into a file with mode 0600, or uses the key of an existing file. */
async function issueKey(): Promise<number> {
  const flags = `--quiet --entity ${entity} --preset operational-core`.split(' ');
  const createArguments = [
    'keys',
    'create',
    ...flags,
    '--name',
    'Demo client',
    '--secret-file',
    keyFile,
  ];
  const exitCode = existsSync(keyFile) ? 0 : await hkctl(createArguments);
  if (exitCode !== 0) return exitCode;

  const secretStart = readSecret().slice(0, 8);
  reportStep('key', `${cyan(secretStart)}…  Demo client, in ${dim(shownPath(keyFile))}`);
  return 0;
}

async function serve(): Promise<number> {
  let pendingCalls: Promise<void> | undefined;
  const exitCode = await hkctl(['serve', '--quiet'], (url) => {
    reportStep('daemon', cyan(url));
    pendingCalls = firstCalls(url);
    pendingCalls.catch(() => process.kill(process.pid, 'SIGTERM'));
  });
  await pendingCalls;

  // The hint of the daemon names its flags, which npm start does not take.
  if (!pendingCalls) process.stderr.write('here:  HKCTL_PORT=0 npm start\n');
  else printLines('', `${green('✓')} stopped; every answered reading is on disk`);
  return exitCode;
}

async function firstCalls(url: string): Promise<void> {
  const ownAnswer = await callDaemon(`${url}/api/v1/me`);

  const sampleReading = {
    sensor: 'OVEN-3-T1',
    at: new Date().toISOString(),
    value: 182.4,
  };
  // In two lines, so that the command stays within 80 columns.
  const body = `{"readings":[\n    ${JSON.stringify(sampleReading)}]}`;
  const readingAnswer = await callDaemon(`${url}/api/v1/sensors/readings`, body);

  const curlCommand = '  curl -sS -H "Authorization: Bearer $KEY"';
  printLines(
    '',
    bold('In a second terminal'),
    `  cd ${shellWord(process.cwd())}`,
    '  alias hkctl="$PWD/bin/hkctl.js"',
    `  KEY=$(cat ${shellWord(shownPath(keyFile))})`,
    '',
    bold('A first authenticated call'),
    `${curlCommand} ${url}/api/v1/me`,
    answerLine(ownAnswer),
    '',
    bold('A first reading, answered once it is on disk'),
    `${curlCommand} \\`,
    `    ${url}/api/v1/sensors/readings \\`,
    `    -H 'Content-Type: application/json' -d '${body}'`,
    answerLine(readingAnswer),
    '',
    `${bold('The page in a browser')}  ${cyan(`${url}/`)}  its key: ${shownPath(keyFile)}`,
    `${bold('The API documents')}  ${cyan(`${url}/api/v1/docs`)}`,
    '',
    bold('Three things to try in the second terminal'),
  );
  const program = `bin/hkctl.js --store ${shellWord(shownPath(storePath))}`;
  for (const [sentence, command] of thingsToTry(entity)) {
    printLines(`  ${sentence}`, `    ${program} ${command}`);
  }
  printLines('', dim('Ctrl-C ends it.'));
}

/** Calls the daemon as the curl command does; throws its answer unless the status is 200. */
async function callDaemon(url: string, body?: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${readSecret()}`,
    'content-type': 'application/json',
  };
  const postOptions = body === undefined ? {} : { method: 'POST', body };
  const response = await fetch(url, {
    headers,
    ...postOptions,
    signal: AbortSignal.timeout(10_000),
  });
  const responseText = (await response.text()).trimEnd();
  if (response.status === 200) return responseText;

  if (response.status !== 401)
    throw new Error(`${url} answered ${response.status}: ${responseText}`);

  throw new Error(
    `The key in ${shownPath(keyFile)} is not let in any more.\nDelete the file, and start again for a new one.`,
  );
}

function readSecret(): string {
  return readFileSync(keyFile, 'utf8').trim();
}

function shownPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath.startsWith('..') ? path : relativePath;
}

function reportStep(step: string, details: string): void {
  printLines(`${green('✓')} ${step.padEnd(8)} ${details}`);
}

function answerLine(answerText: string): string {
  const terminalWidth = process.stdout.columns ?? 100;
  const answerWidth = Math.max(40, terminalWidth - 10);
  const isCut = answerText.length > answerWidth;
  const shownAnswer = isCut ? `${answerText.slice(0, answerWidth)}…` : answerText;
  return `  ${green('→ 200')} ${shownAnswer}`;
}

function printLines(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
