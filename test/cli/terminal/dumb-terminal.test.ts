import { beforeAll, expect, it } from 'vitest';
import { Cli } from '../harness.ts';

const cli = new Cli();
beforeAll(() => cli.seed());
const options = {
  terminal: { columns: 80, rows: 24 },
  env: { TERM: 'dumb', HKCTL_BASE_URL: 'https://api.example.com' },
};

it('with TERM=dumb questions are written without a single escape sequence', async () => {
  const { code, stderr } = await cli.run('keys create', {
    ...options,
    keys: [
      { on: 'Name', type: 'Ovens' },
      { on: 'Ovens', type: '\u007f' },
      { on: '\b', type: '\r' },
      { on: 'Number', type: '7' },
      { on: '7', type: '\r' },
      { on: 'Give a number', type: '1\r' },
      { on: 'Permissions', type: '\u0003' },
    ],
  });
  expect(code).toBe(130);
  expect(stderr).not.toContain('\u001b');
  expect(stderr.split('\n').slice(0, 7)).toEqual([
    '? Name Ovens\b \b',
    'Entity',
    '1. BER  Berlin plant',
    '2. CHI  Chicago',
    '? Number, 1 to 2 7',
    '> Give a number from 1 to 2.',
    '? Number, 1 to 2 1',
  ]);
});

it('neither is the secret that is asked for shown', async () => {
  const secret = 'hk_not-a-secret-at-all';
  const keys = [{ on: 'Secret', type: secret }, '\u0003'];
  const { code, stderr } = await cli.run('keys verify', { ...options, keys });
  expect(code).toBe(130);
  expect(stderr).toBe('? Secret \nerror: Cancelled; nothing was changed.\n');
});
