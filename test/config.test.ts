import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
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

describe('the store without --store', () => {
  const system = '/var/lib/hkctl/hkctl.db';
  const readFor = (uid: number, env: Record<string, string>, existing: readonly string[]) =>
    readEnvironment(
      { env, ppid: 1, getuid: () => uid },
      undefined,
      (path) => existing.includes(path),
      () => 990,
    );
  const storeOf = (env: Record<string, string>, existing: readonly string[], uid = 1000) => {
    const found = readFor(uid, env, existing);
    return [found.defaultStorePath, found.isSystemStore];
  };

  it('is the one of systemd, whatever else is there', () => {
    expect(
      storeOf({ STATE_DIRECTORY: '/run/state:/other', XDG_DATA_HOME: '/xdg' }, [system]),
    ).toEqual(['/run/state/hkctl.db', false]);
  });

  it('is the one of the account', () => {
    expect(storeOf({ XDG_DATA_HOME: '/xdg' }, [])).toEqual(['/xdg/hkctl/hkctl.db', false]);
    expect(storeOf({}, [])).toEqual([`${userInfo().homedir}/.local/share/hkctl/hkctl.db`, false]);
    expect(storeOf({ XDG_DATA_HOME: '/xdg' }, ['/xdg/hkctl/hkctl.db', system])).toEqual([
      '/xdg/hkctl/hkctl.db',
      false,
    ]);
  });

  it.each<Record<string, string>>([
    { XDG_DATA_HOME: 'share', HOME: '/home/ada' },
    { XDG_DATA_HOME: './share', HOME: '/home/ada' },
    { XDG_DATA_HOME: '', HOME: '/home/ada' },
    { STATE_DIRECTORY: 'state', HOME: '/home/ada' },
    { STATE_DIRECTORY: '', HOME: '/home/ada' },
  ])('is never below the current folder: %j', (env) => {
    expect(storeOf(env, [])).toEqual(['/home/ada/.local/share/hkctl/hkctl.db', false]);
  });

  it.each([{ HOME: '' }, { HOME: 'ada' }, { HOME: '.' }])(
    'is in the home folder of the account database with %j',
    (env) => {
      expect(storeOf(env, [])).toEqual([
        `${userInfo().homedir}/.local/share/hkctl/hkctl.db`,
        false,
      ]);
    },
  );

  it('is in the first state directory with an absolute path', () => {
    expect(storeOf({ STATE_DIRECTORY: 'state:/run/state' }, [])).toEqual([
      '/run/state/hkctl.db',
      false,
    ]);
  });

  it('is the one of the system for root and the owner of its folder, once that is there', () => {
    const folder = '/var/lib/hkctl';
    const own = '/home/ada/.local/share/hkctl/hkctl.db';
    for (const uid of [0, 990]) {
      expect(storeOf({ HOME: '/home/ada' }, [folder], uid)).toEqual([system, true]);
      expect(storeOf({ HOME: '/home/ada' }, [], uid)).toEqual([own, false]);
      expect(storeOf({ HOME: '/home/ada' }, [folder, own], uid)).toEqual([own, false]);
      expect(storeOf({ XDG_DATA_HOME: '/xdg' }, [folder], uid)).toEqual([
        '/xdg/hkctl/hkctl.db',
        false,
      ]);
    }
    expect(storeOf({ HOME: '/home/ada' }, [folder])).toEqual([own, false]);
  });

  it('is known to be one of two', () => {
    const own = '/home/ada/.local/share/hkctl/hkctl.db';
    const otherOf = (existing: readonly string[]) =>
      readFor(0, { HOME: '/home/ada' }, existing).otherStorePath;
    expect([otherOf([own, system]), otherOf([own]), otherOf([system])]).toEqual([
      system,
      undefined,
      undefined,
    ]);
  });

  it('is the one of the system where the account has none', () => {
    expect(storeOf({ XDG_DATA_HOME: '/xdg' }, [system])).toEqual([system, true]);
  });
});
