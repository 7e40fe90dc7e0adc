import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Plant } from '../../e2e/plant.ts';
import { cli } from '../../e2e/program.ts';
import { filesUnder, leakOf } from '../../e2e/secrets/leaks.ts';

/** Thrown into a process from outside, as a fault of a driver would be: with a secret in what it says. */
const fault = `
import { existsSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const [how, file, ms, now] = process.env.FAULT.split(' ');
const secret = readFileSync(file, 'utf8').trim();
const faults = {
  throw() { throw new Error('failed near ' + secret, { cause: new Error('because of ' + secret) }); },
  text() { throw 'failed near ' + secret; },
  reject() { Promise.reject(new TypeError('failed near ' + secret)); },
  object() { Promise.reject({ secret }); },
  memory() { const all = []; for (;;) all.push(secret + all.length, { [secret + all.length]: all.length }); },
};
const wait = () => setTimeout(() => (existsSync(now) ? faults[how]() : wait()), Number(ms));
if (isMainThread) wait();
`;

describe('a crash', () => {
  let plant: Plant;
  let secret: string;
  let module: string;
  let crashes = 0;

  beforeAll(async () => {
    plant = await Plant.open();
    secret = (await plant.createKey('Crash', 'operational-core')).secret;
    plant.write('crash.key', secret);
    module = plant.write('fault.mjs', fault);
    mkdirSync(plant.path('reports'));
  });
  afterAll(() => plant.close());

  /** Runs a command into a fault, with every report that Node can write; core files would hold all of its memory. */
  const crash = async (how: string, ms: number, command: string, more = '') => {
    const now = plant.write(`now-${++crashes}`, '');
    if (command === 'serve') rmSync(now);
    const reports = `--report-uncaught-exception --report-on-fatalerror --report-directory=${plant.path('reports')}`;
    const running = plant.attach(
      'bash',
      ['-c', `ulimit -c 0; exec '${process.execPath}' '${cli}' ${command}`],
      {
        FAULT: `${how} ${plant.path('crash.key')} ${ms} ${now}`,
        NODE_OPTIONS: `--import ${pathToFileURL(module)} ${reports} ${more}`,
        HKCTL_PORT: '0',
      },
    );
    if (command === 'serve') {
      await running.says(/"msg":"listening"/);
      writeFileSync(now, '');
    }
    // Its standard input stays open: the command waits for a secret.
    const outcome = await running.ended;
    return { ...outcome, text: outcome.stdout + outcome.stderr };
  };
  const reportsOf = () => filesUnder(plant.folder).filter((path) => /report.*\.json$/.test(path));

  it.each(['throw', 'text', 'reject', 'object'])(
    'of the daemon reveals no secret: %s',
    async (how) => {
      const { code, text, stdout } = await crash(how, 100, 'serve');
      expect(code).toBe(1);
      const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
      expect(last).toMatchObject({ level: 'fatal', msg: 'crashed' });
      if (how === 'throw') expect(last.err.message).toBe(`failed near ${secret.slice(0, 8)}…`);
      expect(leakOf(text, secret, 9)).toBeUndefined();
    },
  );

  it.each([
    ['throw', ''],
    ['reject', '--debug'],
    ['text', '--json'],
    ['throw', '--json --debug'],
  ])('of a command reveals no secret: %s %s', async (how, flags) => {
    const { code, text, stderr } = await crash(how, 500, `keys verify ${flags}`);
    expect(code).toBe(1);
    expect(stderr).toContain('Internal error');
    expect(leakOf(text, secret, 9)).toBeUndefined();
  });

  it('for want of memory reveals no secret, nor does the report of it', async () => {
    const { signal, text } = await crash('memory', 100, 'serve', '--max-old-space-size=60');
    expect(signal).toBe('SIGABRT');
    expect(leakOf(text, secret, 9)).toBeUndefined();
    const reports = reportsOf();
    expect(reports.length).toBe(1);
    for (const path of reports)
      expect(leakOf(readFileSync(path, 'latin1'), secret, 9)).toBeUndefined();
  });
});
