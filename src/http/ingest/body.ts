import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { errnoOf } from '../../core/errors.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import { FairScheduler } from '../../core/sharing/fair-queue.ts';
import { quotedText } from '../../core/text/shown-text.ts';
import { wordList } from '../../core/text/words.ts';
import { ApiError } from '../answers/problem.ts';
import type { BodyPace } from '../fairness/body-pace.ts';
import { type Budget, tooMuch } from '../fairness/budget.ts';
import type { Exchange } from '../request/exchange.ts';
import { type BodyFormat, formatHint, notInFormat } from './body-formats.ts';

/** The largest body in bytes, both as sent and after decompression. */
export const maxBodyBytes = 8 * 1024 * 1024;

/** The highest compression ratio of the deflate format. */
const maxExpansion = 1032;

/** Bodies that are decompressed at the same time. */
const decompressedAtOnce = 2;

/**
 * Reads bodies, plain or gzip, in the pieces in which they came. A long body, or one that arrives in pieces, holds a reservation of
 * `memory` for its key until it is answered.
 */
export class BodyReader {
  readonly #memory: Budget;
  readonly #pace: BodyPace;
  readonly #decompressions = new FairScheduler(decompressedAtOnce);

  constructor(memory: Budget, pace: BodyPace) {
    this.#memory = memory;
    this.#pace = pace;
  }

  /**
   * Synchronous if the whole body has arrived. Throws `too_large`, `unsupported_media_type`, `bad_json` or `unavailable`.
   */
  read(exchange: Exchange, keyId: string): MaybePromise<readonly Buffer[]> {
    const contentEncoding = exchange.header('content-encoding') ?? 'identity';
    const coding = contentEncoding.toLowerCase();
    if (coding !== 'identity' && coding !== 'gzip' && coding !== 'x-gzip') {
      throw new ApiError(
        'unsupported_media_type',
        `Content-Encoding ${quotedText(contentEncoding, 40)} is not supported; send gzip or identity.`,
        {
          headers: ['Accept-Encoding', 'gzip, identity'],
        },
      );
    }
    if (Number(exchange.header('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
    const receivedPieces = this.#receive(exchange, keyId);
    if (coding === 'identity') return receivedPieces;
    return chain(receivedPieces, (pieces) =>
      this.#decompress(exchange, Buffer.concat(pieces), keyId),
    );
  }

  #receive(exchange: Exchange, keyId: string): MaybePromise<readonly Buffer[]> {
    const { req, res } = exchange.node;
    // Even if the body is already here: Node closes the connection if the response comes without a 100 before it.
    if (exchange.awaitsContinue) res.writeContinue();
    exchange.awaitsContinue = false;
    if (req.complete && req.readableLength <= maxBodyBytes) {
      const wholeBody: Buffer | null = req.read();
      // A second read of an empty stream lets it end.
      req.read();
      return wholeBody === null ? [] : [wholeBody];
    }
    const reservation = this.#memory.hold(0, keyId);
    exchange.bodyReservation = reservation;
    this.#pace.readInSteps(req);
    return readPieces(req, (bytes) => this.#memory.grow(reservation, bytes));
  }

  /**
   * Decompresses off the main thread and up to the limit, which stops a decompression bomb. The reservation covers the largest
   * possible result, so that many small bombs at once cannot fill the memory.
   */
  async #decompress(
    exchange: Exchange,
    compressed: Buffer,
    keyId: string,
  ): Promise<readonly Buffer[]> {
    exchange.bodyReservation?.release();
    const reservation = await this.#memory.reserve(
      compressed.length + Math.min(maxBodyBytes, compressed.length * maxExpansion),
      keyId,
    );
    exchange.bodyReservation = reservation;
    try {
      const options = { maxOutputLength: maxBodyBytes, chunkSize: chunkSizeFor(compressed) };
      const body = await this.#decompressions.run(keyId, () =>
        promisify(gunzip)(compressed, options),
      );
      reservation.resize(body.length);
      return [body];
    } catch (thrown) {
      if (errnoOf(thrown) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new ApiError('bad_json', 'The body is not complete, valid gzip.', {
        title: 'Body is not gzip',
        cause: thrown,
      });
    }
  }
}

/**
 * A body without the byte order mark that some systems put before their text. Throws `bad_json` if JSON is not UTF-8; in a
 * format of lines, a line that is not is rejected by itself.
 */
export function requireUtf8(body: Buffer, format: BodyFormat): Buffer {
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  const unmarkedBody = hasMark ? body.subarray(3) : body;
  if (isUtf8(unmarkedBody)) return unmarkedBody;

  const hint = formatHint(body, format);
  if (hint !== undefined || format === 'JSON')
    throw notInFormat(format, hint ?? 'The body is not UTF-8.');
  return unmarkedBody;
}

/** The media type of a body, in lower case and without its parameters; throws `unsupported_media_type`. */
export function requireMediaType<T extends string>(
  exchange: Exchange,
  allowedTypes: readonly T[],
): T {
  const contentType = exchange.header('content-type');
  const mediaType = contentType?.includes(';')
    ? contentType.slice(0, contentType.indexOf(';')).trim()
    : contentType;
  const acceptedType =
    allowedTypes.find((type) => type === mediaType) ??
    allowedTypes.find((type) => type === mediaType?.toLowerCase());
  if (acceptedType) return acceptedType;

  const reason =
    mediaType === undefined
      ? 'Content-Type is missing'
      : `Content-Type ${quotedText(mediaType)} is not supported`;
  const isReadings = allowedTypes.some((type) => type.endsWith('line-protocol'));
  const hint = isReadings ? mediaTypeHint(mediaType) : '';

  throw new ApiError(
    'unsupported_media_type',
    `${reason}; send ${wordList(allowedTypes, 'or')}.${hint}`,
    {
      headers: ['Accept', allowedTypes.join(', ')],
    },
  );
}

/** Advice for readings of a media type that looks right and is not accepted; begins with a space. */
function mediaTypeHint(mediaType: string | undefined): string {
  if (mediaType === 'text/plain')
    return " text/plain is accepted for nothing, also not for InfluxDB's line protocol.";
  return mediaType === 'text/csv' ? ' A CSV file is loaded with hkctl import readings.' : '';
}

/** The most pieces of a body that are kept as they came: a piece of a single byte takes 300 bytes of memory. */
const maxPieces = 1024;

function readPieces(
  req: IncomingMessage,
  hasSpace: (bytes: number) => boolean,
): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const joinedPieces: Buffer[] = [];
    let chunks: Buffer[] = [];
    let receivedBytes = 0;
    const finish = (settle: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      settle();
    };
    const onData = (chunk: Buffer): void => {
      receivedBytes += chunk.length;
      if (receivedBytes > maxBodyBytes) finish(() => reject(tooLarge()));
      else if (!hasSpace(chunk.length)) finish(() => reject(tooMuch));
      else if (chunks.push(chunk) === maxPieces) {
        joinedPieces.push(Buffer.concat(chunks));
        chunks = [];
      }
    };
    const onEnd = (): void => {
      finish(() => resolve([...joinedPieces, ...chunks]));
    };
    const onError = (): void => finish(() => reject(cutOff()));
    const onClose = (): void => finish(() => reject(cutOff()));
    req.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/**
 * A result of usual length is one chunk, since each chunk returns to the main thread. The last four bytes of gzip claim its
 * length (RFC 1952). The longest results take several chunks, so that a client who sends many does not keep a core busy.
 */
function chunkSizeFor(compressed: Buffer): number {
  const claimedLength = compressed.length < 4 ? 0 : compressed.readUInt32LE(compressed.length - 4);
  return Math.min(Math.max(claimedLength, 1024), 512 * 1024);
}

function tooLarge(): ApiError {
  return new ApiError('too_large', 'A body may have at most 8 MiB, also after decompression.');
}

/** This error is only logged: the connection is closed. */
function cutOff(): ApiError {
  return new ApiError('bad_json', 'The connection ended before the body did.');
}
