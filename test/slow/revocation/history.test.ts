import { renameSync, rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { call, keptAlive } from '../../e2e/client.ts';
import { type CreatedKey, type Daemon, Plant } from '../../e2e/plant.ts';
import { pause, type Running, until } from '../../e2e/program.ts';
import { createRandom } from '../../e2e/random.ts';
import { type Request, type Stop, type Swap, violationsOf } from './history.ts';

/** Stops that are answered before the files are swapped: about a minute on two slow cores. */
const stopsWanted = 40 * Number(process.env.TEST_HKCTL_ROUNDS ?? 1);
const seed = Number(process.env.TEST_HKCTL_SEED ?? 1);
const daemonCount = 3;
const writerCount = 5;
const nowMs = () => performance.now();

describe('the checker of a history', () => {
  const request = (startMs: number, status: number | undefined = 200): Request => ({
    keyId: 'k',
    daemon: 0,
    startMs,
    endMs: startMs + 1,
    status,
  });
  const stops: Stop[] = [{ keyId: 'k', by: 'revoke', answeredMs: 100 }];

  it('finds a key that is let in by a request that began after its end was answered, and nothing else', () => {
    expect(
      violationsOf(
        [request(99), request(100), request(101, 401), { ...request(101), status: undefined }],
        stops,
      ),
    ).toEqual([]);
    expect(violationsOf([request(101)], stops)).toEqual(['daemon 0 let k in 1 ms after: revoke']);
    expect(violationsOf([{ ...request(101), keyId: 'other' }], stops)).toEqual([]);
    expect(
      violationsOf([request(150)], [{ keyId: 'k', by: 'rotate', answeredMs: 200 }, ...stops]),
    ).toHaveLength(1);
  });

  it('lets daemons notice a swap, and no more than that', () => {
    const swap: Swap = { endMs: 90, noticeMs: 1000 };
    expect(violationsOf([request(101), request(1090)], stops, swap)).toEqual([]);
    expect(violationsOf([request(1091)], [], swap)).toEqual([
      'daemon 0 let k in 1 ms after a swap was to be noticed',
    ]);
    expect(
      violationsOf([request(85)], [{ keyId: 'k', by: 'revoke', answeredMs: 80 }], swap),
    ).toHaveLength(1);
  });
});

/** Processes on one store, and everything that was asked of them and answered. */
class Chaos {
  readonly requests: Request[] = [];
  readonly stops: Stop[] = [];
  readonly counts = { killedWriters: 0, killedDaemons: 0, stopped: 0 };
  swap: Swap | undefined;
  readonly #plant: Plant;
  readonly #random = createRandom(seed);
  readonly #keys = new Map<string, string>();
  readonly #live = new Map<string, string | undefined>();
  readonly #daemons: (Daemon | undefined)[] = [];
  readonly #writers = new Set<Running>();
  #number = 0;
  #isWriting = true;
  #isKilling = true;
  #isAsking = true;

  constructor(plant: Plant) {
    this.#plant = plant;
  }

  async run(): Promise<void> {
    for (let made = 0; made < writerCount; made++) await this.#create();
    for (let daemon = 0; daemon < daemonCount; daemon++)
      this.#daemons[daemon] = await this.#serve();
    const asking = Promise.all(
      Array.from({ length: daemonCount * 2 }, (_, n) => this.#ask(n % daemonCount)),
    );
    const writing = Promise.all(Array.from({ length: writerCount }, () => this.#write()));
    const killing = this.#kill();
    await until('enough was stopped', () => this.stops.length >= stopsWanted, {
      timeoutMs: 240_000,
      everyMs: 50,
    });
    this.#isWriting = false;
    this.#isKilling = false;
    await Promise.all([writing, killing]);
    await this.#swapFiles();
    // What is stopped from here on is stopped in files of which the daemons know nothing.
    for (const keyId of [...this.#live.keys()].slice(0, 2))
      await this.#stop('revoke', ['keys', 'revoke', keyId, '--yes'], [keyId]);
    const ends = await Promise.all(this.#daemons.map((daemon) => daemon?.ended));
    expect(ends.map((end) => end?.code)).toEqual(new Array(daemonCount).fill(6));
    this.#isAsking = false;
    await asking;
  }

  #serve(): Promise<Daemon> {
    return this.#plant.serve();
  }

  /** Asks one daemon again and again, each time with any key that there is or was. */
  async #ask(daemon: number): Promise<void> {
    const agent = keptAlive();
    while (this.#isAsking) {
      const url = this.#daemons[daemon]?.url;
      const [keyId, secret] = this.#pick([...this.#keys]) ?? ['', ''];
      const startMs = nowMs();
      const status =
        url === undefined ? undefined : await statusOf(`${url}/api/v1/me`, secret, agent);
      this.requests.push({ keyId, daemon, startMs, endMs: nowMs(), status });
      await pause(status === undefined ? 50 : 2);
    }
    agent.destroy();
  }

  async #write(): Promise<void> {
    while (this.#isWriting) {
      const [keyId, owner] = this.#take() ?? [undefined, undefined];
      const kind = this.#random(10);
      if (keyId === undefined || this.#live.size < writerCount) await this.#create(kind < 3);
      if (keyId === undefined) continue;
      if (owner !== undefined)
        await this.#stop('deactivate', ['users', 'deactivate', owner, '--yes'], [keyId]);
      else if (kind < 5) await this.#stop('revoke', ['keys', 'revoke', keyId, '--yes'], [keyId]);
      else await this.#stop('rotate', ['keys', 'rotate', keyId, '--yes', '--json'], [keyId]);
    }
  }

  /** A key, of an account of its own where `isOwned`, so that it can be stopped by way of its creator. */
  async #create(isOwned = false): Promise<void> {
    const owner = isOwned ? `owner-${++this.#number}` : undefined;
    if (owner) {
      const added = await this.#command([
        'users',
        'add',
        owner,
        '--name',
        owner,
        '--role',
        'entity_admin',
      ]);
      if (added === undefined) return;
    }
    const name = `key ${++this.#number}`;
    const create = [
      'keys',
      'create',
      '--name',
      name,
      '--entity',
      'BER',
      '--preset',
      'operational-core',
      '--json',
    ];
    const made = await this.#command(owner ? [...create, '--as', owner] : create);
    if (made !== undefined) this.#know(JSON.parse(made), owner);
  }

  #know({ key, secret }: CreatedKey, owner: string | undefined): void {
    this.#keys.set(key.id, secret);
    this.#live.set(key.id, owner);
  }

  async #stop(by: string, args: string[], keyIds: readonly string[]): Promise<void> {
    const answered = await this.#command(args);
    if (answered === undefined) return;
    for (const keyId of keyIds) this.stops.push({ keyId, by, answeredMs: nowMs() });
    for (const keyId of keyIds) this.#live.delete(keyId);
    if (by === 'rotate') this.#know(JSON.parse(answered), undefined);
  }

  /** Runs a command; gives what it printed, or nothing where it was killed: what it did then is unknown. */
  async #command(args: readonly string[]): Promise<string | undefined> {
    const running = this.#plant.start(args);
    running.child.stdin?.on('error', () => {});
    running.child.stdin?.end();
    this.#writers.add(running);
    const { code, signal, stdout, stderr } = await running.ended;
    this.#writers.delete(running);
    if (signal === 'SIGKILL') return undefined;
    expect(code, `${args.join(' ')}\n${stderr}`).toBe(0);
    return stdout;
  }

  /** Stops and kills daemons and writers at any moment; what was killed is started again, what was stopped goes on. */
  async #kill(): Promise<void> {
    while (this.#isKilling) {
      await pause(this.#random(300));
      const kind = this.#random(8);
      const at = this.#random(daemonCount);
      const daemon = this.#daemons[at];
      const writer = this.#pick([...this.#writers]);
      if (kind < 2 && writer) {
        this.counts.killedWriters += Number(writer.child.kill('SIGKILL'));
      } else if (kind < 4 && writer) {
        await this.#freeze(writer);
      } else if (kind < 7 && daemon) {
        await this.#freeze(daemon);
      } else if (daemon) {
        await daemon.kill9();
        this.counts.killedDaemons++;
        this.#daemons[at] = await this.#serve();
      }
    }
  }

  async #freeze(running: Running): Promise<void> {
    running.child.kill('SIGSTOP');
    this.counts.stopped++;
    await pause(50 + this.#random(400));
    running.child.kill('SIGCONT');
  }

  /** Puts files of the same content in the place of those that the daemons have open, one of them stopped meanwhile. */
  async #swapFiles(): Promise<void> {
    const { store } = this.#plant;
    const copy = this.#plant.path('copy.db');
    const backup = this.#plant.path('swap.backup');
    await this.#plant.ok(['backup', backup]);
    await this.#plant.ok(['restore', backup, '--yes'], { env: { HKCTL_STORE: copy } });
    const frozen = this.#daemons[0];
    frozen?.child.kill('SIGSTOP');
    for (const end of ['.db', '.records.db', '.readings.db']) {
      const file = store.replace(/\.db$/, end);
      renameSync(file, `${file}.old`);
      for (const log of ['-wal', '-shm']) rmSync(file + log, { force: true });
      renameSync(copy.replace(/\.db$/, end), file);
    }
    this.swap = { endMs: nowMs(), noticeMs: 1000 };
    await pause(1500);
    frozen?.child.kill('SIGCONT');
  }

  #take(): [string, string | undefined] | undefined {
    const found = this.#pick([...this.#live]);
    if (found) this.#live.delete(found[0]);
    return found;
  }

  #pick<T>(of: readonly T[]): T | undefined {
    return of[this.#random(Math.max(1, of.length))];
  }
}

async function statusOf(
  url: string,
  secret: string,
  agent: ReturnType<typeof keptAlive>,
): Promise<number | undefined> {
  try {
    return (await call(url, { secret, agent })).status;
  } catch (thrown) {
    // A daemon that is killed or not there breaks the connection; an answer that is not as documented is a fault.
    if (thrown instanceof Error && thrown.message.includes('documented')) throw thrown;
    return undefined;
  }
}

describe('three daemons and five writers on one store, stopped and killed at any moment', () => {
  let plant: Plant | undefined;
  afterEach(() => plant?.close());

  it(`let no key in after its end was answered, nor anybody after a swap (seed ${seed})`, async () => {
    plant = await Plant.open();
    const chaos = new Chaos(plant);
    await chaos.run();
    const { requests, stops, counts, swap } = chaos;
    const letIn = requests.filter(({ status }) => status === 200).length;
    const refused = requests.filter(({ status }) => status === 401).length;
    const kinds = Object.fromEntries(
      ['revoke', 'rotate', 'deactivate'].map((by) => [
        by,
        stops.filter((stop) => stop.by === by).length,
      ]),
    );
    process.stdout.write(
      `history: ${JSON.stringify({ requests: requests.length, letIn, refused, ...kinds, ...counts })}\n`,
    );
    expect(violationsOf(requests, stops, swap)).toEqual([]);
    // A history in which little happened would prove little.
    expect(stops.length).toBeGreaterThanOrEqual(stopsWanted);
    expect(Math.min(letIn, refused)).toBeGreaterThan(100);
    expect(
      requests.some(({ startMs, status }) => swap && startMs > swap.endMs && status === 503),
    ).toBe(true);
  });
});
