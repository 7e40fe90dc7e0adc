import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import { pageSeparator, type RecordRow } from '../../core/port/records.ts';
import { findSensor, type SensorView, withStates } from '../../core/readings/sensors.ts';
import { dayOf } from '../../core/records/changes.ts';
import {
  createListReader,
  type ListPage,
  type ListSource,
  rowPages,
  textPages,
} from '../../core/records/lists.ts';
import type { QueryParameters } from '../../core/records/parameters.ts';
import type { PageScope } from '../../core/records/queries.ts';
import { canonicalText } from '../../core/text/words.ts';
import type { Answer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { KeySession } from '../auth/credential-cache.ts';
import type { Gate } from '../auth/gate.ts';
import type { Budget } from '../fairness/budget.ts';
import type { Slices } from '../fairness/slices.ts';
import { type Exchange, parseQuery, requireNoQuery } from '../request/exchange.ts';
import {
  mediaTypeFor,
  type PageCache,
  type Representation,
  represent,
  toRepresentation,
} from '../request/representation.ts';
import { envelope, type Links, listTypeFor, recordsIn, recordsToCsv } from './lists.ts';

/** Dependencies of the routes of a daemon. */
export interface RecordReading {
  domain: Domain;
  /** Finished answers, each valid for a version of the store. */
  pages: PageCache;
  recordsCounter(): MaybePromise<number>;
  links: Links;
  slices: Slices;
  /** The memory of large answers. */
  answers: Budget;
  /** Readings that are not read after this time are refused. */
  readMs: number;
  /** Counts further requests against a key. */
  charge: Gate['charge'];
}

/**
 * Builds the handlers of a resource: `list` answers `GET /<resource>` with a page of records of the key's entity, or of the
 * changes since a sync token; `single` answers `GET /<resource>/{id}`, where a record of another entity is not found.
 */
export function createRecordHandlers(
  resource: ResourceDefinition,
  { domain, pages, recordsCounter, links, slices }: RecordReading,
  states?: ReturnType<typeof createSensorStates>,
) {
  const { records } = domain.store;
  const readList = createListReader(resource);
  const runFor =
    ({ principal }: KeySession): ListSource['run'] =>
    (statement) =>
      slices.call(principal.keyId, statement);
  return {
    list(exchange: Exchange, session: KeySession): MaybePromise<Answer> {
      const type = listTypeFor(exchange);
      const nowMs = domain.clock();
      const { scope, scopeKey, principal } = session;
      const readRepresentation = async () => {
        const source = { store: records, run: runFor(session), nowMs };
        const { page, rows } = await readPage(parseQuery(exchange.query), scope, source);
        const options = {
          headers: links(exchange, page.cursor),
          vary: 'Authorization, Accept',
          type,
        };

        // CSV is written in many steps, JSON in one.
        if (type === 'text/csv') {
          const csv = recordsToCsv(resource, rows, page.include);
          return toRepresentation(await slices.run(principal.keyId, csv), options);
        }
        return slices.call(principal.keyId, () => toRepresentation(envelope(page), options));
      };
      // The day is part of it, since the sync token of a page names the day on which it was issued.
      return answer(
        exchange,
        `${resource.name}?${exchange.query} ${scopeKey} ${dayOf(nowMs)} ${type}`,
        readRepresentation,
      );
    },

    single(exchange: Exchange, session: KeySession): MaybePromise<Answer> {
      requireNoQuery(exchange.query);
      mediaTypeFor(exchange.header('accept'), ['application/json']);
      const recordName = exchange.parameter('id');
      if (recordName === undefined) throw notFound(resource);
      const { entityId } = session.scope;
      const readRepresentation = async () => {
        const json = states
          ? await states.single(resource, entityId, recordName, runFor(session))
          : await readSingle(entityId, recordName);
        if (json === undefined) throw notFound(resource);
        return toRepresentation(`${json}\n`);
      };
      return answer(
        exchange,
        `${resource.name}/${recordName} ${session.scopeKey}`,
        readRepresentation,
      );
    },
  };

  /** A page as text for JSON, and as rows for CSV. */
  async function readPage(
    query: QueryParameters,
    scope: PageScope,
    source: Omit<ListSource, 'pages'>,
  ): Promise<{ page: ListPage; rows: Iterable<Readonly<Record<string, unknown>>> }> {
    if (!states) {
      const page = await readList(query, scope, { ...source, pages: textPages(records) });
      return { page, rows: recordsIn(page.records) };
    }

    const page = await readList(query, scope, { ...source, pages: rowPages(records) });
    const { rows, text } = await states.complete(scope.entityId, page.records, source.run);
    return { page: { ...page, records: text }, rows };
  }

  async function readSingle(entityId: string, id: string): Promise<string | undefined> {
    const json = await records.get(resource, entityId, canonicalText(id));
    if (json !== undefined || id === canonicalText(id)) return json;

    // Older versions have stored ids in any form of Unicode.
    return records.get(resource, entityId, id);
  }

  /**
   * Answers with the cached page if the store has not changed since, else reads and caches it. The change counter is read
   * before the page, so that a cached page is never older than its counter says.
   */
  function answer(
    exchange: Exchange,
    key: string,
    readRepresentation: () => Promise<Representation>,
  ): MaybePromise<Answer> {
    if (states) return readRepresentation().then((page) => represent(exchange, page));
    return chain(recordsCounter(), (counter) => {
      const cachedPage = pages.get(key, counter);
      if (cachedPage) return represent(exchange, cachedPage);
      // Reading the store takes so long that a promise does not matter.
      return readRepresentation().then((page) => {
        pages.put(key, counter, page);
        return represent(exchange, page);
      });
    });
  }
}

/** Sensors are found by their id or their code, and shown with their last states, which change all the time: no answer is cached. */
export function createSensorStates({ store: { readings, records } }: Domain) {
  /** The records with their states, as rows and as the text of a page. */
  const complete = async (
    entityId: string,
    recordRows: readonly RecordRow[],
    run: ListSource['run'],
  ): Promise<{ rows: readonly SensorView[]; text: string }> => {
    const directory = await readings.directory(entityId);
    // Synchronous if possible, so that its time is measured.
    return run(() =>
      chain(withStates(readings, directory, recordRows), (views) => ({
        rows: views,
        text: views.map((view) => JSON.stringify(view)).join(pageSeparator),
      })),
    );
  };

  return {
    complete,
    /** A sensor as JSON, by its id or its code. */
    async single(
      resource: ResourceDefinition,
      entityId: string,
      sensorName: string,
      run: ListSource['run'],
    ): Promise<string | undefined> {
      const id = findSensor(await readings.directory(entityId), sensorName)?.id ?? sensorName;
      const sensorRow = await records.row(resource, entityId, id);
      return sensorRow && (await complete(entityId, [sensorRow], run)).text;
    },
  };
}

/** The error for an id that does not exist or belongs to another entity. */
export function notFound({ singular }: Pick<ResourceDefinition, 'singular'>): ApiError {
  return new ApiError('not_found', `There is no such ${singular} in this entity.`);
}
