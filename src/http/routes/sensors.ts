import type { Domain } from '../../core/domain/domain.ts';
import type { ResourceDefinition } from '../../core/fields/fields.ts';
import type { MaybePromise } from '../../core/port/maybe-promise.ts';
import type { ReadingStore, SensorDirectory } from '../../core/port/readings.ts';
import { findSensor, type SensorRecord, withStates } from '../../core/readings/sensors.ts';
import { createListReader, type ListSource } from '../../core/records/lists.ts';
import { pageSeparator } from '../../core/records/page-rows.ts';
import type { Session } from '../auth/session.ts';
import type { Slices } from '../fairness/slices.ts';
import { mediaTypeFor } from '../request/accept.ts';
import { represent, toRepresentation } from '../request/caching.ts';
import { chain } from '../request/chain.ts';
import type { Exchange } from '../request/exchange.ts';
import { parseQuery, requireNoQuery } from '../request/query.ts';
import { listTypeFor, type PageWriter } from './lists.ts';
import { notFound } from './records.ts';

/** `GET /sensors`: imported fields and the last state of each sensor. Not cached, because readings arrive all the time. */
export function createSensorListHandler(
  domain: Domain,
  resource: ResourceDefinition,
  write: PageWriter,
  slices: Slices,
) {
  const reader = createListReader(resource);
  const { readings, records } = domain.store;
  return async (exchange: Exchange, session: Session) => {
    const type = listTypeFor(exchange);
    const { keyId } = session.principal;
    const run: ListSource['run'] = (statement) => slices.call(keyId, statement);
    const source = { records, run, nowMs: domain.clock() };
    const page = await reader.read(parseQuery(exchange.query), session.scope, source);
    const directory = await readings.directory(session.scope.entityId);
    const json = await run(() => statesText(readings, directory, JSON.parse(`[${page.json}]`)));
    return represent(exchange, await write(exchange, keyId, resource, { ...page, json }, type));
  };
}

/** `GET /sensors/{id}`: one sensor, by its id or its code, with its last state. */
export function createSensorHandler(domain: Domain, resource: ResourceDefinition) {
  return async (exchange: Exchange, session: Session) => {
    requireNoQuery(exchange.query);
    mediaTypeFor(exchange.header('accept'), ['application/json']);
    const name = exchange.parameter('id');
    const { entityId } = session.scope;
    const { readings, records } = domain.store;
    const directory = await readings.directory(entityId);
    const sensor = name === undefined ? undefined : findSensor(directory, name);
    const json = sensor && (await records.get(resource, entityId, sensor.id));
    if (json === undefined) throw notFound(resource);
    const text = await statesText(readings, directory, [JSON.parse(json)]);
    return represent(exchange, toRepresentation(`${text}\n`));
  };
}

/** Sensors with their last states, as JSON, joined like those of a page; synchronous if possible, so that `Slices` measures it. */
function statesText(readings: ReadingStore, directory: SensorDirectory, sensors: SensorRecord[]): MaybePromise<string> {
  return chain(withStates(readings, directory, sensors), (views) =>
    views.map((view) => JSON.stringify(view)).join(pageSeparator),
  );
}
