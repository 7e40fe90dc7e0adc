import type { Api, ApiAnswer, ApiQuery, RequestLimit } from './api.ts';
import { type Problem, problemOf, serverUnreachable } from './problems.ts';

interface CachedAnswer {
  tag: string;
  body: unknown;
}

const maxCachedAnswers = 64;
const timeoutMs = 30_000;

/**
 * The public API with the key of the session. Answers with an entity tag are kept, so that an
 * unchanged one costs the daemon a 304. Paths are relative to the page: a proxy may serve it
 * below any prefix.
 */
export function createApi(key: () => string | undefined, report: (problem: Problem) => void): Api {
  const cache = new Map<string, CachedAnswer>();
  let limit: RequestLimit | undefined;

  return {
    limit: () => limit,

    async read<Body>(path: string, query: ApiQuery = {}): Promise<ApiAnswer<Body>> {
      const address = addressOf(path, query);
      const cachedAnswer = cache.get(address);

      try {
        const response = await send(address, key(), cachedAnswer?.tag);
        limit = limitOf(response) ?? limit;

        if (response.status === 304 && cachedAnswer) {
          return { body: cachedAnswer.body as Body, changed: false };
        }
        if (!response.ok) throw await problemOf(response);

        const body: unknown = await response.json();
        cacheAnswer(address, response.headers.get('ETag'), body);
        return { body: body as Body, changed: true };
      } catch (thrown) {
        const problem = isProblem(thrown) ? thrown : serverUnreachable();
        if (problem.endsSession) report(problem);
        throw problem;
      }
    },
  };

  function cacheAnswer(address: string, tag: string | null, body: unknown): void {
    cache.delete(address);
    if (tag === null) return;

    cache.set(address, { tag, body });
    for (const oldestAddress of cache.keys()) {
      if (cache.size <= maxCachedAnswers) break;
      cache.delete(oldestAddress);
    }
  }
}

function send(address: string, key: string | undefined, tag: string | undefined) {
  const headers = new Headers({ Accept: 'application/json' });
  if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
  if (tag !== undefined) headers.set('If-None-Match', tag);

  return fetch(address, {
    headers,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(timeoutMs),
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

function isProblem(thrown: unknown): thrown is Problem {
  return thrown instanceof Error && thrown.name === 'Problem';
}
