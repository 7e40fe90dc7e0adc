import { fstatSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createColours } from '../../src/colours/colours.ts';
import { isTricky } from '../../src/core/text/shown-text.ts';
import { createLog } from '../../src/http/monitoring/log.ts';
import {
  journalLines,
  jsonLines,
  type LogForm,
  logFormOf,
  terminalLines,
} from '../../src/http/monitoring/log-forms.ts';
import type { Exchange } from '../../src/http/request/exchange.ts';

/** The lines that a log writes in a form. */
function lines(form: LogForm, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const parts: string[] = [];
  const log = createLog('debug', { write: (line) => parts.push(line) }, form);
  write(log);
  log.flush();
  return parts.join('').trimEnd().split('\n');
}

/** All that a line shows of a request. */
const exchange = (path: string) =>
  ({
    id: 'r1',
    method: 'GET',
    path,
    query: '',
    keyPrefix: 'hk_abcde',
    code: undefined,
    peer: '::1',
  }) as Exchange;

describe('the journal of systemd', () => {
  it('gets each line with the priority of its level, and the rest as JSON', () => {
    const found = lines(journalLines, (log) => {
      for (const level of ['fatal', 'error', 'warn', 'info', 'debug'] as const)
        log[level]({ a: 1 }, level);
      log.request(exchange('/x'), 200, 1);
    });
    expect(found.map((line) => line.slice(0, 3))).toEqual([
      '<2>',
      '<3>',
      '<4>',
      '<6>',
      '<7>',
      '<6>',
    ]);
    expect(found.map((line) => JSON.parse(line.slice(3)).msg)).toEqual([
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      'request',
    ]);
  });

  it('is recognised by device and inode, and nothing else is taken for it', () => {
    const { dev, ino } = fstatSync(1);
    expect(logFormOf(1, { JOURNAL_STREAM: `${dev}:${ino}` })).toBe(journalLines);
    for (const stream of [undefined, '', `${dev}:${ino + 1}`, 'x']) {
      expect(logFormOf(1, { JOURNAL_STREAM: stream })).not.toBe(journalLines);
    }
  });
});

describe('a terminal', () => {
  it('gets lines for people', () => {
    const found = lines(terminalLines(createColours({}, false)), (log) => {
      log.info({ url: 'http://a', pid: 1 }, 'listening');
      log.request(exchange('/api/v1/me'), 403, 1.24);
      log.error({ err: new Error('broken') }, 'internal error');
    });
    expect(found[0]).toMatch(/^\d\d:\d\d:\d\d info {2}listening {2}url=http:\/\/a {2}pid=1$/);
    expect(found[1]).toMatch(
      /^\d\d:\d\d:\d\d 403 GET \/api\/v1\/me 1\.2 ms {2}key=hk_abcde {2}peer=::1$/,
    );
    expect(found[2]).toMatch(/ error internal error {2}error=broken$/);
    expect(found[3]).toMatch(/^ {4}at /);
  });

  it('gets colours, and no control character of a client', () => {
    const hostile = '/\u001b[2J\u202e\u0007\n';
    const [line = ''] = lines(terminalLines(createColours({}, true)), (log) =>
      log.request(exchange(hostile), 500, 1),
    );
    expect(line).toContain('\u001b[31m500\u001b[39m');
    expect(isTricky(line.replaceAll('\u001b[31m', '').replaceAll('\u001b[39m', ''))).toBe(false);
    const [warning = ''] = lines(terminalLines(createColours({}, false)), (log) =>
      log.warn({ host: hostile }, hostile),
    );
    expect([isTricky(warning), warning]).toEqual([false, expect.stringContaining('\\u202e')]);
  });

  it('is not what a pipe or a file is', () => {
    expect(logFormOf(1, {})).toBe(jsonLines);
  });
});
