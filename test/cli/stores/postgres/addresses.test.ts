import { createServer } from 'node:http';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { addressOf, newDatabase, onServer } from '../../../store/postgres/databases.ts';
import { sharedServer } from '../../../store/postgres/shared-server.ts';
import { answerAsOld, startStrangeServer } from '../../../store/postgres/strange-server.ts';
import { Cli } from '../../harness.ts';

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0)) await end();
});

const server = await sharedServer(inject('postgresFolder'));
const init =
  'init --org Acme --week-start monday --entity BER --entity-name Berlin --timezone Europe/Berlin --admin root';

/** Each command on the store is refused by one sentence and a hint, and says nothing else. */
async function expectRefusal(
  address: string,
  code: number,
  error: string,
  sentence: RegExp,
  lines = ['keys list', 'migrate', init],
): Promise<void> {
  const cli = new Cli(address);
  for (const line of lines) {
    const { stdout, stderr, ...result } = await cli.run(`${line} --json`);
    expect([line, result.code, result.error().code], `${stdout}${stderr}`).toEqual([
      line,
      code,
      error,
    ]);
    expect(stdout).toBe('');
    const { message, hint } = result.error();
    expect(message).toMatch(sentence);
    // One sentence: no further line, and one full stop that ends it.
    expect(message).toMatch(/^[^\n]*[^.]\.$/);
    expect(hint).toMatch(/^[A-Z].+/);
    expect(stderr).not.toMatch(/hunter2|\n\s+at /);
  }
}

describe('an address that is wrong is refused with exit status 2', () => {
  it.each([
    ['postgress://h/d', /begins with "postgress:\/\/"/],
    ['mysql://root:hunter2@h/d', /begins with "mysql:\/\/"/],
    ['postgres://h:0/d', /port/],
    ['postgres://h:54x32/d', /malformed/],
    ['postgres://h:5432:5433/d', /malformed/],
    ['postgres://h/d?sslmode=on', /sslmode/],
    ['postgres://h/d?option=-csearch_path%3Dx', /"option" is an unknown parameter/],
    ['postgres://h/d?requirepeer=postgres', /requirepeer .*leave it out/],
    ['postgres://h/d?Schema=x', /unknown parameter/],
    ['postgres://h/d?hunter2%00=x', /unknown parameter/],
    ['postgres://h/d?connect_timeout=soon', /connect_timeout/],
    ['postgres://h/d#fragment', /form/],
    ['postgres://h/%', /hexadecimal/],
    ['postgres://h/d%00e', /control character/],
    ['postgres://u%0Av@h/d', /control character/],
    ['postgres://h/d?application_name=%1B%5B2J', /control character/],
    ['postgres://h /d', /malformed/],
    ['postgres://[::1/d', /malformed/],
    ['postgres://h/d?service=none', /service/],
  ])('%s', async (address, sentence) => {
    await expectRefusal(address, 2, 'usage', sentence);
  });

  it('and so is a password on the command line', async () => {
    const cli = new Cli(await newDatabase());
    for (const address of ['postgres://u:hunter2@h/d', 'postgres://u@h/d?password=hunter2']) {
      const { code, stderr } = await cli.run(['keys', 'list', '--store', address]);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^error: --store: A password on the command line can be read by everybody on this machine\.\n/,
      );
      expect(stderr).not.toContain('hunter2');
    }
  });
});

describe('what is no PostgreSQL server for a store is refused with exit status 6', () => {
  const at = (port: number) => `postgres://u@127.0.0.1:${port}/d?sslmode=disable&connect_timeout=1`;

  it.each([14, 12, 9])('a server of version %i', async (major) => {
    const old = await startStrangeServer(answerAsOld(major < 10 ? 90_624 : major * 10_000 + 5));
    ends.push(old.close);
    await expectRefusal(at(old.port), 6, 'store_unreadable', /is older than version 15/);
  });

  it('another program at its port', async () => {
    const web = createServer((_, response) => response.end('hello'));
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    ends.push(async () => web.close());
    const address = web.address();
    const greetings: [string, Buffer | undefined][] = [
      ['closes', Buffer.alloc(0)],
      ['mysql', Buffer.from('4a0000000a382e302e333600', 'hex')],
      ['ssh', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
      ['redis', Buffer.from('-ERR unknown command\r\n')],
      ['silent', undefined],
    ];
    const ports = [typeof address === 'object' && address ? address.port : 0];
    for (const [, greeting] of greetings) {
      const strange = await startStrangeServer((socket) => {
        if (greeting?.length === 0) socket.destroy();
        else if (greeting) socket.write(greeting);
      });
      ends.push(strange.close);
      ports.push(strange.port);
    }
    const all = ports.map(async (port) => {
      await expectRefusal(at(port), 6, 'store_unreachable', /PostgreSQL/);
      await expectRefusal(
        at(port).replace('disable', 'require'),
        6,
        'store_unreachable',
        /PostgreSQL/,
      );
    });
    await Promise.all(all);
  });

  it('a missing database, missing rights, a newer schema, tables of others; nothing is created', async () => {
    await expectRefusal(
      addressOf(server, 'no_such_database'),
      6,
      'store_absent',
      /There is no database/,
    );
    const newer = await newDatabase('store');
    await onServer(newer, 'update hkctl.store_version set version = 1000');
    await expectRefusal(newer, 6, 'store_too_new', /newer hkctl \(schema 1000\)/, [
      'keys list',
      'migrate',
    ]);
    const foreign = await newDatabase();
    await onServer(foreign, 'create schema hkctl', 'create table hkctl.theirs (a int)');
    await expectRefusal(
      foreign,
      6,
      'store_corrupt',
      /holds tables, but not those of a store of hkctl/,
    );
    // Only its own table is there.
    await onServer(foreign, 'drop table hkctl.theirs', 'drop schema hkctl');
    const poor = await newDatabase('store');
    const role = `hkctl_test_poor_${Date.now()}`;
    await onServer(server, `create role ${role} login`);
    ends.push(() => onServer(server, `drop role ${role}`));
    await expectRefusal(
      poor.replace('postgres@', `${role}@`),
      6,
      'store_unreadable',
      /lacks rights that this needs on the PostgreSQL store/,
    );
  });
});
