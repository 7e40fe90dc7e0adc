import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';

describe('what a command line is missing', () => {
  const cli = new Cli();
  beforeAll(async () => {
    await cli.seed();
    await cli.key('Oven');
  });

  const cases: [line: string, missing: string, onTerminal?: string][] = [
    ['keys show', 'REF is', ''],
    ['keys show --yes', 'REF is'],
    ['keys note', 'REF and TEXT are'],
    ['keys create', '--name, --entity and --preset or --permission are', ''],
    ['keys rotate', 'REF and --yes are', ''],
    ['keys rotate --yes', 'REF is'],
    ['keys revoke', 'REF and --yes are', ''],
    ['import', 'RESOURCE is'],
    ['import --template', 'RESOURCE is'],
    ['import parts', 'FILE is'],
    ['import parts --entity BER', 'FILE is'],
    ['sensors list', '--entity is', ''],
    ['sensors export', '--entity is', ''],
    ['sensors show', 'SENSOR is'],
    ['sensors erase', 'SENSOR, --from and --to are', 'SENSOR is'],
    ['sensors erase S', '--from and --to are', ''],
    ['entities add', 'CODE, --name and --timezone are', 'CODE is'],
    ['entities add X --yes', '--name and --timezone are'],
    ['entities remove', 'CODE and --yes are', 'CODE is'],
    ['entities deactivate', 'CODE and --yes are', 'CODE is'],
    ['users add', 'LOGIN, --name and --role are', 'LOGIN is'],
    ['users deactivate', 'LOGIN and --yes are', 'LOGIN is'],
    ['users set-role', 'LOGIN and ROLE are'],
    ['tenants add', 'NAME and --admin are', 'NAME is'],
    ['backup', 'FILE is'],
    ['completion', 'SHELL is'],
  ];

  it.each(cases)('%s: all of it at once where nobody can be asked', async (line, missing) => {
    const { code, stderr } = await cli.run(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^error: ${missing} missing[.:]`));
    const error = (await cli.run(`${line} --json`)).error();
    expect([error.code, error.message]).toEqual([
      'usage',
      expect.stringMatching(`^${missing} missing[.:]`),
    ]);
  });

  it.each(cases)(
    '%s: on a terminal only what is never asked for',
    async (line, missing, onTerminal = missing) => {
      const terminal = { columns: 80, rows: 24 };
      const { code, stderr } = await cli.run(line, {
        terminal,
        env: { NO_COLOR: '1' },
        keys: [{ on: '?', type: '\u0003' }],
      });
      if (onTerminal === '') expect([code, stderr]).toEqual([130, expect.stringContaining('? ')]);
      else
        expect([code, stderr]).toEqual([
          2,
          expect.stringMatching(`^error: ${onTerminal} missing[.:]`),
        ]);
    },
  );

  it('is not what a variable gives, and comes after a wrong value', async () => {
    const env = { HKCTL_ENTITY: 'BER' };
    expect((await cli.run('sensors show', { env })).stderr).toMatch(/^error: SENSOR is missing\./);
    expect((await cli.run('users add --role king')).stderr).toMatch(
      /^error: --role: "king" is none of/,
    );
  });
});
