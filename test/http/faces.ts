import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { ServeSettings } from '../../src/core/operations/settings.ts';
import { createApp } from '../../src/http/app.ts';
import { createLog } from '../../src/http/monitoring/log.ts';
import { type ServeOptions, serve } from '../../src/http/server.ts';
import { resources } from '../../src/resources/index.ts';
import { deviations } from './documented.ts';
import { docsFolder, type HttpPlant, settings, version } from './plant.ts';

/** One of the two ways a request can come: the app in-process, or a listening server. Every answer is as documented. */
export interface Face {
  name: 'in-process' | 'listening';
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** All that was logged. */
  log(): string;
  close(): Promise<void>;
}

/** The app without a socket. */
export function inProcess(plant: HttpPlant, change: Partial<ServeSettings> = {}): Face {
  const lines: string[] = [];
  const given = settings({ logLevel: 'debug', ...change });
  const log = createLog(given.logLevel, { write: (line) => lines.push(line) });
  const app = createApp({
    domain: plant.domain,
    settings: given,
    resources,
    version,
    docsFolder,
    log,
    recordUse() {},
  });
  return {
    name: 'in-process',
    fetch: async (path, init) => {
      const response = await app.request(path, init);
      const body = Buffer.from(await response.clone().arrayBuffer());
      const decode = codings[response.headers.get('content-encoding') ?? ''];
      return asDocumented(path, init, response, (decode?.(body) ?? body).toString());
    },
    log() {
      log.flush();
      return lines.join('');
    },
    close: async () => {},
  };
}

/** The same app behind a port of this machine. */
export async function listening(
  plant: HttpPlant,
  change: Partial<ServeSettings> = {},
  limits: ServeOptions['limits'] = {},
  drainMs?: number,
): Promise<Face & { url: string }> {
  const lines: string[] = [];
  const stop = new AbortController();
  const options = {
    domain: plant.domain,
    machineClock: () => plant.nowMs,
    machineUptime: () => plant.nowMs - Date.UTC(2026, 10, 1),
    settings: settings({ logLevel: 'debug', ...change }),
    resources,
    version,
    docsFolder,
    log: { write: (line: string) => lines.push(line) },
    limits,
    drainMs,
  };
  let ended: Promise<void> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    ended = serve(options, { stop: stop.signal, listening: resolve });
    ended.catch(reject);
  });
  return {
    name: 'listening',
    url,
    fetch: async (path, init) => {
      const response = await fetch(`${url}${path}`, init);
      return asDocumented(path, init, response, await response.clone().text());
    },
    log: () => lines.join(''),
    async close() {
      stop.abort();
      await ended;
    },
  };
}

/** fetch() decodes by itself, an app asked in-process does not. */
const codings: Record<string, (body: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync };

function asDocumented(path: string, init: RequestInit | undefined, response: Response, text: string): Response {
  const { status, headers } = response;
  const method = init?.method ?? 'GET';
  const wrong = deviations(path, method, { status, headers, text });
  expect(wrong, `${method} ${path} ${text.slice(0, 500)}`).toEqual([]);
  return response;
}
