import { randomUUID } from 'node:crypto';
import { type Server as HttpServer, type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { errorTable } from '../../core/errors.ts';
import type { Log } from '../monitoring/log.ts';
import type { ApiCode } from '../request/problem.ts';

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
        // Nobody can read an answer behind a broken encryption, and what is written would wait for a handshake for ever.
        else if (tlsFault.test(error.code ?? '')) socket.destroy();
        else if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
        else refuse(socket, error.code, log);
      });
      // Node would end the connection without a word; whoever takes it has it for himself, its errors and its end included.
      server.on('connect', (_, socket) => {
        socket.on('error', () => socket.destroy());
        // Behind a request that is not answered yet, this would be taken for that answer. Nothing else tells of one.
        if (Reflect.get(socket, '_httpMessage')) {
          socket.destroy();
          return;
        }
        socket.resume();
        refuse(socket, 'CONNECT', log);
        setTimeout(() => socket.destroy(), lingerMs).unref();
      });
      // Node's own answer has no body; see ambiguityOf. Its types know this as an option only.
      Object.assign(server, { requireHostHeader: false });
      // Node drops headers beyond its count without a word, also those that a proxy put last. Their size is limited anyway.
      server.maxHeadersCount = 0;
      // Who asks before it sends its body is answered once its key was judged: see createBodyReader.
      server.on('checkContinue', (req, res) => server.emit('request', req, res));
      // An expectation that nobody knows may be ignored (RFC 9110, section 10.1.1); Node would answer 417 by itself.
      server.on('checkExpectation', (req, res) => server.emit('request', req, res));
    },
    requireClear: (pass) => (req, res) => {
      const why = ambiguityOf(req);
      if (why === undefined) return pass(req, res);
      refused.add(req.socket);
      const { id, status, headers, body } = problemOf(why);
      log.debug({ id, status, code: why }, 'no clear HTTP request');
      res.writeHead(status, STATUS_CODES[status], headers);
      res.end(body);
    },
  };
}

/** Codes of Node and of OpenSSL for what is no TLS, or no longer. */
const tlsFault = /^(?:ERR_TLS|ERR_SSL|EPROTO)/;

function ambiguityOf(req: IncomingMessage): string | undefined {
  // Node takes a request line without a version for one.
  if (req.httpVersionMajor !== 1) return 'HTTP_VERSION';
  const { 'transfer-encoding': coding, host } = req.headers;
  // Node reads any list that ends with chunked, and nobody would undo the others.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return 'TRANSFER_ENCODING';
  // RFC 9112, section 3.2.
  const isHostClear = host === undefined ? req.httpVersionMinor === 0 : hostShape.test(host);
  if (!isHostClear || countHosts(req.rawHeaders) > 1) return 'HOST';
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

/** A target as it stands names the same path to everybody, of this kind of server: no other scheme, no dots to resolve, no slash the other way round, no fragment. */
function isPlainTarget(url: string): boolean {
  // RFC 9112, section 3.2: a path, an absolute URL of HTTP, or the asterisk of OPTIONS.
  if (!url.startsWith('/') && url !== '*' && !/^https?:\/\//i.test(url)) return false;
  if (!suspicious.test(url)) return true;
  const end = url.indexOf('?');
  return !unclear.test(end === -1 ? url : url.slice(0, end)) && !url.includes('#');
}

const suspicious = /[.%\\#]/;
const unclear = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** What never becomes a request: a short problem document, and the connection ends. */
function refuse(socket: Duplex, why: string | undefined, log: Log): void {
  const { id, status, headers, body } = problemOf(why);
  log.debug({ id, status, code: why }, 'no HTTP request');
  const head = headers.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}

/** So long a client may take to read what it was told. */
const lingerMs = 1000;

interface Unclear {
  code: ApiCode;
  detail: string;
  /** Where it is another than that of the code. */
  status?: number;
  headers?: readonly string[];
}

/** What is told to whom, by the code of Node's parser or by what {@link ambiguityOf} found. */
const told: Readonly<Record<string, Unclear>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'too_large',
    status: 431,
    detail: 'The request line and the headers are at most 16 KiB together.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { code: 'too_large', detail: 'The extensions of the chunks are too long.' },
  ERR_HTTP_REQUEST_TIMEOUT: { code: 'unavailable', status: 408, detail: 'The request did not come within the time.' },
  CONNECT: {
    code: 'method_not_allowed',
    detail: 'This is no proxy.',
    headers: ['Allow', 'GET, HEAD, POST'],
  },
  HPE_INVALID_METHOD: badRequest('There is no method of that name, or this is no HTTP.'),
  HPE_INVALID_URL: badRequest('The target holds characters that must be percent-encoded.'),
  HTTP_VERSION: badRequest('The request line names no HTTP/1.0 or HTTP/1.1.'),
  TRANSFER_ENCODING: badRequest('The only Transfer-Encoding is chunked.'),
  HOST: badRequest('There must be one Host header, with a host and a port at most.'),
  TARGET: badRequest('The target must be a path or an http URL, without dots to resolve, backslashes and fragments.'),
};

function badRequest(detail: string): Unclear {
  return { code: 'bad_parameter', detail };
}

const notHttp = badRequest('This is no clear HTTP/1.1 request: its head or the length of its body is broken.');

function problemOf(why: string | undefined) {
  const { code, detail, status = errorTable[code].status, headers = [] } = told[why ?? ''] ?? notHttp;
  const id = randomUUID();
  const title = status === errorTable[code].status ? errorTable[code].title : STATUS_CODES[status];
  const body = JSON.stringify({ type: `urn:hkctl:problem:${code}`, title, status, detail, code, request_id: id });
  const type = ['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(body))];
  const others = ['Connection', 'close', 'X-Content-Type-Options', 'nosniff', 'X-Request-Id', id];
  return { id, status, headers: [...headers, ...others, ...type], body };
}
