import { HkctlError } from '../errors.ts';

/** Reads a CIDR network or one address to canonical form (RFC 5952; IPv4-mapped as IPv4). Throws `bad_input`, also for host bits. */
export function parseNetwork(text: string): string {
  const network = readNetwork(text);
  if (network) {
    const canonical = `${formatGroups(network.groups)}/${network.bits}`;
    requireNoHostBits(text, network, canonical);
    return canonical;
  }
  throw new HkctlError('bad_input', `"${text}" is not an address or network.`, {
    hint: 'Give one such as 10.0.0.7, 10.0.0.0/8 or fd00::/8.',
  });
}

/** 10.0.0.5/8 is meant as one address by some and as all of 10.0.0.0/8 by others: a typing error must not open a network. */
function requireNoHostBits(text: string, { groups }: Network, canonical: string): void {
  const [address = ''] = text.split('/');
  const typed = parseAddress(address) ?? [];
  if (typed.every((group, at) => group === groups[at])) return;
  throw new HkctlError('bad_input', `"${text}" names an address within a network.`, {
    hint: `Give the network, ${canonical}, or the address, ${formatGroups(typed)}.`,
  });
}

/** Reads the networks of one key, each kept once in the given order; `bad_input` also for more than 100. */
export function parseNetworks(texts: readonly string[]): string[] {
  const networks = [...new Set(texts.map(parseNetwork))];
  if (networks.length <= mostNetworks) return networks;
  throw new HkctlError(
    'bad_input',
    `A key takes at most ${mostNetworks} networks; these are ${networks.length}.`,
    {
      hint: 'Join them into larger networks.',
    },
  );
}

const mostNetworks = 100;

/** Builds the check whether a client address is in one of some networks. An IPv4-mapped address counts as IPv4. */
export function createAddressFilter(networks: readonly string[]): (address: string) => boolean {
  const known = networks.map(readNetwork).filter((network) => network !== undefined);
  // Most requests with a key come from the same address as the one before.
  let last: { address: string; allowed: boolean } | undefined;
  return (address) => {
    if (last?.address !== address) {
      const groups = parseAddress(address);
      last = {
        address,
        allowed: groups !== undefined && known.some((network) => contains(network, groups)),
      };
    }
    return last.allowed;
  };
}

/** The groups of 16 bits of an address: two for IPv4, also IPv4-mapped, and eight for IPv6; undefined if it is none. */
export function parseAddress(text: string): readonly number[] | undefined {
  const groups = readGroups(text);
  return groups && isMapped(groups) ? groups.slice(6) : groups;
}

/** An address as text, in the form of RFC 5952 for IPv6, from {@link parseAddress}. */
export function formatGroups(groups: readonly number[]): string {
  if (groups.length === 2) return groups.flatMap((group) => [group >> 8, group & 255]).join('.');
  return canonicalIpv6(groups.map((group) => group.toString(16)).join(':'));
}

interface Network {
  groups: readonly number[];
  bits: number;
}

function readNetwork(text: string): Network | undefined {
  const [, address = '', given] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const groups = readGroups(address);
  if (groups === undefined) return undefined;
  const bits = given === undefined ? groups.length * 16 : Number(given);
  if (bits > groups.length * 16) return undefined;
  if (!isMapped(groups)) return masked(groups, bits);
  // A wider network than all of IPv4 would contain no client, since mapped addresses count as IPv4.
  return bits < 96 ? undefined : masked(groups.slice(6), bits - 96);
}

function masked(groups: readonly number[], bits: number): Network {
  return { groups: groups.map((group, at) => group & maskOf(bits - at * 16)), bits };
}

function contains({ groups, bits }: Network, address: readonly number[]): boolean {
  if (groups.length !== address.length) return false;
  return groups.every((group, at) => group === ((address[at] ?? 0) & maskOf(bits - at * 16)));
}

/** The mask of a group of which `bits` bits belong to the network. */
function maskOf(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 16 ? 0xffff : 0xffff & (0xffff << (16 - bits));
}

function isMapped(groups: readonly number[]): boolean {
  return (
    groups.length === 8 && groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  );
}

function readGroups(text: string): number[] | undefined {
  if (!text.includes(':')) return readIpv4(text);
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  const [head = [], tail = []] = canonicalIpv6(text)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** The form of RFC 5952, in which a URL has an IPv6 address. */
function canonicalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function readIpv4(text: string): number[] | undefined {
  const bytes = text.split('.');
  // Some programs read a leading zero as octal.
  if (
    bytes.length !== 4 ||
    !bytes.every((byte) => /^(0|[1-9]\d{0,2})$/.test(byte) && Number(byte) < 256)
  )
    return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return [(a << 8) | b, (c << 8) | d];
}
