import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReadings } from '../../../e2e/client.ts';
import { type Daemon, Plant } from '../../../e2e/plant.ts';
import type { Running } from '../../../e2e/program.ts';
import { createRandom } from '../../../e2e/random.ts';
import { createBreakingProxy } from './breaking-proxy.ts';

const programs = [
  ['Python', 'python3', 'gateway.py'],
  ['a POSIX shell', 'sh', 'gateway.sh'],
] as const;

const startMs = Date.parse('2026-11-20T08:00:00Z');
const count = 2200;
const instant = (n: number) => new Date(startMs + n * 1000).toISOString();
const readingLine = (sensor: string, n: number) =>
  JSON.stringify({ sensor, at: instant(n), value: n });

/** What `hkctl examples` prints. */
const texts = new Map<string, string>();
let plant: Plant;
let daemon: Daemon;
let secret: string;
let reader: string;
beforeAll(async () => {
  plant = await Plant.open();
  for (const [, , file] of programs) texts.set(file, (await plant.ok(['examples', file])).stdout);
  await plant.importSensors(
    ['python3', 'sh', 'restart-python3', 'restart-sh'].map((id) => ({
      id,
      code: `T-${id}`,
      name: id,
      unit: null,
    })),
  );
  secret = (await plant.createKey('Gateway', 'sensor-gateway')).secret;
  reader = (await plant.createKey('Reader', 'operational-core')).secret;
  daemon = await plant.serve();
});
afterAll(() => plant.close());

/** Starts a program of hkctl-gateway(7) with a spool of its own. */
function start(
  interpreter: string,
  file: string,
  spool: string,
  url: string,
  firstWait: string,
): Running {
  const env = {
    API_URL: url,
    KEY_FILE: plant.write('key', secret),
    SPOOL: spool,
    FIRST_WAIT: firstWait,
  };
  return plant.attach(interpreter, [plant.write(file, texts.get(file) ?? '')], env);
}

describe.each(programs)('the gateway in %s', (_, interpreter, file) => {
  it('delivers every reading once over a network that breaks, and sets the rejected aside', async () => {
    const proxy = await createBreakingProxy(() => daemon.port, createRandom(4711));
    const spool = plant.path(`spool-${interpreter}`);
    // Without waits between attempts: the network breaks by bytes, not by time.
    const gateway = start(interpreter, file, spool, proxy.url, '0');
    const lines = Array.from({ length: count }, (_, n) => readingLine(interpreter, n));
    // A sensor that the server does not know, and a line that is no JSON, in the middle of others.
    lines.splice(1500, 0, readingLine('nobody', 1), '{"sensor":');
    gateway.child.stdin?.end(`${lines.join('\n')}\n`);
    const { code, stderr } = await gateway.ended;
    expect(code, stderr).toBe(0);
    expect(proxy.cuts.inRequest + proxy.cuts.inAnswer, stderr).toBeGreaterThan(2);
    expect(stderr).toContain('not sent');
    await proxy.close();
    const kept = await readReadings(daemon.url, reader, interpreter, 1000);
    expect(kept).toEqual(
      Array.from({ length: count }, (_, n) => ({ at: instant(n).replace('Z', '000Z'), value: n })),
    );
    const rejected = readFileSync(join(spool, 'rejected'), 'utf8');
    expect(rejected).toContain('"nobody"');
    expect(rejected).toContain('{"sensor":\n');
    expect(rejected).not.toContain(`"${interpreter}"`);
    // The key is in no list of processes and in no message.
    expect(stderr).not.toContain(secret);
  });

  it('waits as long as Retry-After says, and goes on after it was killed with a torn line at the end', async () => {
    const spool = plant.path(`spool-restart-${interpreter}`);
    const name = `restart-${interpreter}`;
    mkdirSync(spool);
    // As a power failure leaves it: two whole lines and a torn one, and a batch from before.
    writeFileSync(join(spool, '000000000007.batch'), `${readingLine(name, 0)}\n`);
    writeFileSync(
      join(spool, 'open'),
      `${readingLine(name, 1)}\n${readingLine(name, 2)}\n{"sensor":"resta`,
    );
    let refusals = 0;
    const busy = createServer((request, response) => {
      request.resume().on('end', () => {
        refusals++;
        response.writeHead(503, { 'Retry-After': '2' }).end();
      });
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const { port } = busy.address() as AddressInfo; // it listens on a port
    const first = start(interpreter, file, spool, `http://127.0.0.1:${port}`, '1');
    await first.says(/again in 2/);
    expect(refusals).toBeGreaterThan(0);
    first.child.kill('SIGKILL');
    await first.ended;
    busy.closeAllConnections();
    await new Promise((resolve) => busy.close(resolve));
    // With the slash that a browser shows behind the address.
    const second = start(interpreter, file, spool, `${daemon.url}/`, '1');
    second.child.stdin?.end(`${readingLine(name, 3)}\n`);
    expect((await second.ended).code).toBe(0);
    const kept = await readReadings(daemon.url, reader, name, 100);
    expect(kept.map(({ value }) => value)).toEqual([0, 1, 2, 3]);
  });

  it('sends a last line without a line break, with the key of a path from where it is started', async () => {
    const name = `restart-${interpreter}`;
    plant.write('key', secret);
    const running = plant.attach(interpreter, [plant.write(file, texts.get(file) ?? '')], {
      API_URL: daemon.url,
      KEY_FILE: 'key',
      SPOOL: `spool-relative-${interpreter}`,
      FIRST_WAIT: '1',
    });
    running.child.stdin?.end(`${readingLine(name, 10)}\n${readingLine(name, 11)}`);
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, '']);
    const kept = await readReadings(daemon.url, reader, name, 100);
    expect(kept.map(({ value }) => value)).toEqual(expect.arrayContaining([10, 11]));
  });

  it('says how it is used instead of a traceback, and exits with 2', async () => {
    const path = plant.write(file, texts.get(file) ?? '');
    const withArgument = await plant.attach(interpreter, [path, '--help']).ended;
    expect([withArgument.code, withArgument.stderr]).toEqual([
      2,
      expect.stringMatching(/^usage: .*KEY_FILE/),
    ]);
    const env = { SPOOL: plant.write('no-folder', '') };
    const withoutSpool = await plant.attach(interpreter, [path], env).ended;
    expect(withoutSpool.code).toBe(2);
    expect(withoutSpool.stderr).toContain('SPOOL');
    expect(withoutSpool.stderr).not.toContain('Traceback');
  });
});
