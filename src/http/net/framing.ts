import { randomUUID } from 'node:crypto';
import {
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { errorTable } from '../../core/errors.ts';
import { type ApiCode, problemDocument } from '../answers/problem.ts';
import type { BodyPace } from '../fairness/body-pace.ts';
import type { Log } from '../monitoring/log.ts';
import { answerOf, connectionOf } from './connections/table.ts';
import { closeSoon, endWithBody } from './lingering.ts';

/**
 * Protects the HTTP framing of a server: which bytes of a connection form a request. Our own, since Node's parser accepts what a
 * proxy may read differently, and a framework sees a request only behind it.
 */
export function createFraming(log: Log, pace: Pick<BodyPace, 'discard'>) {
  /** Connections that are being closed after a refusal: further bytes on them are ignored. */
  const refused = new WeakSet<Duplex>();
  /** Connections on which requests are still being answered that came before bytes that are no HTTP. */
  const answering = new WeakSet<Duplex>();

  /** Refuses after the answers to earlier requests: a gateway would take the refusal for the answer to readings that are stored. */
  const refuseInTurn = (socket: Duplex, reason: string | undefined): void => {
    const answer = answerOf(connectionOf(socket));
    if (answer?.req.complete) {
      answering.add(socket);
      answer.once('close', () => refuseInTurn(socket, reason));
      return;
    }
    answering.delete(socket);
    refused.add(socket);
    // A second answer to one request would be taken for that to the next one.
    if (answer?.headersSent) closeSoon(socket);
    else if (socket.writable) refuse(socket, reason, log);
  };
  return {
    /** Answers bytes that are no HTTP with a problem document; Node by itself would drop or refuse them without one. */
    guard(server: HttpServer | HttpsServer): void {
      server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
        // Node goes on reading, and calls this for all further bytes.
        if (answering.has(socket)) return;
        if (refused.has(socket)) socket.end();
        // The client cannot read an answer after a TLS error, and a write would wait for a handshake for ever.
        else if (tlsFault.test(code) || code === 'ECONNRESET' || !socket.writable) socket.destroy();
        else refuseInTurn(socket, code);
      });
      // Without a listener Node closes the connection without an answer; a listener also has to handle its errors and its end.
      server.on('connect', (_, socket) => {
        socket.on('error', () => socket.destroy());
        // The client would take a refusal for the answer to an earlier request.
        if (answerOf(connectionOf(socket))) {
          socket.destroy();
          return;
        }
        socket.resume();
        refuse(socket, 'CONNECT', log);
      });
      // Node's own answer has no body; see ambiguityOf. Its types have this as an option of the constructor only.
      Object.assign(server, { requireHostHeader: false });
      // Beyond its count Node drops headers silently, also those that a proxy added last. Their size is limited anyway.
      server.maxHeadersCount = 0;
      // A client that expects 100 Continue gets it once its key is authenticated: see BodyReader. An unknown expectation
      // may be ignored (RFC 9110, section 10.1.1); Node by itself would answer 417.
      for (const event of ['checkContinue', 'checkExpectation']) {
        server.on(event, (req, res) => server.emit('request', req, res));
      }
    },

    /** Refuses a request that a proxy in front may have read differently: it gets 400, and the connection closes. Tells whether it did. */
    refusesAmbiguous(req: IncomingMessage, res: ServerResponse): boolean {
      const reason = ambiguityOf(req);
      if (reason === undefined) return false;
      refused.add(req.socket);
      const { id, status, headers, body } = problemOf(reason);
      log.unkeyed('debug', { id, status, code: reason }, 'ambiguous HTTP request');
      res.writeHead(status, STATUS_CODES[status], headers);
      if (req.complete) res.end(body);
      else endWithBody(pace, req, res, body, 'utf8');
      return true;
    },
  };
}

export type Framing = ReturnType<typeof createFraming>;

/** Codes of Node and OpenSSL for bytes that are not valid TLS. */
const tlsFault = /^(?:ERR_TLS|ERR_SSL|EPROTO)/;

function ambiguityOf(req: IncomingMessage): string | undefined {
  // Node accepts a request line without a version.
  if (req.httpVersionMajor !== 1) return 'HTTP_VERSION';

  const { 'transfer-encoding': transferCoding, host } = req.headers;
  // Node accepts any list that ends with chunked, and would not decode the others; HTTP/1.0 has no codings (RFC 9112, section 6.1).
  const isPlainCoding = transferCoding?.toLowerCase() === 'chunked' && req.httpVersionMinor > 0;
  if (transferCoding !== undefined && !isPlainCoding) return 'TRANSFER_ENCODING';

  // RFC 9112, section 3.2.
  const isHostValid = host === undefined ? req.httpVersionMinor === 0 : hostShape.test(host);
  const isHostUnique = countHosts(req.rawHeaders) <= 1;
  if (!isHostValid || !isHostUnique) return 'HOST';

  return isPlainTarget(req.url ?? '') ? undefined : 'TARGET';
}

const hostShape = /^[\w.~!$&'()*+,;=%:[\]-]*$/;

function countHosts(rawHeaders: readonly string[]): number {
  let hostCount = 0;
  for (let nameIndex = 0; nameIndex < rawHeaders.length; nameIndex += 2) {
    const headerName = rawHeaders[nameIndex];
    if (headerName?.length === 4 && headerName.toLowerCase() === 'host') hostCount++;
  }
  return hostCount;
}

/** Whether every server and proxy reads the same path in a target: no other scheme, dot segment, backslash or fragment. */
function isPlainTarget(url: string): boolean {
  // RFC 9112, section 3.2: a path, an absolute URL of HTTP, or the asterisk of OPTIONS.
  const isAbsolute = /^https?:\/\//i.test(url);
  if (!url.startsWith('/') && url !== '*' && !isAbsolute) return false;
  if (!needsCheck.test(url)) return true;

  const queryStart = url.indexOf('?');
  const pathPart = queryStart === -1 ? url : url.slice(0, queryStart);
  return !ambiguousPath.test(pathPart) && !url.includes('#');
}

const needsCheck = /[.%\\#]/;
const ambiguousPath = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Answers bytes that are no request with a short problem document, and closes the connection. */
function refuse(socket: Duplex, reason: string | undefined, log: Log): void {
  const { id, status, headers, body } = problemOf(reason);
  log.unkeyed('debug', { id, status, code: reason }, 'no HTTP request');
  const headText = headers
    .map((headerPart, index) => (index % 2 === 0 ? `${headerPart}: ` : `${headerPart}\r\n`))
    .join('');
  closeSoon(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headText}\r\n${body}`);
}

interface Refusal {
  code: ApiCode;
  detail: string;
  /** The status, if it differs from that of the code. */
  status?: number;
  headers?: readonly string[];
}

/** Refusals by the code of Node's parser or the result of {@link ambiguityOf}. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'too_large',
    status: 431,
    detail: 'The request line and the headers are at most 16 KiB together.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: 'too_large',
    detail: 'The extensions of the chunks are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'unavailable',
    status: 408,
    detail: 'The request did not arrive in time.',
  },
  CONNECT: {
    code: 'method_not_allowed',
    detail: 'This server is not a proxy.',
    headers: ['Allow', 'GET, HEAD, POST'],
  },
  HPE_INVALID_METHOD: badRequest('The method is unknown, or this is not HTTP.'),
  HPE_INVALID_URL: badRequest('The target holds characters that must be percent-encoded.'),
  HTTP_VERSION: badRequest('The request line must name HTTP/1.0 or HTTP/1.1.'),
  TRANSFER_ENCODING: badRequest(
    'Only Transfer-Encoding chunked is supported, and only with HTTP/1.1.',
  ),
  HOST: badRequest('There must be one Host header, with a host and a port at most.'),
  TARGET: badRequest(
    'The target must be a path or an http URL, without dots to resolve, backslashes and fragments.',
  ),
};

function badRequest(detail: string): Refusal {
  return { code: 'bad_parameter', detail };
}

const notHttp = badRequest(
  'This is not a valid HTTP/1.1 request: its head or the length of its body is malformed.',
);

function problemOf(reason: string | undefined) {
  const {
    code,
    detail,
    status = errorTable[code].status,
    headers = [],
  } = refusals[reason ?? ''] ?? notHttp;
  const id = randomUUID();
  const body = problemDocument(code, status, detail, id);
  const bodyHeaders = [
    'Content-Type',
    'application/problem+json',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ];
  const connectionHeaders = [
    'Connection',
    'close',
    'X-Content-Type-Options',
    'nosniff',
    'X-Request-Id',
    id,
  ];
  return { id, status, headers: [...headers, ...connectionHeaders, ...bodyHeaders], body };
}
