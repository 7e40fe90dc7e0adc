import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type Server as HttpsServer } from 'node:https';
import { createServer as createProbe } from 'node:net';
import { networkInterfaces } from 'node:os';
import { listen } from 'listhen';
import { HkctlError } from '../../core/errors.ts';
import type { ServeSettings } from '../../core/operations/settings.ts';
import { isLoopbackAddress } from '../auth/client-addresses.ts';
import { type Certificate, readContext } from './tls.ts';

/** Opens the port of the settings. Throws `bad_input` if that cannot be done. */
export async function openPort(
  listener: RequestListener,
  settings: ServeSettings,
  certificate: Certificate | undefined,
) {
  const { host } = settings;
  const port = await freePort(host, settings.port);
  const listening = await listen(listener, {
    hostname: host,
    port,
    https: certificate ?? false,
    // listhen's own closing would drop answers in progress, and its search would silently take another port.
    autoClose: false,
    isProd: true,
    isTest: true,
    public: !isLoopbackAddress(host),
    showURL: false,
    ws: false,
  });
  const server = listening.server as HttpServer | HttpsServer; // listhen types it as the base of both
  return { server, host, url: urlOf(certificate, host, port) };
}

/** The connections that wait while no daemon accepts them; Linux allows 4096 by default. */
const backlog = 4096;

/**
 * Serves a socket that another process, such as systemd, has opened and keeps open: while one daemon follows another,
 * connections wait instead of being refused. Throws `bad_input` if the descriptor is no TCP socket.
 */
export async function adoptSocket(
  fd: number,
  listener: RequestListener,
  certificate: Certificate | undefined,
) {
  const server = certificate
    ? createTlsServer(readContext(certificate), listener)
    : createServer(listener);

  const cause = await new Promise<unknown>((resolve) => {
    server.once('error', resolve);
    server.listen({ fd, backlog }, () => resolve(undefined));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') {
    server.close();
    throw new HkctlError(
      'bad_input',
      `The file descriptor ${fd} from the service manager is no TCP socket.`,
      {
        hint: 'Give an address and a port in ListenStream= of the socket unit, such as 127.0.0.1:8420.',
        cause,
      },
    );
  }
  const host = address.address;
  return { server, host, url: urlOf(certificate, host, address.port) };
}

function urlOf(certificate: Certificate | undefined, host: string, port: number): string {
  const reachableHost = isAnyAddress(host) ? (ownAddress() ?? host) : host;
  const needsBrackets = reachableHost.includes(':') && !reachableHost.startsWith('[');
  const urlHost = needsBrackets ? `[${reachableHost}]` : reachableHost;
  return `${certificate ? 'https' : 'http'}://${urlHost}:${port}`;
}

/** Whether a server on this host listens on every address of the machine. */
export function isAnyAddress(host: string): boolean {
  return ['0.0.0.0', '::', '[::]'].includes(host);
}

/** An address of this machine that others can reach, IPv4 first; undefined without a network. */
function ownAddress(): string | undefined {
  const candidates = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    // A link-local IPv6 address means nothing without the interface of its client.
    .filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
  const ipv4 = candidates.find(({ family }) => family === 'IPv4');
  return (ipv4 ?? candidates[0])?.address;
}

/** Checks a port before listhen tries: it replaces 0 by its default port, and waits for a port that is in use. */
function freePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createProbe();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(host, port, error)));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const portNumber = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(portNumber));
    });
  });
}

function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): HkctlError {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program has that port',
    EACCES: 'ports below 1024 need more rights',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this machine has no such address',
  };
  return new HkctlError(
    'bad_input',
    `Cannot listen on ${host} port ${port}: ${reasons[error.code ?? ''] ?? error.code}.`,
    {
      hint: 'Give another --host or --port; --port 0 takes any that is free.',
      cause: error,
    },
  );
}
