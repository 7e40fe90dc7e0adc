import { beforeEach, describe, expect, it } from 'vitest';
import { Cli } from '../../harness.ts';
import { press, type TypedKey } from '../../keyboard.ts';

const { down, enter, escape: esc, ctrlC, ctrlD } = press;
const on = (text: string, type: string) => ({ on: text, type });

let cli: Cli;
beforeEach(async () => {
  cli = await new Cli().seed();
  for (let i = 1; i <= 4; i++) {
    await cli.key(`Line ${i}`);
    cli.nowMs += 1000;
  }
});

/** The name that the question of a revocation has at the end of what was typed; the newest key is Line 4. */
async function askedAfter(keys: readonly (string | TypedKey)[], columns = 80): Promise<string> {
  const { stdout } = await cli.ok('keys', {
    terminal: { columns, rows: 24 },
    env: { NO_COLOR: '1' },
    keys: [...keys, on('choose', 'v'), on('Revoke key', esc), on('Cancelled', 'q')],
  });
  return [...stdout.matchAll(/Revoke API key: (Line \d)/g)].at(-1)?.[1] ?? '';
}

describe('the chosen key of the settings page', () => {
  const cancels = [esc, ctrlC, ctrlD, enter];

  it.each([
    ['Rotate', 'r', 'Rotate key'],
    ['Revoke', 'v', 'Revoke key'],
    ['Create key', 'c', 'Name'],
  ])('is kept when %s is cancelled by any key', async (_, letter, shown) => {
    // An empty name is no answer.
    for (const cancel of letter === 'c' ? cancels.slice(0, 3) : cancels) {
      const keys = [down, down, letter, on(shown, cancel), on('Cancelled', down)];
      expect(await askedAfter(keys)).toBe('Line 1');
    }
  });

  it('is kept when the creation is cancelled at a later question', async () => {
    const keys = [down, 'c', on('Name', 'N'), enter, on('Entity', '\u0003'), on('Cancelled', down)];
    expect(await askedAfter(keys)).toBe('Line 2');
  });

  it('is kept when a search is cancelled', async () => {
    expect(await askedAfter([down, down, '/', '4', esc])).toBe('Line 2');
  });

  it('is kept by help and by the list', async () => {
    expect(await askedAfter([down, '?', on('Any key', esc), on('choose', 'l')])).toBe('Line 3');
  });

  it('is kept when an action is refused', async () => {
    const { key } = await cli.key('Line 5');
    const revokeMeanwhile = () => cli.ok(['keys', 'revoke', key.prefix, '--yes']);
    const confirm = { on: 'Rotate key', type: down, meanwhile: revokeMeanwhile };
    expect(await askedAfter(['i', 'r', confirm, enter, on('only active', down)])).toBe('Line 4');
  });

  it('is the new key after a rotation', async () => {
    const keys = [down, 'r', on('Rotate key', down), enter, on('Dismiss', 'd'), on('[y]', 'y')];
    expect(await askedAfter([...keys, on('API key rotated', down)])).toBe('Line 4');
  });
});
