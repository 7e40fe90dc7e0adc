import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Log } from './log.ts';

/** What stands between a connection and its requests. */
export interface Framing {
  /** Answers properly what is no HTTP, and keeps Node from dropping or refusing by itself what it was sent. */
  guard(server: HttpServer | HttpsServer): void;
  /** Lets only requests pass that no proxy in front can have read in another way; the others get 400 and no second try. */
  requireClear(pass: RequestListener): RequestListener;
}

/** Builds the framing of a server. */
export function createFraming(log: Log): Framing {
  /** Connections that had their answer and are being closed: what follows on them is nobody's. */
  const refused = new WeakSet<Duplex>();
  return {
    guard(server) {
      server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        if (refused.has(socket)) socket.end();
        else refuse(error, socket, log);
      });
      // Node drops headers beyond its count without a word, also those that a proxy put last. Their size is limited anyway.
      server.maxHeadersCount = 0;
      // Who asks before it sends its body is answered once its key was judged: see readText.
      server.on('checkContinue', (req, res) => server.emit('request', req, res));
      // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1); Node would answer 417 by itself.
      server.on('checkExpectation', (req, res) => server.emit('request', req, res));
    },
    requireClear: (pass) => (req, res) => {
      const why = ambiguityOf(req);
      if (why === undefined) return pass(req, res);
      refused.add(req.socket);
      const { id, headers, body } = problemOf(400);
      log.debug({ id, status: 400, code: why }, 'no clear HTTP request');
      res.writeHead(400, STATUS_CODES[400], headers);
      res.end(body);
    },
  };
}

function ambiguityOf(req: IncomingMessage): string | undefined {
  // Node takes a request line without a version for one.
  if (req.httpVersionMajor !== 1) return 'HTTP_VERSION';
  const { 'transfer-encoding': coding, host } = req.headers;
  // Node reads any list that ends with chunked, and nobody would undo the others.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'TRANSFER_ENCODING';
  // RFC 9112, section 3.2.
  if (host !== undefined && (!hostShape.test(host) || countHosts(req.rawHeaders) > 1)) return 'HOST';
  return isPlainTarget(req.url ?? '') ? undefined : 'TARGET';
}

const hostShape = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

function countHosts(raw: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** A target as it stands names the same path to everybody: no dots to resolve, no slash the other way round, no fragment. */
function isPlainTarget(url: string): boolean {
  if (!suspicious.test(url)) return true;
  const end = url.indexOf('?');
  return !unclear.test(end === -1 ? url : url.slice(0, end)) && !url.includes('#');
}

const suspicious = /[.%\\#]/;
const unclear = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What Node's parser refused never becomes a request: a short problem document, and the connection ends. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex, log: Log): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses[error.code ?? ''] ?? 400;
  const { id, headers, body } = problemOf(status);
  log.debug({ id, status, code: error.code }, 'no HTTP request');
  const head = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}

/** A problem document without a code: there was no request that one could be about. */
function problemOf(status: number): { id: string; headers: string[]; body: string } {
  const id = randomUUID();
  const title = STATUS_CODES[status] ?? 'Bad Request';
  const body = JSON.stringify({ type: 'about:blank', title, status, request_id: id });
  const type = ['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(body))];
  const others = ['Connection', 'close', 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', id];
  return { id, headers: [...others, ...type], body };
}
