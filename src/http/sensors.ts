import type { Domain } from '../core/actors.ts';
import type { ResourceDefinition } from '../core/fields.ts';
import { formatInstantUs } from '../core/instants.ts';
import { createPageReader, requireKnown } from '../core/pages.ts';
import { sensorById } from '../core/sensors.ts';
import type { SensorState } from '../core/store.ts';
import type { Exchange } from './exchange.ts';
import type { Session } from './gate.ts';
import { represent, toRepresentation } from './page-cache.ts';
import { parseQuery } from './query.ts';
import { type Links, listRepresentation, notFound } from './records.ts';

/** `GET /sensors`: imported fields, and the last that was heard from each. Never kept: readings arrive all the time. */
export function createSensorListHandler(domain: Domain, resource: ResourceDefinition, links: Links) {
  const reader = createPageReader(resource);
  return async (exchange: Exchange, session: Session) => {
    const { request, cursorOf } = reader.read(parseQuery(exchange.query), session.scope);
    const { json, next } = await domain.store.records.page(request);
    const sensors = await withStates(domain, session.scope.entityId, JSON.parse(`[${json}]`));
    const text = sensors.map((sensor) => JSON.stringify(sensor)).join(',');
    const cursor = next === null ? null : cursorOf(next);
    return represent(exchange, listRepresentation(text, cursor, links(exchange, cursor)));
  };
}

const none = new Map<string, unknown>();

/** `GET /sensors/{id}`. */
export function createSensorHandler(domain: Domain, resource: ResourceDefinition) {
  return async (exchange: Exchange, session: Session) => {
    if (exchange.query !== '') requireKnown(parseQuery(exchange.query), none);
    const id = exchange.parameter('id');
    const { entityId } = session.scope;
    const json = id === undefined ? undefined : await domain.store.records.get(resource, entityId, id);
    if (json === undefined) throw notFound(resource);
    const [sensor] = await withStates(domain, entityId, [JSON.parse(json)]);
    return represent(exchange, toRepresentation(JSON.stringify(sensor)));
  };
}

type SensorRecord = { id: string } & Record<string, unknown>;

async function withStates(domain: Domain, entityId: string, sensors: SensorRecord[]) {
  const { readings } = domain.store;
  const directory = await readings.directory(entityId);
  const series = sensors.flatMap(({ id }) => sensorById(directory, id)?.series ?? []);
  const states = await readings.states(series);
  return sensors.map((sensor) => {
    const found = sensorById(directory, sensor.id)?.series;
    return { ...sensor, ...shownState(found === undefined ? undefined : states.get(found)) };
  });
}

function shownState(state: SensorState | undefined) {
  const instant = (us: number | null | undefined): string | null => (us == null ? null : formatInstantUs(us));
  return {
    last_reading_at: instant(state?.lastReadingAtUs),
    last_value: state?.lastValue ?? null,
    last_heartbeat_at: instant(state?.lastHeartbeatAtUs),
    last_status: state?.lastStatus ?? null,
  };
}
