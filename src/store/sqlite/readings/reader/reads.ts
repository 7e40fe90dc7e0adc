import { HkctlError } from '../../../../core/errors.ts';
import type { ReadingClient, ReadingText, ReadingTextRequest } from '../../../../core/port/readings.ts';
import { FairQueue } from '../../../../core/readings/fair-queue.ts';
import type { Slice, SliceRequest } from './slices.ts';

/** Sizes that keep a read bounded: readings, and reads where it says so. */
export const readLimits = {
  /** A page of so many readings is read at once, in the thread that asks: half a millisecond. */
  direct: 500,
  /** Rows that are written in one slice, and readings that are summed up in one: some milliseconds each. */
  written: 5000,
  summedUp: 20_000,
  /** A page of buckets looks through no more once it has one: it ends short, and the next page goes on behind it. */
  page: 1_000_000,
  /** Reads of one owner that may wait. */
  waiting: 64,
} as const;

/** Reads one slice, wherever that happens. */
export type ReadSlice = (request: SliceRequest) => Promise<Slice>;

/** Reads in slices, round-robin by owner and one slice at a time over all of them; one owner's reads one after the other. */
export class Reads {
  readonly #readSlice: ReadSlice;
  readonly #waiting = new FairQueue<Read>();
  #isRunning = false;

  constructor(readSlice: ReadSlice) {
    this.#readSlice = readSlice;
  }

  /** Rejects with `too_many_requests` where too many of the owner wait, with what `charge` throws, or with the signal's reason. */
  read(request: ReadingTextRequest, client: ReadingClient): Promise<ReadingText> {
    const { owner, signal } = client;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#waiting.sizeOf(owner) >= readLimits.waiting) return Promise.reject(tooManyWait());
    return new Promise((resolve, reject) => {
      const read = new Read(request, client, resolve, reject);
      signal?.addEventListener('abort', () => this.#abort(read), { once: true });
      this.#waiting.add(owner, read);
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Ends what waits; a slice under way is not waited for. */
  close(): void {
    for (let read = this.#waiting.take(); read; read = this.#waiting.take()) read.reject(closed());
  }

  #abort(read: Read): void {
    // One that is under way ends with its slice.
    if (this.#waiting.remove(read.client.owner, read)) read.reject(read.client.signal?.reason);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let read = this.#waiting.take(); read; read = this.#waiting.take()) {
      try {
        if (!read.isBegun) read.client.charge(0);
        const slice = await this.#readSlice(read.nextSlice());
        read.take(slice);
        read.client.charge(slice.sampled);
        read.client.signal?.throwIfAborted();
        if (read.isDone) read.resolve(read.text());
        else this.#waiting.putBack(read.client.owner, read);
      } catch (thrown) {
        read.reject(thrown);
      }
    }
    this.#isRunning = false;
  }
}

/** One read under way. */
export class Read {
  readonly request: ReadingTextRequest;
  readonly client: ReadingClient;
  readonly resolve: (text: ReadingText) => void;
  readonly reject: (error: unknown) => void;
  isBegun = false;
  isDone = false;
  readonly #pieces: Uint8Array[] = [];
  readonly #digests: string[] = [];
  #count = 0;
  #looked = 0;
  #nextUs: number | null = null;
  #open: Slice['open'];

  constructor(
    request: ReadingTextRequest,
    client: ReadingClient,
    resolve: (text: ReadingText) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request;
    this.client = client;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** What to read next. */
  nextSlice(): SliceRequest {
    const { fromUs, limit, buckets } = this.request;
    return {
      ...this.request,
      fromUs: this.#nextUs ?? fromUs,
      limit: limit - this.#count,
      most: buckets ? readLimits.summedUp : readLimits.written,
      open: this.#open,
    };
  }

  /** Takes what was read of it. */
  take(slice: Slice): void {
    const { text, count, digest, sampled, nextUs, open } = slice;
    if (count > 0) {
      if (this.#count > 0 && this.request.format === 'json') this.#pieces.push(comma);
      this.#pieces.push(text);
      this.#digests.push(digest);
    }
    this.isBegun = true;
    this.#count += count;
    this.#looked += sampled;
    this.#nextUs = nextUs;
    this.#open = open;
    const isEnough = this.#count >= this.request.limit || (this.#count > 0 && this.#looked >= readLimits.page);
    this.isDone = nextUs === null || isEnough;
  }

  text(): ReadingText {
    // A bucket that is not complete is for the next page.
    const nextUs = this.#open?.startUs ?? this.#nextUs;
    return { pieces: this.#pieces, count: this.#count, digest: this.#digests.join('.'), nextUs };
  }
}

const comma = Uint8Array.of(0x2c);

function tooManyWait(): HkctlError {
  return new HkctlError(
    'too_many_requests',
    'Too many large reads of this API key wait already. Ask for fewer at once.',
  );
}

function closed(): HkctlError {
  return new HkctlError('unavailable', 'The store is being closed.');
}
