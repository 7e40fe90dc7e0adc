import { BlockList, isIP } from 'node:net';
import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import {
  createAddressFilter,
  formatAddress,
  isIpv6,
  parseAddress,
  parseNetwork,
  parseNetworks,
} from '../../src/core/keys/networks.ts';
import { propertyRuns } from '../properties.ts';

describe('a network', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7/32'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['192.168.1.76/31', '192.168.1.76/31'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['FD00:0:0:0:0:0:0:1', 'fd00::1/128'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['2001:db8:0:1:1:1:1:1/128', '2001:db8:0:1:1:1:1:1/128'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3/128'],
    ['::/0', '::/0'],
    ['::ffff:10.1.2.3', '10.1.2.3/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['::FFFF:0:0/96', '0.0.0.0/0'],
    ['64:ff9b::0.0.0.0/96', '64:ff9b::/96'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0/128'],
  ])('%s is kept as %s', (given, kept) => {
    expect(parseNetwork(given)).toBe(kept);
    expect(parseNetwork(kept)).toBe(kept);
  });

  it('is taken by its first address, as the mask says; any other is refused with that', () => {
    const numberOf = (text: string) =>
      text.split('.').reduce((all, byte) => all * 256 + Number(byte), 0);
    const textOf = (number: number) =>
      [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, bits) => {
        const size = 2 ** (32 - bits);
        const first = textOf(Math.floor(numberOf(address) / size) * size);
        const network = `${first}/${bits}`;
        expect(parseNetwork(network)).toBe(network);
        if (first === address) return;
        expect(() => parseNetwork(`${address}/${bits}`)).toThrow(
          expect.objectContaining({ hint: expect.stringContaining(`network, ${network},`) }),
        );
      }),
    );
  });

  it.each([
    '10.1.2.3/8',
    '192.168.1.77/31',
    '0.0.0.1/0',
    '2001:db8::ffff/32',
    '::ffff:10.1.2.3/104',
    '64:ff9b::10.1.2.3/96',
  ])('%s is refused, since it names an address within a network', (text) => {
    expect(() => parseNetwork(text)).toThrow('names an address within a network');
  });

  it.each([
    '',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '/10.0.0.1',
    'x/10.0.0.0/8',
    '10.0.0.0/-1',
    '10.0.0/8',
    '010.0.0.1',
    '10.0.0.256',
    '10.0.0.1 ',
    '１０.0.0.1',
    '10.0.0.0/８',
    'fd00::/129',
    'fd00::1::2',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4:5:6:7',
    ':1:2:3:4:5:6:7',
    'fd00::12345',
    'fe80::1%eth0',
    '[::1]',
    '::ffff:10.0.0.1/95',
    '::10.0.0.256',
    'localhost',
    'g::',
    '10.0.0.1\n',
  ])('%j is none', (given) => {
    expect(() => parseNetwork(given)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });

  it('is kept once, in the given order, and there are at most 100', () => {
    expect(parseNetworks(['fd00::/8', '10.0.0.0/8', '10.0.0.0/8', '::ffff:10.0.0.0/104'])).toEqual([
      'fd00::/8',
      '10.0.0.0/8',
    ]);
    const many = Array.from({ length: 101 }, (_, n) => `10.0.0.${n}`);
    expect(parseNetworks(many.slice(1))).toHaveLength(100);
    expect(() => parseNetworks(many)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  });
});

const mapped = (address: string) => {
  const read = parseAddress(address);
  return read !== undefined && !isIpv6(read) && address.includes(':');
};
const plain = (address: string) => {
  const read = parseAddress(address);
  return read === undefined ? 'none' : formatAddress(read);
};
const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
const anyAddress = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((address) => `::ffff:${address}`),
);

describe('an address', () => {
  it('is read wherever Node reads one, and only there', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(...'0123456789abcdefF:.:.:%/[ '),
      maxLength: 24,
    });
    fc.assert(
      fc.property(fc.oneof(anyAddress, hostile), (text) => {
        const isAddress = isIP(text) !== 0 && !text.includes('%');
        expect(parseAddress(text) !== undefined, text).toBe(isAddress);
      }),
      propertyRuns(3000),
    );
  });

  it('is the same after it was written', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const text = plain(address);
        expect(plain(text)).toBe(text);
        if (text.includes(':')) expect(new URL(`http://[${address}]`).hostname).toBe(`[${text}]`);
      }),
    );
  });
});

describe('the check of a client address', () => {
  const network = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
  );

  it('agrees with Node about any network and any address, near ones too', () => {
    fc.assert(
      fc.property(
        fc.array(network, { minLength: 1, maxLength: 4 }),
        anyAddress,
        fc.nat(127),
        (networks, far, flip) => {
          const usable = networks.filter(([address]) => !mapped(address));
          // One list for each family: in one, Node would find IPv4 addresses in ::/0.
          const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
          for (const [address, bits] of usable)
            lists[familyOf(address)].addSubnet(address, bits, familyOf(address));
          const isAllowed = createAddressFilter(
            usable.map(([address, bits]) => `${address}/${bits}`),
          );
          // An address that differs in one bit from that of a network.
          const near = usable.map(([address]) => {
            const bytes = parseAddress(address)?.toByteArray() ?? [];
            const at = flip % (bytes.length * 8);
            bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (0x80 >> (at & 7));
            return formatAddress(ipaddr.fromByteArray(bytes));
          });
          for (const address of [far, ...near, ...usable.map(([one]) => one)]) {
            // A mapped address counts as IPv4.
            const unmapped = plain(address);
            expect(isAllowed(address), address).toBe(
              lists[familyOf(unmapped)].check(unmapped, familyOf(unmapped)),
            );
          }
        },
      ),
      propertyRuns(1000),
    );
  });

  it('lets nobody in by a stored network that cannot be read, or without an address', () => {
    const isAllowed = createAddressFilter(['10.0.0.0/99', 'nonsense', '192.0.2.0/24']);
    expect([isAllowed('10.0.0.1'), isAllowed('nonsense'), isAllowed('')]).toEqual([
      false,
      false,
      false,
    ]);
    expect([isAllowed('192.0.2.9'), isAllowed('192.0.3.9'), isAllowed('192.0.2.9')]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
