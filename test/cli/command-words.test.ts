import { beforeAll, describe, expect, it } from 'vitest';
import { Cli } from './harness.ts';

const cli = new Cli();
beforeAll(async () => {
  await cli.seed();
});

async function refused(line: string): Promise<{ message: string; hint: string | null }> {
  const result = await cli.run(`${line} --json`);
  expect(result.code, line).toBe(2);
  return result.error();
}

describe('the words of a command line', () => {
  it.each([
    ['keys delete hk_Ab3dE', 'revoke'],
    ['keys remove hk_Ab3dE', 'revoke'],
    ['keys add', 'create'],
    ['keys new', 'create'],
    ['entities new X', 'add'],
    ['entities delete X', 'remove'],
    ['users delete x', 'deactivate'],
  ])('%s suggests %s, and lists the verbs', async (line, verb) => {
    const noun = line.split(' ')[0];
    expect((await refused(line)).hint).toMatch(
      new RegExp(`^Did you mean ${verb}\\? The commands of ${noun}: .*\\b${verb}\\b`),
    );
  });

  it('lists the verbs for a word that is like none of them', async () => {
    expect((await refused('permissions frobnicate')).hint).toMatch(
      /^The commands of permissions: list\b/,
    );
  });

  it('takes a noun alone for its list', async () => {
    for (const noun of ['permissions', 'users', 'entities', 'tenants', 'sensors', 'audit']) {
      const more = noun === 'sensors' ? ' --entity BER' : '';
      // Each list of the trail is an entry of it.
      if (noun !== 'audit')
        expect((await cli.ok(noun + more)).stdout).toBe(
          (await cli.ok(`${noun} list${more}`)).stdout,
        );
      expect((await cli.ok(`${noun}${more} --json`)).stdout).toMatch(/^[[{]/);
    }
    expect((await cli.ok('users --json login')).json<unknown[]>()[0]).toEqual({
      login: 'entity_admin',
    });
    expect((await cli.ok('users --json list')).stdout).toBe(
      (await cli.ok('users list --json')).stdout,
    );
    expect((await cli.ok('users --help')).stdout).toContain('set-role');
  });

  it('names the commands of a verb without a noun', async () => {
    expect((await refused('rotate hk_Ab3dE')).hint).toBe('Did you mean hkctl keys rotate?');
  });

  it('takes the word help for --help, also behind flags', async () => {
    const help = (await cli.ok('keys rotate --help')).stdout;
    expect((await cli.ok('help keys rotate')).stdout).toBe(help);
    expect((await cli.ok(['--store', cli.place, 'help', 'keys', 'rotate'])).stdout).toBe(help);
    expect((await cli.ok('keys help rotate')).stdout).toBe(help);
    for (const noun of ['keys', 'sensors', 'users', 'audit']) {
      const ofNoun = (await cli.ok([noun, '--help'])).stdout;
      expect((await cli.ok([noun, 'help'])).stdout).toBe(ofNoun);
      expect((await cli.ok(['--store', cli.place, '--quiet', noun, 'help'])).stdout).toBe(ofNoun);
    }
  });

  it('takes help for the name that it can be', async () => {
    expect((await cli.run('examples help')).stderr).toContain('"help"');
    expect((await cli.run('import help x.csv --entity BER')).stderr).toContain('"help"');
  });

  it.each([
    ['version', 'Did you mean hkctl --version?'],
    ['verison', 'Did you mean hkctl --version?'],
    ['usage', 'Did you mean hkctl --help?'],
    ['hepl keys', 'Did you mean hkctl --help?'],
    ['-v', 'Did you mean --version?'],
    ['-version', 'Did you mean --version?'],
    ['-help', 'Did you mean --help?'],
    ['keys list -?', 'Did you mean --help?'],
    ['keys -help', 'Did you mean --help?'],
    ['keys list -json', 'Did you mean --json?'],
    ['keys create help', 'Did you mean --help?'],
    ['doctor help', 'Did you mean --help?'],
  ])('%s is answered with the flag that it means', async (line, hint) => {
    const { code, stderr } = await cli.run(line);
    expect([code, stderr.trimEnd().split('\nhint: ')[1]]).toEqual([2, hint]);
  });

  it('understands a verb before its noun', async () => {
    const listed = (await cli.ok('list entities --json')).json();
    expect(listed).toEqual((await cli.ok('entities list --json')).json());
    expect((await cli.run('revoke keys hk_Zzzzz')).code).toBe(3);
  });
});

describe('a word of another program', () => {
  it.each([
    ['site list', 'hkctl entities'],
    ['plants', 'hkctl entities'],
    ['start', 'hkctl serve'],
    ['run', 'hkctl serve'],
    ['daemon', 'hkctl serve'],
    ['roles', 'hkctl users set-role --help'],
    ['docs', 'hkctl openapi'],
    ['whoami', '--as LOGIN'],
    ['logs', 'hkctl audit list'],
    ['login', '--as LOGIN'],
    ['config', 'hkctl serve --help'],
    ['keys search x', 'hkctl keys list --search'],
    ['keys usage x', 'hkctl keys show'],
    ['keys regenerate x', 'hkctl keys rotate'],
    ['keys block x', 'hkctl keys revoke'],
    ['keys reveal x', 'hkctl keys rotate'],
    ['sensors add x', 'hkctl import sensors FILE'],
    ['keys list -o json', '--json?'],
    ['keys list --output=json', '--json?'],
    ['keys list --format json', '--json?'],
    ['keys revoke x -q', '--quiet?'],
    ['keys list --site BER', '--entity?'],
    ['entities add X --tz UTC', '--timezone?'],
    ['keys create --ttl 90d', '--expires?'],
    ['keys create --scope parts.view', '--permission?'],
    ['keys list --user operator', '--as?'],
    ['keys list --inactive', '--all?'],
    ['keys list --sort name', 'jq'],
    ['serve --bind 0.0.0.0', '--host?'],
    ['serve --listen 0.0.0.0', '--host?'],
    ['keys list --csv', 'tabs'],
    ['sensors export --csv', '--format?'],
    ['keys list -a', '--all?'],
  ])('%s is answered with its own word', async (line, answer) => {
    const { message, hint } = await refused(line);
    expect(message).toMatch(/^Unknown (command|flag): /);
    expect(hint).toContain(answer);
  });

  it('-a does not mean --as', async () => {
    expect((await refused('users list -a')).hint).not.toContain('--as');
  });
});
