import type {
  NewestRows,
  ReadingClient,
  ReadingStore,
  ReadingText,
  ReadingTextRequest,
} from '../port/readings.ts';

/** A page of readings or buckets: in order of time or, if the newest comes first, from the end of the range backward. */
export interface ReadingPage extends Omit<ReadingText, 'nextUs'> {
  /** The range that is left for the next page; null at the end. */
  rest: TimeRange | null;
}

export interface TimeRange {
  fromUs?: number;
  toUs?: number;
}

type PageOrder = Pick<ReadingTextRequest, 'buckets' | 'isNewestFirst'> & {
  last?: number | undefined;
};

/** Whether the pages of several series are read together: aggregates in order of time, of which no row must be looked for. */
export function areReadTogether(request: PageOrder): boolean {
  const { buckets, last, isNewestFirst } = request;
  return buckets !== undefined && last === undefined && !isNewestFirst;
}

/**
 * Reads the pages of series that {@link areReadTogether}, or the page of one series. It stops once as many rows are read as the
 * first request asks for.
 */
export async function readPages(
  readings: Pick<ReadingStore, 'text' | 'texts' | 'newest'>,
  requests: readonly ReadingTextRequest[],
  { last }: { last: number | undefined },
  client: ReadingClient,
): Promise<ReadingPage[]> {
  const [firstRequest] = requests;
  if (!firstRequest) return [];
  if (requests.length === 1) {
    return [await readPage(readings, { ...firstRequest, last }, client)];
  }

  const texts = await readings.texts(requests, client);
  return texts.map(({ nextUs, ...text }, index) => ({
    ...text,
    rest: restFrom(nextUs, requests[index]?.toUs),
  }));
}

/** The range from where a page ended; null if it ended the range. */
function restFrom(nextUs: number | null, toUs: number | undefined): TimeRange | null {
  return nextUs === null ? null : { fromUs: nextUs, toUs };
}

/** Reads a page of a range. The newest `last` rows are a range of their own, which later pages need not look for again. */
export async function readPage(
  readings: Pick<ReadingStore, 'text' | 'newest'>,
  { last, ...request }: ReadingTextRequest & { last: number | undefined },
  client: ReadingClient,
): Promise<ReadingPage> {
  const range = last === undefined ? {} : await newestRange(readings, request, last, client);
  const page = { ...request, ...range };
  if (page.isNewestFirst) return readBackward(readings, page, client);

  const { nextUs, ...text } = await readings.text(page, client);
  return { ...text, rest: restFrom(nextUs, page.toUs) };
}

/** The range of the newest rows; the whole range, which is empty, if there are none. */
async function newestRange(
  readings: Pick<ReadingStore, 'newest'>,
  request: ReadingTextRequest,
  rowCount: number,
  client: ReadingClient,
): Promise<TimeRange> {
  const newestRequest = toNewest(request, rowCount);
  const { fromUs, toUs } = (await readings.newest(newestRequest, client)) ?? request;
  return { fromUs, toUs };
}

/**
 * Reads the newest rows of a range. A late reading can come between their first and their last one while they are read: they
 * are then more than a page. In that case fewer are tried, until no row is left out.
 */
async function readBackward(
  readings: Pick<ReadingStore, 'text' | 'newest'>,
  request: ReadingTextRequest,
  client: ReadingClient,
): Promise<ReadingPage> {
  for (let rowCount = request.limit; ; rowCount = Math.max(1, rowCount >> 1)) {
    const newestWindow = await readings.newest(toNewest(request, rowCount), client);
    const { fromUs, toUs } = newestWindow ?? request;
    const page = { ...request, fromUs, toUs };
    const { nextUs, ...text } = await readings.text(page, client);
    if (nextUs !== null) continue;

    const olderRange = { fromUs: request.fromUs, toUs: newestWindow?.fromUs };
    return { ...text, rest: newestWindow?.hasMore ? olderRange : null };
  }
}

function toNewest({ series, fromUs, toUs, buckets }: ReadingTextRequest, rows: number): NewestRows {
  return { series, fromUs, toUs, rows, buckets };
}
