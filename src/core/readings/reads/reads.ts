import { HkctlError, isUnreachable } from '../../errors.ts';
import type {
  NewestRows,
  NewestWindow,
  ReadingClient,
  ReadingText,
  ReadingTextRequest,
} from '../../port/readings.ts';
import { FairScheduler } from '../../sharing/fair-queue.ts';
import { type BackwardRequest, BackwardSearch } from './newest.ts';
import type { Slice, SliceRequest } from './slices.ts';

export const readLimits = {
  /** A page up to this size is read at once: it waits for one slice of a large read at most. */
  direct: 500,
  /** Rows written in one slice, and readings aggregated in one, in a thread of their own: some milliseconds each. */
  written: 5000,
  summedUp: 200_000,
  waiting: 64,
} as const;

/** The charge for a reading that is only aggregated, against 1 for one that is written. */
const aggregationCost = 0.01;

type SliceSizes = Record<'written' | 'summedUp', number>;

/** Reads one slice: in a thread of SQLite, or on a connection of PostgreSQL. The text may be written into the memory. */
type ReadSlice = (request: SliceRequest, memory?: ArrayBuffer) => Promise<Slice>;

/**
 * Reads the slices of several series in one go, each with the rows that those before it have left. There are fewer than requests
 * once one of them is not at its end, or as many readings were read as one slice has.
 */
type ReadSlices = (requests: readonly SliceRequest[]) => Promise<Slice[]>;

/** Series whose slices are read in one go, so that other reads wait for a few milliseconds. */
const seriesAtOnce = 25;

/** Looks instants up, backward in time: in a thread of SQLite, or on a connection of PostgreSQL. */
type LookBackward = (request: BackwardRequest) => Promise<Float64Array>;

/** Instants that one step of a search backward looks up; many buckets are mostly found by few. */
const stepSizes = {
  readings: 5000,
  buckets: 500,
} as const;

/** The reading functions of an engine; `smallSlice` is for a page that is read at once. */
export interface ReadEngine {
  slice: ReadSlice;
  smallSlice?: ReadSlice;
  /** For an engine that reads several series faster than one after the other. */
  slices?: ReadSlices;
  backward: LookBackward;
}

/** Reads in slices, round-robin by owner and one slice at a time over all of them; one owner's reads one after the other. */
export class Reads {
  readonly #readSlice: ReadSlice;
  readonly #readSmall: ReadSlice;
  readonly #readSlices: ReadSlices;
  readonly #lookBackward: LookBackward;
  readonly #sizes: SliceSizes;
  readonly #reads = new FairScheduler(Number.POSITIVE_INFINITY);
  readonly #slices = new FairScheduler(1);
  /** The memory of the last slice, which the next one can be written into: there is one at a time. */
  #memory: ArrayBuffer | undefined;

  constructor(engine: ReadEngine, sizes: SliceSizes = readLimits) {
    const { slice, smallSlice = slice, slices = inOrder(slice), backward } = engine;
    this.#readSlice = slice;
    this.#readSlices = slices;
    this.#readSmall = smallSlice;
    this.#lookBackward = backward;
    this.#sizes = sizes;
  }

  /** A page that one slice holds waits for no large ones. */
  async text(request: ReadingTextRequest, client: ReadingClient): Promise<ReadingText> {
    if (request.buckets !== undefined || request.limit > readLimits.direct) {
      return this.read(request, client);
    }

    client.signal?.throwIfAborted();
    const slice = await this.#readSmall({ ...request, most: request.limit });
    client.charge(slice.scanned);

    const textRead = new TextRead(request, client);
    textRead.take(slice);
    return textRead.text();
  }

  /**
   * A page of any size, in slices between those of others. Rejects with `too_many_requests` if too many of the owner wait, with what
   * `charge` throws, or with the signal's reason.
   */
  async read(request: ReadingTextRequest, client: ReadingClient): Promise<ReadingText> {
    const textRead = new TextRead(request, client);
    await this.#inTurn(client, () => this.#readAll(textRead, client));
    return textRead.text();
  }

  /** Aggregates of several series, in order, until as many rows are read as the first request asks for; rejects likewise. */
  async texts(
    requests: readonly ReadingTextRequest[],
    client: ReadingClient,
  ): Promise<ReadingText[]> {
    const orderedReads = new ReadsInOrder(requests, client);
    await this.#inTurn(client, () => this.#readInOrder(orderedReads, client));
    return orderedReads.texts;
  }

  /** Finds the newest rows of a range: a few at once, many in steps between those of others. */
  async newest(request: NewestRows, client: ReadingClient): Promise<NewestWindow | null> {
    const search = new BackwardSearch(request);
    const isSmall = request.buckets === undefined && request.rows <= readLimits.direct;
    const stepSize = request.buckets ? stepSizes.buckets : stepSizes.readings;
    client.charge(0);

    while (!search.isDone) {
      client.signal?.throwIfAborted();
      const step = search.nextStep(stepSize);
      const lookUp = () => this.#lookBackward(step);
      const instants = await (isSmall ? lookUp() : this.#slices.run(client.owner, lookUp));
      search.take(instants, step);

      client.charge(instants.length * aggregationCost);
    }
    return search.window();
  }

  /** Rejects the waiting reads; does not wait for a slice in progress. */
  close(): void {
    this.#rejectWaiting(new HkctlError('unavailable', 'The store is being closed.'));
  }

  async #inTurn({ owner, signal }: ReadingClient, readAll: () => Promise<void>): Promise<void> {
    signal?.throwIfAborted();
    if (this.#reads.waitingOf(owner) >= readLimits.waiting) {
      throw new HkctlError('too_many_requests', tooManyWaiting);
    }
    await this.#reads.run(owner, readAll, signal);
  }

  async #readAll(read: TextRead, client: ReadingClient): Promise<void> {
    client.charge(0);
    while (!read.isDone) {
      const slice = await this.#slices.run(client.owner, () => this.#nextSlice(read, client));
      read.take(slice);
      this.#memory = slice.text.buffer;
      const { scanned } = slice;
      client.charge(read.request.buckets ? scanned * aggregationCost : scanned);
    }
  }

  async #readInOrder(orderedReads: ReadsInOrder, client: ReadingClient): Promise<void> {
    client.charge(0);
    while (!orderedReads.isDone) {
      const readPart = () => this.#readSlices(orderedReads.nextSlices(this.#sizes));
      const slices = await this.#slices.run(client.owner, () => this.#nextPart(client, readPart));
      for (const slice of slices) {
        orderedReads.take(slice);
        client.charge(slice.scanned * aggregationCost);
      }
    }
  }

  #nextSlice(read: TextRead, client: ReadingClient): Promise<Slice> {
    return this.#nextPart(client, () => {
      const memory = this.#memory;
      this.#memory = undefined;
      return this.#readSlice(read.nextSlice(this.#sizes), memory);
    });
  }

  async #nextPart<Part>({ signal }: ReadingClient, readPart: () => Promise<Part>): Promise<Part> {
    signal?.throwIfAborted();
    try {
      return await readPart();
    } catch (thrown) {
      // Waiting reads have waited as long already, and would get the same error.
      if (isUnreachable(thrown)) this.#rejectWaiting(thrown);
      throw thrown;
    }
  }

  #rejectWaiting(reason: unknown): void {
    this.#reads.rejectWaiting(reason);
    this.#slices.rejectWaiting(reason);
  }
}

/** The progress of a read of several slices. */
class TextRead {
  readonly request: ReadingTextRequest;
  isDone = false;
  #count = 0;
  /** The state that the next slice continues; undefined before the first. */
  #last: Pick<Slice, 'nextUs' | 'open' | 'ahead'> | undefined;
  /** The text so far, after the margin before it. */
  #bytes = new Uint8Array(0);
  #length: number;
  readonly #memory: (bytes: number) => Uint8Array<ArrayBuffer>;
  readonly #digests: string[] = [];

  constructor(request: ReadingTextRequest, client: ReadingClient) {
    const { memory = (bytes) => new Uint8Array(bytes) } = client;
    this.request = request;
    this.#length = request.margins?.before ?? 0;
    this.#memory = memory;
  }

  nextSlice({ written, summedUp }: SliceSizes): SliceRequest {
    const { fromUs, limit, buckets } = this.request;
    const { nextUs, ...state } = this.#last ?? {};

    return {
      ...this.request,
      ...state,
      fromUs: nextUs ?? fromUs,
      limit: limit - this.#count,
      most: buckets ? summedUp : written,
      beganUs: fromUs,
    };
  }

  take(slice: Slice): void {
    const { count, nextUs, open, ahead } = slice;
    if (count > 0) this.#append(slice);
    this.#count += count;
    this.#last = { nextUs, open, ahead };
    this.isDone = nextUs === null || this.#count >= this.request.limit;
  }

  #append({ text, count, digest, nextUs }: Slice): void {
    const { format, limit } = this.request;
    const commaLength = this.#count > 0 && format === 'json' ? 1 : 0;
    const missingRows = limit - this.#count;
    const expectedBytes = nextUs === null ? 0 : (text.length * missingRows) / count;
    this.#reserve(commaLength + text.length, expectedBytes);
    this.#put(text, commaLength);
    this.#digests.push(digest);
  }

  /** Puts the text of a slice behind those before it, or before them, with a comma between them. */
  #put(text: Uint8Array, commaLength: number): void {
    const { isNewestFirst, margins } = this.request;
    const textStart = margins?.before ?? 0;
    const addedLength = text.length + commaLength;
    if (isNewestFirst) {
      this.#bytes.copyWithin(textStart + addedLength, textStart, this.#length);
    }

    const insertOffset = isNewestFirst ? textStart : this.#length + commaLength;
    this.#bytes.set(text, insertOffset);
    if (commaLength) {
      const commaOffset = isNewestFirst ? textStart + text.length : insertOffset - 1;
      this.#bytes[commaOffset] = commaCode;
    }
    this.#length += addedLength;
  }

  text(): ReadingText {
    this.#reserve(0);
    const endMargin = this.request.margins?.after ?? 0;
    return {
      text: this.#bytes.subarray(0, this.#length + endMargin),
      count: this.#count,
      digest: this.#digests.join('.'),
      // An incomplete bucket belongs to the next page.
      nextUs: this.#last?.open?.startUs ?? this.#last?.nextUs ?? null,
    };
  }

  /** Makes sure that so many bytes fit, with the margin after them; `expectedBytes` of text are expected to follow. */
  #reserve(byteCount: number, expectedBytes = 0): void {
    const endMargin = this.request.margins?.after ?? 0;
    const neededLength = this.#length + byteCount + endMargin;
    if (neededLength <= this.#bytes.length) return;

    const spareLength = Math.max(1.02 * expectedBytes, this.#bytes.length);
    const largerBytes = this.#memory(Math.ceil(neededLength + spareLength));
    largerBytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = largerBytes;
  }
}

const commaCode = 0x2c;

/** The progress of the reads of several series, one after the other. */
class ReadsInOrder {
  readonly texts: ReadingText[] = [];
  readonly #requests: readonly ReadingTextRequest[];
  readonly #client: ReadingClient;
  /** Rows that are still wanted. */
  #remainingRows: number;
  /** The read that the last slice has not ended. */
  #unfinished: TextRead | undefined;

  constructor(requests: readonly ReadingTextRequest[], client: ReadingClient) {
    this.#requests = requests;
    this.#client = client;
    this.#remainingRows = requests[0]?.limit ?? 0;
  }

  get isDone(): boolean {
    return this.#remainingRows === 0 || this.texts.length === this.#requests.length;
  }

  nextSlices(sizes: SliceSizes): SliceRequest[] {
    const doneCount = this.texts.length;
    const nextRequests = this.#requests.slice(doneCount, doneCount + seriesAtOnce);
    const laterReads = nextRequests.slice(1).map((request) => this.#readOf(request));
    const pendingReads = [this.#current(), ...laterReads];
    return pendingReads.map((read) => read.nextSlice(sizes));
  }

  /** Takes the next slice of {@link nextSlices}. */
  take(slice: Slice): void {
    const read = this.#current();
    this.#remainingRows -= slice.count;
    read.take(slice);
    this.#unfinished = read.isDone ? undefined : read;
    if (read.isDone) {
      this.texts.push(read.text());
    }
  }

  #current(): TextRead {
    const request = this.#requests[this.texts.length];
    if (!request) throw new Error('a slice behind the last series');
    return this.#unfinished ?? this.#readOf(request);
  }

  #readOf(request: ReadingTextRequest): TextRead {
    return new TextRead({ ...request, limit: this.#remainingRows }, this.#client);
  }
}

/** Reads the slices of several series one by one. */
function inOrder(slice: ReadSlice): ReadSlices {
  return async ([firstRequest]) => (firstRequest ? [await slice(firstRequest)] : []);
}

const tooManyWaiting = 'Too many large reads of this API key wait already. Ask for fewer at once.';
