import { describe, expect, it } from 'vitest';
import { Anchors, anchorIn } from '../../../src/core/audit/anchors.ts';

const hash = 'ab'.repeat(32);
const other = 'cd'.repeat(32);
const line = `{"level":"info","time":"2026-11-20T08:00:00.000Z","count":12,"head":"${hash}","msg":"audit head"}`;

describe('a line of a log', () => {
  it.each([
    ['as the daemon writes it', line],
    ['behind the prefix of journald or syslog', `Nov 20 08:00:00 plant hkctl[123]: ${line}`],
    ['of journalctl -o json', JSON.stringify({ _PID: '123', MESSAGE: line, PRIORITY: '6' })],
    ['of docker', JSON.stringify({ log: `${line}\n`, stream: 'stdout' })],
    ['of containerd', `2026-11-20T08:00:00.000000000Z stdout F ${line}`],
    ['with other members', line.replace('{', '{"host":"plant","n":{"x":1},')],
  ])('names a head %s', (_, text) => {
    expect(anchorIn(text)).toEqual({ count: 12, hash });
  });

  it.each([
    [
      'of a request',
      '{"level":"info","url":"/api/v1/parts?x=audit%20head","status":200,"msg":"request"}',
    ],
    [
      'whose URL speaks of one',
      `{"level":"info","url":"{\\"msg\\":\\"audit head\\"}","msg":"request"}`,
    ],
    ['that a power failure cut off', line.slice(0, -5)],
    ['without a brace', 'audit head'],
    ['that is not an object', '{"a":1} audit head'],
    ['without a count', line.replace('"count":12,', '')],
    ['with half a record', line.replace('12', '12.5')],
    ['of an empty chain', line.replace('12', '0')],
    ['with a count as text', line.replace('12', '"12"')],
    ['with a hash cut short', line.replace(hash, hash.slice(1))],
    ['with something behind the hash', line.replace(hash, `${hash}0`)],
    ['wrapped too often', JSON.stringify({ log: JSON.stringify({ log: line }) })],
  ])('names none: one %s', (_, text) => {
    expect(anchorIn(text)).toBeUndefined();
  });
});

describe('anchors', () => {
  const whole = (records: number) => ({ records, broken: null });
  const held = (anchors: Anchors, hashes: readonly string[]) => {
    for (const [at, hash] of hashes.entries()) anchors.watch({ seq: at + 1, hash });
    return anchors.report(whole(hashes.length));
  };
  const of = (...heads: [count: number, hash: string][]) => {
    const anchors = new Anchors();
    for (const [count, hash] of heads) anchors.add({ count, hash });
    return anchors;
  };

  it('match a chain that contains all of them', () => {
    expect(held(of([2, hash], [3, other], [2, hash]), ['a', hash, other])).toEqual({
      count: 2,
      broken: null,
    });
  });

  it('report the first record that differs', () => {
    const broken = { seq: 2, reason: 'another record was here when the log was written' };
    expect(held(of([3, hash], [2, other]), ['a', hash, other])).toEqual({ count: 2, broken });
  });

  it('match no chain where they contradict each other', () => {
    expect(held(of([2, hash], [2, other]), ['a', hash]).broken?.seq).toBe(2);
    expect(held(of([2, other], [2, hash]), ['a', hash]).broken?.seq).toBe(2);
  });

  it('report where a chain ends too early', () => {
    const broken = { seq: 3, reason: 'the log names records up to 9, which are missing' };
    expect(held(of([9, hash], [5, hash], [1, 'a']), ['a', hash])).toEqual({ count: 3, broken });
  });

  it('report nothing beyond the break of a broken chain', () => {
    const anchors = of([9, hash]);
    expect(anchors.report({ records: 2, broken: { seq: 3, reason: '' } }).broken).toBeNull();
  });
});
