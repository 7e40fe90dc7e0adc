import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { ServeSettings } from '../../src/core/operations/settings.ts';
import { createApp } from '../../src/http/app.ts';
import { createLimiters } from '../../src/http/auth/limits.ts';
import { createLog } from '../../src/http/monitoring/log.ts';
import { Connections, connectionLimits } from '../../src/http/net/connections.ts';
import { createFraming } from '../../src/http/net/framing.ts';
import { createListener } from '../../src/http/net/listener.ts';
import { createMemory, memoryLimits } from '../../src/http/request/memory.ts';
import { type ServeOptions, serve } from '../../src/http/server.ts';
import { createUsageRecorder } from '../../src/http/tasks/usage-recorder.ts';
import { resources } from '../../src/resources/index.ts';
import { deviations } from './documented.ts';
import {
  docsFolder,
  type HttpPlant,
  manualFolder,
  pageFolder,
  settings,
  version,
} from './plant.ts';

/** The API behind a port. Every answer of it is as documented. */
export interface Face {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** All that was logged. */
  log(): string;
  close(): Promise<void>;
}

/** The API without the daemon around it: it takes the time from the plant, and listens from its first request on. */
export function bareApp(
  plant: HttpPlant,
  change: Partial<ServeSettings> = {},
): Face & { url(): Promise<string>; usage: ReturnType<typeof createUsageRecorder> } {
  const lines: string[] = [];
  const given = settings({ logLevel: 'debug', ...change });
  const log = createLog(given.logLevel, { write: (line) => lines.push(line) });
  const memory = createMemory(memoryLimits);
  const connections = new Connections(connectionLimits, log);
  const { domain } = plant;
  const usage = createUsageRecorder(domain, log);
  const app = createApp({
    domain,
    settings: given,
    resources,
    version,
    docsFolder,
    pageFolder,
    manualFolder,
    log,
    memory,
    connections,
    limiters: createLimiters(given),
    tallyOf: usage.tallyOf,
  });
  const server = createServer(
    { maxHeaderSize: 64 * 1024 },
    createListener(app, createFraming(log, connections.pace), connections),
  );
  connections.watch(server, () => false);
  // Tests need not close it: neither the port nor a connection keeps the process alive.
  server.unref().on('connection', (socket) => socket.unref());
  let listening: Promise<unknown> | undefined;
  const url = async (): Promise<string> => {
    listening ??= once(server.listen(0, '127.0.0.1'), 'listening');
    await listening;
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server that listens on an address has a port
  };
  return {
    url,
    usage,
    async fetch(path, init) {
      const response = await fetch(`${await url()}${path}`, { redirect: 'manual', ...init });
      return asDocumented(path, init, response, await response.clone().text());
    },
    log() {
      log.flush();
      return lines.join('');
    },
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The API as the daemon serves it. */
export async function listening(
  plant: HttpPlant,
  change: Partial<ServeSettings> = {},
  limits: ServeOptions['limits'] = {},
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
    pageFolder,
    manualFolder,
    log: { write: (line: string) => lines.push(line) },
    limits,
  };
  let ended: Promise<void> = Promise.resolve();
  const url = await new Promise<string>((resolve, reject) => {
    ended = serve(options, { stop: stop.signal, listening: resolve });
    ended.catch(reject);
  });
  return {
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

function asDocumented(
  path: string,
  init: RequestInit | undefined,
  response: Response,
  text: string,
): Response {
  const { status, headers } = response;
  const method = init?.method ?? 'GET';
  const wrong = deviations(path, method, { status, headers, text });
  expect(wrong, `${method} ${path} ${text.slice(0, 500)}`).toEqual([]);
  return response;
}
