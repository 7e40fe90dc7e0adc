import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../e2e/client.ts';
import { Plant } from '../../e2e/plant.ts';
import { type Environment, type Running, root, until } from '../../e2e/program.ts';
import type { Outcome } from '../../run-program.ts';

const startFile = join(root, 'dist', 'start.cjs');

describe('npm start', () => {
  let plant: Plant;
  let port: number;
  let first: Running;
  let printed: string;
  let prefix: string;

  const start = (env: Environment = {}) =>
    plant.attach(process.execPath, [startFile], { HKCTL_PORT: String(port), ...env }, root);

  beforeAll(async () => {
    // A stranger has no variables set: the account of the operating system acts.
    plant = new Plant(join(mkdtempSync(join(tmpdir(), 'hkctl-start-')), "Ada's plant"), {
      HKCTL_USER: '',
    });
    port = await freePort();
    first = start();
    await first.says(/Ctrl-C ends it/);
    printed = first.stdout;
  });
  afterAll(() => plant.close());

  it('makes the demo plant, serves it at the port that was asked for, and shows the way', () => {
    expect(printed).toContain(`http://127.0.0.1:${port}/api/v1/docs`);
    expect(printed).toContain('with a made-up plant');
    expect(printed.match(/→ 200/g)).toHaveLength(2);
    expect(printed).toContain('"accepted":1');
    // Off a terminal there is nothing in it that only a terminal understands.
    expect(printed).not.toContain('\u001b');
    prefix = prefixIn(printed);
    // A secret is never shown: it is read from its file.
    expect(printed).not.toMatch(/hk_\w{6}/);
  });

  it.each([
    ['the page in a browser', /http:\S+(?<=:\d+\/)(?= {2})/],
    ['the page of the documents', /http\S+\/api\/v1\/docs/],
  ])('names %s', async (_name, address) => {
    const page = await call(address.exec(printed)?.[0] ?? '', {});
    expect([page.status, page.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });

  it('ends with three things to try, each of which works in another terminal as printed', async () => {
    const [way = '', tries = ''] = printed.split('Three things to try in the second terminal');
    const prepare = /^ {2}cd .+\n {2}alias .+$/m.exec(way)?.[0] ?? '';
    const commands = [...tries.matchAll(/^ {4}(bin\/hkctl\.js .+)$/gm)].map(
      ([, command = '']) => command,
    );
    expect(
      commands.map((command) => / (keys|sensors show|status)( |$)/.exec(command)?.[1]),
    ).toEqual(['keys', 'sensors show', 'status']);
    const tried = await Promise.all(
      commands.map((command) => run('sh', ['-c', `${prepare}\n${command}`], '/')),
    );
    // The screen says that status ends with 5, and why.
    expect(tries).toContain('exit code 5');
    expect(tried.map(({ code }) => code)).toEqual([0, 0, 5]);
    const [keys, sensor, status] = tried.map(({ stdout }) => stdout);
    expect(keys).toContain(prefix);
    expect(sensor).toMatch(/max 1372 Cel · \d+ readings/);
    expect(status).toMatch(/Daemon +http[\s\S]+! Readings +76 readings of hk_/);
  });

  it('holds a plant worth looking at', async () => {
    const entities = await plant.json<{ timezone: string }[]>(['entities', 'list']);
    expect(new Set(entities.map(({ timezone }) => timezone)).size).toBeGreaterThanOrEqual(2);
    const users = await plant.json<{ role: string }[]>(['users', 'list']);
    expect(new Set(users.map(({ role }) => role)).size).toBe(5);
    const sensors = await plant.json<unknown[]>(['sensors', 'list', '--entity', 'BER']);
    expect(sensors.length).toBeGreaterThanOrEqual(50);
  });

  it('ends with 0 at SIGTERM; a second start keeps store and keys and ends with 0 at SIGINT', async () => {
    const ended = await first.stop('SIGTERM');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(ended.stdout).toContain('stopped');
    await expect(call(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('ECONNREFUSED');

    const second = start();
    await second.says(/Ctrl-C ends it/);
    expect(second.stdout).toContain('kept from before');
    expect(prefixIn(second.stdout)).toBe(prefix);
    // Five of the plant, and this one.
    expect((await plant.json<unknown[]>(['keys', 'list', '--all'])).length).toBe(6);
    expect((await second.stop('SIGINT')).code).toBe(0);
  });

  it('works on a terminal, in colour, for another profile, and ends with 0 at Ctrl-C', async () => {
    // Python gives it a terminal; what is written to its own input is typed there.
    const onTerminal = 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)';
    const store = plant.path('other/hkctl.db');
    const env = {
      HKCTL_STORE: store,
      HKCTL_USER: 'tina',
      HKCTL_PORT: '0',
      TERM: 'xterm-256color',
      NO_COLOR: '',
      HKCTL_BASE_URL: 'https://api.example.test',
    };
    const terminal = plant.attach(
      'python3',
      ['-c', onTerminal, process.execPath, startFile],
      env,
      root,
    );
    await terminal.says(/Ctrl-C ends it/);
    expect(terminal.stdout).toContain('\u001b[');
    terminal.child.stdin?.write('\u0003');
    const { code, stdout } = await terminal.ended;
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('stopped');
  });

  it('leaves no half of a plant where it is killed while it makes one', async () => {
    const env = { HKCTL_STORE: plant.path('cut/hkctl.db'), HKCTL_PORT: '0' };
    const killed = start(env);
    const begun = () => readdirSync(plant.path('.')).find((name) => name.startsWith('cut.'));
    await until('the plant is begun', () => existsSync(plant.path(`${begun()}/hkctl.records.db`)));
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(plant.path('cut'))).toBe(false);
    const again = start(env);
    await again.says(/Ctrl-C ends it/);
    expect(again.stdout).toContain('with a made-up plant');
    expect((await again.stop()).code).toBe(0);
    expect(readdirSync(plant.path('.')).filter((name) => name.startsWith('cut'))).toEqual(['cut']);
  });

  it('refuses the address of a database, and makes nothing', async () => {
    const folder = plant.path('elsewhere');
    mkdirSync(folder);
    const env = { HKCTL_STORE: 'postgres://u@/plant?host=/nowhere' };
    const { code, stdout, stderr } = await plant.attach(process.execPath, [startFile], env, folder)
      .ended;
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^npm start keeps its demo in files: .*\n$/),
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says what is wrong and ends where the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(port, '127.0.0.1', done));
    const outcome = await start().ended;
    other.close();
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain(String(port));
    expect(outcome.stderr).toMatch(/\nhere: {2}HKCTL_PORT=0 npm start\n$/);
  });

  it('names the file of a key that was revoked, and goes on once that is deleted', async () => {
    await plant.ok(['keys', 'revoke', prefix, '--yes']);
    const refused = await start({ HKCTL_PORT: '0' }).ended;
    expect(refused.code).toBe(1);
    const [, file = ''] =
      /^The key in (.+client\.key) is not let in any more\.\nDelete the file, and start again for a new one\.\n$/.exec(
        refused.stderr,
      ) ?? [];
    rmSync(resolve(root, file));
    const again = start({ HKCTL_PORT: '0' });
    await again.says(/Ctrl-C ends it/);
    expect((await again.stop()).code).toBe(0);
  });

  async function run(program: string, args: string[], folder: string): Promise<Outcome> {
    const running = plant.attach(program, args, {}, folder);
    running.child.stdin?.end();
    return running.ended;
  }
});

function prefixIn(printed: string): string {
  return /key +(hk_\w{5})…/.exec(printed)?.[1] ?? '';
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo; // it listens on a port, not on a pipe
  await new Promise((done) => probe.close(done));
  return port;
}
