import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from '../harness.ts';

const terminal = { columns: 80, rows: 24 };
const create = 'keys create --name A --entity BER --preset sensor-gateway';
const on = (text: string, type: string) => ({ on: text, type });

const cli = new Cli();
beforeAll(async () => {
  await cli.seed();
});

/** A clipboard program that hangs until it is ended. */
function hangingClipboard() {
  const signals: AbortSignal[] = [];
  const copy = (_: string, signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<void>(() => {});
  };
  return { copy, signals };
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

describe('a clipboard that hangs', () => {
  it('leaves the panel its keys: it is dismissed at once, and the program is ended', async () => {
    const { copy, signals } = hangingClipboard();
    const keys = ['c', on('Copying', 'd'), on('Dismiss?', 'y')];
    const [result, ms] = await timed(() => cli.ok(create, { terminal, copy, keys }));
    expect(ms).toBeLessThan(1900);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(result.stdout).not.toContain('\u001b]52;');
  });

  it('is given up after two seconds, and the panel sends OSC 52', async () => {
    for (const more of ['', ' --copy']) {
      const { copy, signals } = hangingClipboard();
      const keys = [...(more === '' ? ['c'] : []), on('OSC 52', 'd'), on('Dismiss?', 'y')];
      const [result, ms] = await timed(() => cli.ok(`${create}${more}`, { terminal, copy, keys }));
      expect(ms).toBeGreaterThan(1900);
      expect(ms).toBeLessThan(5000);
      expect(result.stdout).toContain('\u001b]52;c;');
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    }
  });

  it('delays a piped secret by two seconds at most', async () => {
    const { copy } = hangingClipboard();
    const [result, ms] = await timed(() => cli.ok(`${create} --copy`, { copy }));
    expect(ms).toBeLessThan(5000);
    expect(result.stdout).toMatch(/^hk_\w{49}\n$/);
    expect(result.stderr).toContain('Not copied');
  });
});

it('a copy that succeeds is said on the panel', async () => {
  const copied: string[] = [];
  const copy = async (text: string) => void copied.push(text);
  const keys = [on('API key created', 'c'), on('API key copied', 'd'), on('Dismiss?', 'y')];
  await cli.ok(create, { terminal, copy, keys });
  expect(copied).toEqual([expect.stringMatching(/^hk_\w{49}$/)]);
});
