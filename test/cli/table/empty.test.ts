import { describe, expect, it } from 'vitest';
import { Cli } from '../harness.ts';

describe('an empty list', () => {
  const cli = new Cli();
  const said = async (line: string) => {
    const { stdout, stderr } = await cli.ok(line);
    expect(stdout).toMatch(/^[A-Z]+\t[^\n]*\n$/);
    return stderr;
  };

  it('of keys says which filter had none', async () => {
    await cli.seed();
    expect(await said('keys list')).toBe('No active keys.\nCreate key: hkctl keys create\n');
    expect(await said('keys list --all')).toBe('No keys.\nCreate key: hkctl keys create\n');
    const { key } = await cli.key('Old');
    await cli.ok(['keys', 'revoke', key.prefix, '--yes']);
    expect(await said('keys list')).toContain(
      'No active keys.\nShow inactive keys: hkctl keys list --all. Create key:',
    );
    expect(await said('keys list --all --entity CHI')).toBe('No key matches --entity CHI.\n');
    await cli.key('Gateway');
    expect(await said('keys list --entity CHI')).toBe(
      'No active key matches --entity CHI.\nInactive keys are listed with --all.\n',
    );
    expect(await said('keys list --entity CHI --search oven --older-than 36h --all')).toBe(
      'No key matches --entity CHI, --search "oven" or --older-than 36h.\n',
    );
    expect(await said('keys list --status revoked --entity CHI')).toContain(
      'No revoked key matches --entity CHI.',
    );
    await cli.key('Press', ['--entity', 'CHI']);
    expect(await said('keys list --entity CHI --search gateway')).toContain(
      'No active key matches --entity CHI and --search "gateway" together.',
    );
  });

  it('of the audit trail names the filters', async () => {
    expect(await said('audit list --since 2027-01-01')).toBe(
      'No record matches --since 2027-01-01.\n',
    );
    expect(await said('audit list --target nothing --outcome failed')).toBe(
      'No record matches --target nothing --outcome failed.\n',
    );
  });

  it('of the sensors names the entity, and the next command', async () => {
    expect(await said('sensors list --entity CHI')).toBe(
      'No sensors in entity CHI.\nLoad some: hkctl import sensors FILE --entity CHI\n',
    );
  });
});
