import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { HkctlError } from '../errors.ts';

/** Reads a CIDR network or one address to canonical form (RFC 5952; IPv4-mapped as IPv4). Throws `bad_input`, also for host bits. */
export function parseNetwork(networkText: string): string {
  const network = readNetwork(networkText);
  if (!network) {
    throw new HkctlError('bad_input', `"${networkText}" is not an address or network.`, {
      hint: 'Give one such as 10.0.0.7, 10.0.0.0/8 or fd00::/8.',
    });
  }
  requireNoHostBits(networkText, network);
  return canonicalNetwork(network.address, network.bits);
}

/** 10.0.0.5/8 is meant as one address by some and as all of 10.0.0.0/8 by others: a typing error must not open a network. */
function requireNoHostBits(networkText: string, { address, bits }: Network): void {
  const canonical = canonicalNetwork(address, bits);
  const typedAddress = formatAddress(address);
  if (canonical === `${typedAddress}/${bits}`) return;

  throw new HkctlError('bad_input', `"${networkText}" names an address within a network.`, {
    hint: `Give the network, ${canonical}, or the address, ${typedAddress}.`,
  });
}

/** Reads the networks of one key, each kept once in the given order; `bad_input` also for more than 100. */
export function parseNetworks(networkTexts: readonly string[]): string[] {
  const networks = [...new Set(networkTexts.map(parseNetwork))];
  if (networks.length <= networksLimit) return networks;

  throw new HkctlError(
    'bad_input',
    `A key takes at most ${networksLimit} networks; these are ${networks.length}.`,
    {
      hint: 'Join them into larger networks.',
    },
  );
}

const networksLimit = 100;

/** Builds the check whether a client address is in one of some networks. An IPv4-mapped address counts as IPv4. */
export function createAddressFilter(networks: readonly string[]): (address: string) => boolean {
  const allowedNetworks = networks.map(readNetwork).filter((network) => network !== undefined);
  // Most requests with a key come from the same address as the one before.
  let lastCheck: { text: string; isAllowed: boolean } | undefined;

  return (addressText) => {
    if (lastCheck?.text !== addressText) {
      const address = parseAddress(addressText);
      const isAllowed =
        address !== undefined && allowedNetworks.some((network) => contains(network, address));
      lastCheck = { text: addressText, isAllowed };
    }
    return lastCheck.isAllowed;
  };
}

type Address = IPv4 | IPv6;

/** Reads an address without a zone, an IPv4-mapped one (RFC 4291, section 2.5.5.2) as IPv4; undefined if it is none. */
export function parseAddress(addressText: string): Address | undefined {
  const { isIP } = process.getBuiltinModule('node:net');
  // ipaddr.js alone would also read 10.1 and 0x7f000001, which other programs may take for other addresses.
  if (isIP(addressText) === 0 || addressText.includes('%')) {
    return undefined;
  }
  return ipaddr.process(addressText);
}

/** An address as text, in the form of RFC 5952 for IPv6. */
export function formatAddress(address: Address): string {
  return isIpv6(address) ? address.toRFC5952String() : address.toString();
}

/** The network of so many bits that an address is in, such as `10.0.0.0/8`. */
export function canonicalNetwork(address: Address, bits: number): string {
  const addressInNetwork = `${address.toString()}/${bits}`;
  const networkAddress = isIpv6(address)
    ? ipaddr.IPv6.networkAddressFromCIDR(addressInNetwork)
    : ipaddr.IPv4.networkAddressFromCIDR(addressInNetwork);
  return `${formatAddress(networkAddress)}/${bits}`;
}

export function isIpv6(address: Address): address is IPv6 {
  return address.kind() === 'ipv6';
}

interface Network {
  address: Address;
  bits: number;
}

function readNetwork(networkText: string): Network | undefined {
  const networkMatch = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(networkText);
  const [, addressText = '', bitsText] = networkMatch ?? [];
  const address = parseAddress(addressText);
  if (address === undefined) return undefined;

  const addressBits = isIpv6(address) ? 128 : 32;
  if (bitsText === undefined) return { address, bits: addressBits };

  // The length of an IPv4-mapped network counts 96 bits before its IPv4 part. A wider one than all of IPv4 would contain no
  // client, since mapped addresses count as IPv4.
  const isMapped = addressBits === 32 && addressText.includes(':');
  const bits = Number(bitsText) - (isMapped ? 96 : 0);
  return bits >= 0 && bits <= addressBits ? { address, bits } : undefined;
}

function contains(network: Network, address: Address): boolean {
  if (network.address.kind() !== address.kind()) {
    return false;
  }
  return address.match(network.address, network.bits);
}
