import { H3 } from 'h3';
import type { Domain } from '../core/domain/domain.ts';
import type { ResourceDefinition } from '../core/fields/fields.ts';
import { lazily } from '../core/kept.ts';
import type { ServeSettings } from '../core/operations/settings.ts';
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
import { createIngest } from './ingest/ingest.ts';
import { ingestOperations } from './ingest/operations.ts';
import { addExpiryWarnings, addStoreMetrics, Metrics } from './monitoring/metrics.ts';
import { createRejectionWarning, createUnavailableWarning } from './monitoring/warnings.ts';
import type { Connections } from './net/connections.ts';
import { openapiDocument } from './openapi/document.ts';
import { createPage, type PageFolder } from './page/page.ts';
import { type CallOptions, createCalls, type Handler } from './pipeline.ts';
import { PageCache, represent, toRepresentation } from './request/caching.ts';
import { createCors } from './request/cors.ts';
import type { Exchange } from './request/exchange.ts';
import type { KeyTally } from './request/key-tally.ts';
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
}

type SecuredHandler = (exchange: Exchange, session: KeySession) => MaybePromise<Answer | ApiError>;
type Method = 'GET' | 'POST';

const readable = { limit: 'requests' } as const;

const pageCacheBytes = 64 * 1024 * 1024;

/** The whole API in one place: every route, what it requires of a key, and the path of a request through the layers. */
export function createApp(options: AppOptions): H3 {
  const { domain, settings, resources, version, log, limiters, memory, connections } = options;
  const app = new H3({ silent: true, allowMalformedURL: true });
  const addresses = createAddressBook(settings.trustProxy);
  const { iterations, table, pace } = connections;
  const batches = new RequestBatches(iterations);
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
  const pages = new PageCache(pageCacheBytes);
  const links = createLinks(settings.baseUrl === undefined ? '' : basePathOf(settings.baseUrl));
  const slices = new Slices(iterations);
  const recordsVersion = createRecordsVersion(domain.store.records, batches);
  const { answers, bodies } = memory;
  const reading = { domain, pages, recordsVersion, links, slices, answers, charge: gate.charge };
  const documents = createDocuments(options);
  const cors = createCors(settings.corsOrigin);
  const through = createCalls({
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
  const warnRejected = createRejectionWarning(log, () => performance.now());
  const counts = metrics.ingest;
  const ingestOptions = { domain, gate, batches, counts, bodies, slices, pace, warnRejected };
  const entries = resourceEntries(resources);
  const specification = lazily(() =>
    toRepresentation(
      `${JSON.stringify(openapiDocument(resources, { version, baseUrl: settings.baseUrl }))}\n`,
      {
        vary: 'Accept-Encoding',
      },
    ),
  );

  // --- public
  if (settings.noPage) route('/', { GET: documents.root });
  else for (const { path, handler } of createPage(options)) route(path, { GET: handler });
  // It does not check the store, so that a full disk causes no restart.
  route('/healthz', { GET: () => jsonAnswer('{"status":"ok"}') });
  route('/readyz', { GET: () => readiness(domain.store) });
  route('/metrics', {
    GET(exchange) {
      if (!settings.metricsPublic && !addresses.isLoopback(exchange)) throw nothingHere;
      return metrics.answer();
    },
  });
  route('/api/v1', { GET: documents.page });
  route('/api/v1/docs', { GET: documents.page });
  for (const name of documentFiles) route(`/api/v1/docs/${name}`, { GET: documents.file(name) });
  route('/api/v1/openapi.json', {
    GET: (exchange) => represent(exchange, specification(), 'public, no-cache'),
  });

  // --- with an API key
  route('/api/v1/me', {
    GET: secured({ ...readable, permissions: [] }, createMeHandler(domain, entries)),
  });
  route('/api/v1/resources', {
    GET: secured({ ...readable, permissions: [] }, createResourcesHandler(entries)),
  });
  for (const resource of resources) {
    const { name, permissions } = resource;
    const isSensors = name === 'sensors';
    const states = isSensors ? createSensorStates(domain) : undefined;
    const { list, single } = createRecordHandlers(resource, reading, states);
    route(`/api/v1/${name}`, { GET: secured({ ...readable, permissions }, list) });
    route(`/api/v1/${name}/:id`, { GET: secured({ ...readable, permissions }, single) });
    if (!isSensors) continue;
    const readings = createReadingsHandlers(resource, reading);
    route(`/api/v1/${name}/:id/readings`, {
      GET: secured({ ...readable, permissions }, readings.single),
    });
    route('/api/v1/readings', { GET: secured({ ...readable, permissions }, readings.many) });
  }
  for (const operation of ingestOperations) {
    const { path, permissions, reading: whereToRead } = operation;
    route(
      path,
      {
        POST: secured({ limit: 'ingest', permissions }, createIngest(operation, ingestOptions)),
      },
      whereToRead,
    );
  }
  app.all(
    '/**',
    through('unknown', () => {
      throw nothingHere;
    }),
  );
  return app;

  /** Registers the methods of a path; GET brings HEAD along, and any other method gets 405 with Allow and perhaps a hint. */
  function route(path: string, handlers: Partial<Record<Method, Handler>>, hint?: string): void {
    const allowed: string[] = [];
    for (const method of ['GET', 'POST'] as const) {
      const handler = handlers[method];
      if (!handler) continue;
      for (const name of method === 'GET' ? (['GET', 'HEAD'] as const) : [method]) {
        allowed.push(name);
        app.on(name, path, through(path, handler));
      }
    }
    app.all(
      path,
      through(path, (exchange) => cors.preflight(exchange, allowed) ?? refuseMethod(allowed, hint)),
    );
  }

  function secured(requirement: Requirement, handler: SecuredHandler): Handler {
    return (exchange) => gate.admit(exchange, requirement, handler);
  }
}

/** The version of records for an authenticated request: asked once a batch, or known since its authentication. */
function createRecordsVersion(
  records: RecordStore,
  batches: RequestBatches,
): () => MaybePromise<number> {
  return records.lastVersion ?? batches.once(() => records.version());
}

const nothingHere = new ApiError(
  'not_found',
  'There is nothing at this path; GET /api/v1/resources lists what a key can read.',
);

/** The store answers. While the daemon drains, this is 503 like every other path. */
async function readiness({ keys, records }: Domain['store']): Promise<Answer> {
  await keys.version();
  await records.version();
  return jsonAnswer('{"status":"ready"}');
}

function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '');
}

function refuseMethod(allowed: readonly string[], hint = ''): Answer {
  const list = allowed.join(', ');
  const detail = `This path supports only ${wordList(allowed, 'and')}. ${hint}`.trimEnd();
  throw new ApiError('method_not_allowed', detail, { headers: ['Allow', list] });
}
