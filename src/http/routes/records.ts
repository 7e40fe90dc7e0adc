import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import { chain, type MaybePromise } from '../../core/port/maybe-promise.ts';
import { pageSeparator } from '../../core/port/records.ts';
import { findSensor, withStates } from '../../core/readings/sensors.ts';
import { dayOf } from '../../core/records/changes.ts';
import { createListReader, type ListSource } from '../../core/records/lists.ts';
import { canonicalText } from '../../core/text/canonical.ts';
import type { Answer } from '../answers/answer.ts';
import { ApiError } from '../answers/problem.ts';
import type { KeySession } from '../auth/credential-cache.ts';
import type { Gate } from '../auth/gate.ts';
import type { Budget } from '../fairness/budget.ts';
import type { Slices } from '../fairness/slices.ts';
import { mediaTypeFor } from '../request/accept.ts';
import {
  type PageCache,
  type Representation,
  represent,
  toRepresentation,
} from '../request/caching.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery, requireNoQuery } from '../request/query.ts';
import { envelope, type Links, listTypeFor, recordsToCsv } from './lists.ts';

/** Dependencies of the routes of a daemon. */
export interface RecordReading {
  domain: Domain;
  /** Finished answers, each valid for a version of the store. */
  pages: PageCache;
  recordsVersion(): MaybePromise<number>;
  links: Links;
  slices: Slices;
  /** The memory of large answers. */
  answers: Budget;
  /** Counts further requests against a key. */
  charge: Gate['charge'];
}

/**
 * Builds the handlers of a resource: `list` answers `GET /<resource>` with a page of records of the key's entity, or of the
 * changes since a sync token; `single` answers `GET /<resource>/{id}`, where a record of another entity is not found.
 */
export function createRecordHandlers(
  resource: ResourceDefinition,
  { domain, pages, recordsVersion, links, slices }: RecordReading,
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
      const run = runFor(session);
      const read = async () => {
        const page = await readList(parseQuery(exchange.query), scope, { records, run, nowMs });
        if (states) page.json = await states.complete(scope.entityId, page.json, run);
        const options = {
          headers: links(exchange, page.cursor),
          vary: 'Authorization, Accept',
          type,
        };
        // CSV is written in many steps, JSON in one.
        if (type === 'text/csv') {
          return toRepresentation(
            await slices.run(principal.keyId, recordsToCsv(resource, page)),
            options,
          );
        }
        return slices.call(principal.keyId, () => toRepresentation(envelope(page), options));
      };
      // The day is part of it, since the sync token of a page names the day on which it was issued.
      return answer(
        exchange,
        `${resource.name}?${exchange.query} ${scopeKey} ${dayOf(nowMs)} ${type}`,
        read,
      );
    },

    single(exchange: Exchange, session: KeySession): MaybePromise<Answer> {
      requireNoQuery(exchange.query);
      mediaTypeFor(exchange.header('accept'), ['application/json']);
      const name = exchange.parameter('id');
      if (name === undefined) throw notFound(resource);
      const { entityId } = session.scope;
      const read = async () => {
        const id = states ? await states.idOf(entityId, name) : canonicalText(name);
        const record = id === undefined ? undefined : await records.get(resource, entityId, id);
        // Older versions have stored ids in any form of Unicode.
        const json =
          record ?? (id === name ? undefined : await records.get(resource, entityId, name));
        if (json === undefined) throw notFound(resource);
        const text = states ? await states.complete(entityId, json, runFor(session)) : json;
        return toRepresentation(`${text}\n`);
      };
      return answer(exchange, `${resource.name}/${name} ${session.scopeKey}`, read);
    },
  };

  /**
   * Answers with the kept page if the store has not changed since, else reads it and keeps it. The version is read before
   * the page, so that a kept page is never older than its version says.
   */
  function answer(
    exchange: Exchange,
    key: string,
    read: () => Promise<Representation>,
  ): MaybePromise<Answer> {
    if (states) return read().then((page) => represent(exchange, page));
    return chain(recordsVersion(), (at) => {
      const cachedPage = pages.get(key, at);
      if (cachedPage) return represent(exchange, cachedPage);
      // Reading the store takes so long that a promise does not matter.
      return read().then((page) => {
        pages.put(key, at, page);
        return represent(exchange, page);
      });
    });
  }
}

/** Sensors are found by their id or their code, and shown with their last states, which change all the time: no answer is kept. */
export function createSensorStates({ store: { readings } }: Domain) {
  return {
    idOf: async (entityId: string, name: string) =>
      findSensor(await readings.directory(entityId), name)?.id,
    async complete(entityId: string, json: string, run: ListSource['run']): Promise<string> {
      const directory = await readings.directory(entityId);
      // Synchronous if possible, so that its time is measured.
      return run(() =>
        chain(withStates(readings, directory, JSON.parse(`[${json}]`)), (views) =>
          views.map((view) => JSON.stringify(view)).join(pageSeparator),
        ),
      );
    },
  };
}

/** The error for an id that does not exist or belongs to another entity. */
export function notFound({ singular }: Pick<ResourceDefinition, 'singular'>): ApiError {
  return new ApiError('not_found', `There is no such ${singular} in this entity.`);
}
