import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { readEnvironment } from '../src/config.ts';

const accountOf = (uid: number, env: Record<string, string>, caller?: string) =>
  readEnvironment({ env, ppid: 1, getuid: () => uid }, () => caller).osAccount;

it('takes the account that sudo names for root, who alone can be made so by sudo', () => {
  expect(accountOf(0, { SUDO_USER: 'ada' })).toBe('ada');
  expect(accountOf(0, { SUDO_USER: '' })).toBe(userInfo().username);
});

it('takes it for another account where the system says that this one called sudo', () => {
  expect(accountOf(1000, { SUDO_USER: 'ada' }, 'ada')).toBe('ada');
  expect(accountOf(1000, { SUDO_USER: 'bob' }, 'ada')).toBe(userInfo().username);
});

it('keeps the true account of everybody else, whatever the variable says', () => {
  expect(accountOf(1000, { SUDO_USER: 'ada' })).toBe(userInfo().username);
  expect(accountOf(1000, { SUDO_USER: 'root', SUDO_UID: '0', USER: 'root', LOGNAME: 'root' })).toBe(
    userInfo().username,
  );
});
