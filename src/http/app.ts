import { H3 } from 'h3';
import type { Domain } from '../core/domain/domain.ts';
import type { ResourceDefinition } from '../core/fields/fields.ts';
import { lazy } from '../core/memoize.ts';
import type { ServeSettings } from '../core/operations/settings.ts';
import type { CertificateValidity } from '../core/port/daemons.ts';
import type { Credential } from '../core/port/keys.ts';
import type { MaybePromise } from '../core/port/maybe-promise.ts';
import type { RecordStore } from '../core/port/records.ts';
import { wordList } from '../core/text/words.ts';
import { type Answer, jsonAnswer } from './answers/answer.ts';
import { ApiError } from './answers/problem.ts';
import { createAddressBook } from './auth/client-addresses.ts';
import type { KeySession } from './auth/credential-cache.ts';
import { createGate, type Requirement } from './auth/gate.ts';
import type { Limiters } from './auth/limits.ts';
import { createDocuments, type DocumentFolders, documentFiles } from './docs/docs.ts';
import { RequestBatches } from './fairness/batches.ts';
import { Slices } from './fairness/slices.ts';
import { BodyReader } from './ingest/body.ts';
import { createIngest } from './ingest/ingest.ts';
import { ingestOperations } from './ingest/operations.ts';
import {
  addCertificateValidity,
  addExpiryWarnings,
  addStoreMetrics,
  Metrics,
} from './monitoring/metrics.ts';
import { createRejectionWarning, createUnavailableWarning } from './monitoring/warnings.ts';
import type { Connections } from './net/connections.ts';
import { openapiDocument } from './openapi/document.ts';
import { createPage, type PageFolder } from './page/page.ts';
import { type CallOptions, createCalls, type Handler } from './pipeline.ts';
import { createCors } from './request/cors.ts';
import type { Exchange } from './request/exchange.ts';
import type { KeyTally } from './request/key-tally.ts';
import { PageCache, represent, toRepresentation } from './request/representation.ts';
import { createLinks } from './routes/lists.ts';
import { createMeHandler, createResourcesHandler, resourceEntries } from './routes/me.ts';
import { createReadingsHandlers } from './routes/readings.ts';
import { createRecordHandlers, createSensorStates } from './routes/records.ts';

interface AppOptions
  extends DocumentFolders,
    PageFolder,
    Pick<CallOptions, 'memory' | 'log' | 'isStopping' | 'answersWhileStopping' | 'storeRefusal'> {
  domain: Domain;
  settings: ServeSettings;
  resources: readonly ResourceDefinition[];
  version: string;
  tallyOf(credential: Credential): KeyTally;
  /** Receives the key and the client address of each successful authentication. */
  noteCall?: Parameters<typeof createGate>[0]['noteCall'];
  limiters: Limiters;
  /** Further headers of every answer, such as HSTS under TLS. */
  commonHeaders?: readonly string[];
  connections: Connections;
  /** How many keys were warned of before their expiry, by the days that were left. */
  expiryWarnings?: ReadonlyMap<string, number>;
  /** The validity of the certificate that is served. */
  certificate?: () => CertificateValidity | undefined;
}

type KeyedHandler = (exchange: Exchange, session: KeySession) => MaybePromise<Answer | ApiError>;

/** A path with a method. GET brings HEAD along, and every other method gets 405 with Allow and perhaps a hint. */
type Route = { method: 'GET' | 'POST'; path: string; hint?: string } & (
  | { requirement: Requirement; handler: KeyedHandler }
  // Open to everybody, without a key.
  | { requirement: undefined; handler: Handler }
);

/**
 * The whole API: every route. A request takes these steps:
 *
 * 1. `net/listener.ts` passes it to h3, which finds its route here.
 * 2. `fairness/batches.ts` joins it to the batch of this iteration of the event loop.
 * 3. `pipeline.ts` runs `stepsBeforeHandlers`: store in place, still serving, client address, CORS.
 * 4. `auth/gate.ts` checks the key, its address, its limit and the permission that the route requires.
 * 5. The handler answers. A posted body is read now, and the key is checked again after it.
 * 6. `pipeline.ts` checks preconditions, reserves memory, counts, logs, and sends with the batch.
 */
function routesOf(handlers: ReturnType<typeof createHandlers>): Route[] {
  const { pages, documents, records, readings, ingest } = handlers;
  return [
    // Without a key.
    ...pages.map(({ path, handler }) => keyless(path, handler)),
    keyless('/healthz', handlers.health),
    keyless('/readyz', handlers.readiness),
    keyless('/metrics', handlers.metrics),
    keyless('/api/v1', documents.page),
    keyless('/api/v1/docs', documents.page),
    ...documentFiles.map((name) => keyless(`/api/v1/docs/${name}`, documents.file(name))),
    keyless('/api/v1/openapi.json', handlers.specification),

    // With a key.
    keyed('/api/v1/me', [], handlers.me),
    keyed('/api/v1/resources', [], handlers.resources),
    ...records.flatMap(({ name, permissions, list, single }) => [
      keyed(`/api/v1/${name}`, permissions, list),
      keyed(`/api/v1/${name}/:id`, permissions, single),
    ]),
    ...readings.flatMap(({ name, permissions, single, many }) => [
      keyed(`/api/v1/${name}/:id/readings`, permissions, single),
      keyed('/api/v1/readings', permissions, many),
    ]),
    ...ingest.map(
      ({ path, permissions, hint, handler }): Route => ({
        method: 'POST',
        path,
        requirement: { limit: 'ingest', permissions },
        handler,
        hint,
      }),
    ),
  ];
}

function keyless(path: string, handler: Handler): Route {
  return { method: 'GET', path, requirement: undefined, handler };
}

function keyed(path: string, permissions: Requirement['permissions'], handler: KeyedHandler) {
  return { method: 'GET', path, requirement: { limit: 'requests', permissions }, handler } as const;
}

/** Registers every route with h3, behind the pipeline and, where it requires a key, the gate. */
export function createApp(options: AppOptions): H3 {
  const app = new H3({ silent: true, allowMalformedURL: true });
  const services = createServices(options);
  const { calls, cors, gate } = services;

  for (const { method, path, requirement, handler, hint } of routesOf(
    createHandlers(options, services),
  )) {
    const guardedHandler: Handler =
      requirement === undefined
        ? handler
        : (exchange) => gate.admit(exchange, requirement, handler);
    const allowedMethods = method === 'GET' ? (['GET', 'HEAD'] as const) : ([method] as const);
    for (const methodName of allowedMethods) app.on(methodName, path, calls(path, guardedHandler));

    const otherMethods: Handler = (exchange) =>
      cors.preflight(exchange, allowedMethods) ?? refuseMethod(allowedMethods, hint);
    app.all(path, calls(path, otherMethods));
  }
  app.all('/**', calls('unknown', refusePath));
  return app;
}

const pageCacheBytes = 64 * 1024 * 1024;

type Services = ReturnType<typeof createServices>;

/** Builds the services that several routes share. */
function createServices(options: AppOptions) {
  const { domain, settings, version, log, limiters, memory, connections } = options;
  const { iterations, table, pace } = connections;
  const addresses = createAddressBook(settings.trustProxy);
  const batches = new RequestBatches(iterations);
  const slices = new Slices(iterations);
  const cors = createCors(settings.corsOrigin);
  const gate = createGate({
    domain,
    addresses,
    batches,
    ...limiters,
    tallyOf: options.tallyOf,
    noteCall: options.noteCall,
    identifyConnection: (socket, keyId) => table.identify(socket, keyId),
    warnOverLimit: (address, code) =>
      log.unkeyed('warn', { address, code }, 'too many failed key checks from an address'),
  });

  const metrics = new Metrics(limiters, memory, connections);
  addStoreMetrics(metrics, domain, log, version);
  addExpiryWarnings(metrics, options.expiryWarnings ?? new Map());
  addCertificateValidity(metrics, options.certificate ?? (() => undefined));

  const calls = createCalls({
    ...options,
    commonHeaders: options.commonHeaders ?? [],
    addresses,
    batches,
    metrics,
    cors,
    pace,
    slices,
    warnUnavailable: createUnavailableWarning(log, () => performance.now()),
  });
  return { addresses, batches, slices, cors, gate, metrics, calls, pace };
}

/** Builds the handlers of all routes. */
function createHandlers(options: AppOptions, services: Services) {
  const { domain, settings, resources, version, log, memory } = options;
  const { addresses, batches, slices, gate, metrics, pace } = services;
  const { answers, bodies, readMs } = memory;
  const documents = createDocuments(options);
  const pathEntries = resourceEntries(resources);
  const recordReading = {
    domain,
    pages: new PageCache(pageCacheBytes),
    recordsCounter: createRecordsCounter(domain.store.records, batches),
    links: createLinks(settings.baseUrl === undefined ? '' : basePathOf(settings.baseUrl)),
    slices,
    answers,
    readMs,
    charge: gate.charge,
  };
  const ingestOptions = {
    domain,
    gate,
    batches,
    counts: metrics.ingest,
    bodies: new BodyReader(bodies, pace),
    slices,
    warnRejected: createRejectionWarning(log, () => performance.now()),
  };
  const specification = lazy(() => {
    const document = openapiDocument(resources, { version, baseUrl: settings.baseUrl });
    return toRepresentation(`${JSON.stringify(document)}\n`, { vary: 'Accept-Encoding' });
  });
  const sensorResources = resources.filter(({ name }) => name === 'sensors');

  return {
    pages: settings.noPage ? [{ path: '/', handler: documents.root }] : createPage(options),
    documents,
    // Health does not depend on the store, so that a full disk causes no restart.
    health: () => jsonAnswer('{"status":"ok"}'),
    readiness: () => readiness(domain.store),
    metrics(exchange: Exchange) {
      if (!settings.metricsPublic && !addresses.isLoopback(exchange)) throw routeNotFound;
      return metrics.answer();
    },
    specification: (exchange: Exchange) => represent(exchange, specification(), 'public, no-cache'),
    me: createMeHandler(domain, pathEntries),
    resources: createResourcesHandler(pathEntries),
    records: resources.map((resource) => {
      const states = resource.name === 'sensors' ? createSensorStates(domain) : undefined;
      const { name, permissions } = resource;
      return { name, permissions, ...createRecordHandlers(resource, recordReading, states) };
    }),
    readings: sensorResources.map((resource) => {
      const { name, permissions } = resource;
      return { name, permissions, ...createReadingsHandlers(resource, recordReading) };
    }),
    ingest: ingestOperations.map((operation) => {
      const { path, permissions, reading: hint } = operation;
      return { path, permissions, hint, handler: createIngest(operation, ingestOptions) };
    }),
  };
}

/** The change counter of records for an authenticated request: asked once a batch, or known since its authentication. */
function createRecordsCounter(
  records: RecordStore,
  batches: RequestBatches,
): () => MaybePromise<number> {
  return records.lastChangeCounter ?? batches.once(() => records.changeCounter());
}

const routeNotFound = new ApiError(
  'not_found',
  'There is nothing at this path; GET /api/v1/resources lists what a key can read.',
);

/** The store answers. While the daemon drains, this is 503 like every other path. */
async function readiness({ keys, records }: Domain['store']): Promise<Answer> {
  await keys.changeCounter();
  await records.changeCounter();
  return jsonAnswer('{"status":"ready"}');
}

function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

function refusePath(): never {
  throw routeNotFound;
}

function refuseMethod(allowedMethods: readonly string[], hint = ''): Answer {
  const methodList = allowedMethods.join(', ');
  const detail = `This path supports only ${wordList(allowedMethods, 'and')}. ${hint}`.trimEnd();
  throw new ApiError('method_not_allowed', detail, { headers: ['Allow', methodList] });
}
