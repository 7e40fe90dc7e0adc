import {
  canonicalNetwork,
  createAddressFilter,
  formatAddress,
  isIpv6,
  parseAddress,
} from '../../core/keys/networks.ts';
import { ApiError } from '../answers/problem.ts';
import type { Exchange } from '../request/exchange.ts';

/** Headers that the usual proxies add to a request that they forward. */
const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
] as const;

/**
 * A connection that has closed meanwhile has no peer address. The unspecified address is in no network of a key or proxy, so
 * failed checks of such connections count against no client.
 */
const unknownAddress = '0.0.0.0';

/** Nobody has more proxies in a row. */
const maxHops = 32;

const tooManyHops = new ApiError(
  'bad_parameter',
  `X-Forwarded-For names more than ${maxHops} addresses: each proxy adds one.`,
);

/** Creates the address book of a daemon that believes proxies in some networks. */
export function createAddressBook(trusted: readonly string[]) {
  const isTrusted = createAddressFilter(trusted);
  return {
    /** Reads the address that a trusted proxy reports for a request's client. Throws `bad_parameter` for more than 32 addresses. */
    readForwarded(exchange: Exchange): void {
      const forwarded = trusted.length > 0 ? exchange.header('x-forwarded-for') : undefined;
      if (forwarded === undefined || !isTrusted(peerOf(exchange))) return;
      const hops = forwarded.split(',', maxHops + 1);
      if (hops.length > maxHops) throw tooManyHops;

      // From the right: each proxy appends the address of its peer, and only trusted proxies are believed.
      for (const hop of hops.reverse()) {
        // Proxies differ in how they write an IPv6 address; a key shows the last one in one form.
        const address = parseAddress(withoutZone(withoutPort(hop.trim())));
        if (address === undefined) return;
        exchange.forwardedFor = formatAddress(address);
        if (!isTrusted(exchange.forwardedFor)) return;
      }
    },

    /** The client address of a request: the peer, or the address that a trusted proxy reports. */
    clientOf(exchange: Exchange): string {
      return exchange.forwardedFor ?? peerOf(exchange);
    },

    /** Whether the client is on this machine and no proxy header says that the request was forwarded. */
    isLoopback(exchange: Exchange): boolean {
      const isForwarded = proxyHeaders.some(
        (headerName) => exchange.header(headerName) !== undefined,
      );
      return !isForwarded && isLoopbackAddress(peerOf(exchange));
    },
  };
}

export type AddressBook = ReturnType<typeof createAddressBook>;

/** The network that limits count as one client: an IPv4 address, or the /64 of an IPv6 one, which one household has. */
export function networkOf(addressText: string): string {
  if (!addressText.includes(':')) return addressText;
  const address = parseAddress(addressText);
  return address === undefined ? addressText : canonicalNetwork(address, 64);
}

/** Whether a server that listens on a host is reachable from this machine only. */
export function isLoopbackAddress(host: string): boolean {
  const address = parseAddress(host.replace(/^\[(.*)\]$/, '$1'));
  return host === 'localhost' || address?.range() === 'loopback';
}

function peerOf({ peer }: Exchange): string {
  return plainAddress(peer ?? unknownAddress);
}

/** Some proxies add the port: `192.0.2.7:5678`, `[2001:db8::7]:5678`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(hop);
  const match = bracketed ?? /^([\d.]+):\d+$/.exec(hop);
  return match?.[1] ?? hop;
}

/** Without its zone: `fe80::1%eth0` is an address of the interface eth0. */
function withoutZone(address: string): string {
  const zoneIndex = address.indexOf('%');
  return zoneIndex === -1 ? address : address.slice(0, zoneIndex);
}

/** Removes a zone, and writes an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2), in any notation, as IPv4. */
export function plainAddress(addressText: string): string {
  const bareAddress = withoutZone(addressText);
  // Most are IPv4 already, and among IPv6 addresses only a mapped one has the group ffff.
  if (!bareAddress.includes(':') || !/ffff/i.test(bareAddress)) return bareAddress;
  const address = parseAddress(bareAddress);
  return address === undefined || isIpv6(address) ? bareAddress : formatAddress(address);
}
