import type { Api, ApiQuery, RequestLimit } from './api.ts';
import { isProblem, problemOf, serverUnreachable } from './problems.ts';

interface CachedAnswer {
  tag: string | null;
  body: unknown;
}

const timeoutMs = 30_000;

/** Its tag leaves the time of the server out, so a 304 would repeat an old time. */
const timedPath = 'me';

/**
 * The public API with a key. Answers are kept until the second expiry after their last use, so that the
 * cache holds what the shown view needs. Paths are relative: a proxy may serve the page below any prefix.
 */
export function createApi(key: string): Api {
  let freshAnswers = new Map<string, CachedAnswer>();
  let oldAnswers = new Map<string, CachedAnswer>();
  let limit: RequestLimit | undefined;

  return {
    limit: () => limit,

    expire() {
      oldAnswers = freshAnswers;
      freshAnswers = new Map();
    },

    readWith:
      (signal) =>
      async <Body>(path: string, query: ApiQuery = {}): Promise<Body> => {
        const address = addressOf(path, query);
        const answer = freshAnswers.get(address) ?? (await ask(address, path, signal));
        freshAnswers.set(address, answer);
        return answer.body as Body;
      },
  };

  async function ask(address: string, path: string, signal: AbortSignal): Promise<CachedAnswer> {
    const oldAnswer = path === timedPath ? undefined : oldAnswers.get(address);
    try {
      const response = await send(address, key, oldAnswer?.tag, signal);
      limit = limitOf(response) ?? limit;

      if (response.status === 304 && oldAnswer) return oldAnswer;
      if (!response.ok) throw await problemOf(response);
      return { tag: response.headers.get('ETag'), body: await response.json() };
    } catch (thrown) {
      throw isProblem(thrown) || signal.aborted ? thrown : serverUnreachable();
    }
  }
}

function send(
  address: string,
  key: string,
  tag: string | null | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const headers = new Headers({ Accept: 'application/json', Authorization: `Bearer ${key}` });
  if (typeof tag === 'string') headers.set('If-None-Match', tag);

  return fetch(address, {
    headers,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
}

function addressOf(path: string, query: ApiQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') {
      parameters.set(name, String(value));
    }
  }

  const queryText = parameters.toString();
  return queryText === '' ? `api/v1/${path}` : `api/v1/${path}?${queryText}`;
}

/** `RateLimit-Policy: "requests";q=600;w=60` (draft-ietf-httpapi-ratelimit-headers). */
function limitOf(response: Response): RequestLimit | undefined {
  const policy = response.headers.get('RateLimit-Policy') ?? '';
  const quota = /;q=(\d+)/.exec(policy)?.[1];
  const window = /;w=(\d+)/.exec(policy)?.[1];
  if (quota === undefined || window === undefined) return undefined;

  return { quota: Number(quota), windowSeconds: Number(window) };
}
