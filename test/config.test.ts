import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { readSurroundings } from '../src/config.ts';

const accountOf = (uid: number, env: Record<string, string>) => readSurroundings({ env, getuid: () => uid }).osAccount;

it('takes the account that sudo names for root, who alone can be made so by sudo', () => {
  expect(accountOf(0, { SUDO_USER: 'ada' })).toBe('ada');
  expect(accountOf(0, { SUDO_USER: '' })).toBe(userInfo().username);
});

it('keeps the true account of everybody else, whatever the variable says', () => {
  expect(accountOf(1000, { SUDO_USER: 'ada' })).toBe(userInfo().username);
  expect(accountOf(1000, { SUDO_USER: 'root', SUDO_UID: '0', USER: 'root', LOGNAME: 'root' })).toBe(
    userInfo().username,
  );
});
