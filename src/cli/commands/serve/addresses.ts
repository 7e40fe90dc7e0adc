import { isIP } from 'node:net';
import { HkctlError } from '../../../core/errors.ts';

/** Reads a port, of which 0 means any free one. Throws `usage`. */
export function parsePort(typedPort: string): number {
  const port = Number(typedPort);
  if (/^\d{1,5}$/.test(typedPort) && port <= 65_535) return port;
  throw new HkctlError('usage', `"${typedPort}" is not a port: give a number from 0 to 65535.`);
}

/** Labels of letters, digits and hyphens (RFC 1123, section 2.1), the last of them not a number. */
const hostName =
  /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*(?!\d+\.?$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;

/** Reads an IP address, in brackets or not, or the name of this machine. Throws `usage`. */
export function parseHost(typedHost: string): string {
  const address = withoutBrackets(typedHost);
  const isHostName = address === typedHost && hostName.test(typedHost);
  if (isIP(address) !== 0 || isHostName) return address;
  throw new HkctlError(
    'usage',
    `"${typedHost}" is not an address: give an IP address or a host name, such as 0.0.0.0, :: or plant.local.`,
    { hint: 'The port has a flag of its own: --port.' },
  );
}

/**
 * Reads an origin as browsers send it: scheme, host and port in lower case, without the default port (RFC 6454, section 6.2). No
 * other form would ever match. Throws `usage`.
 */
export function parseOrigin(typedOrigin: string): string {
  const origin = originOf(typedOrigin);
  if (origin === typedOrigin) return typedOrigin;
  const isList = /[,; ]/.test(typedOrigin);
  const hint = isList ? 'Give the flag once for each origin.' : origin && `Did you mean ${origin}?`;
  throw new HkctlError(
    'usage',
    `"${typedOrigin}" is not an origin: give http or https, the host in lower case and a port that is not the default, such as https://plant.example.com or http://localhost:3000.`,
    { hint },
  );
}

/** An IPv6 address without the brackets that separate it from a port. */
function withoutBrackets(host: string): string {
  return host.replace(/^\[(.+)\]$/, '$1');
}

/** The origin of an http or https address; undefined for any other text. */
function originOf(urlText: string): string | undefined {
  try {
    const { origin, protocol, hostname } = new URL(urlText);
    const isHost = hostName.test(hostname) || isIP(withoutBrackets(hostname)) !== 0;
    return /^https?:$/.test(protocol) && isHost ? origin : undefined;
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
