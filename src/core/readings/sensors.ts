import { type Actor, auditDraft } from '../domain/actors.ts';
import type { Domain } from '../domain/domain.ts';
import { HkctlError } from '../errors.ts';
import type { ResourceDefinition } from '../fields/fields.ts';
import type { Entity } from '../port/entities.ts';
import type { ReadingText, ReadingTextRequest, Sensor, SensorDirectory, SensorState } from '../port/readings.ts';
import type { RecordPosition } from '../port/records.ts';
import { didYouMean, nearest } from '../text/words.ts';
import { formatOptionalUs } from '../time/instants.ts';
import { dayMs } from '../time/spans.ts';

type SensorView = { id: string; code: string; [field: string]: unknown } & ReturnType<typeof shownState>;

/** All sensors of an entity in order of id. `resource` is the declaration of sensors. */
export async function listSensors(domain: Domain, entity: Entity, resource: ResourceDefinition): Promise<SensorView[]> {
  const records: Record<string, unknown>[] = [];
  for (let after: RecordPosition | undefined; ; ) {
    const page = await domain.store.records.page({
      resource,
      entityId: entity.id,
      conditions: [],
      orderBy: 'id',
      limit: 500,
      after,
    });
    // The store writes records as JSON objects separated by commas.
    records.push(...(JSON.parse(`[${page.json}]`) as Record<string, unknown>[]));
    if (page.next === null) break;
    after = page.next;
  }
  return withStates(domain, entity, records);
}

export async function requireSensor(domain: Domain, entity: Entity, ref: string): Promise<Sensor> {
  const sensors = await domain.store.readings.directory(entity.id);
  const sensor = sensors.get(ref);
  if (sensor) return sensor;
  throw new HkctlError('not_found', `No sensor "${ref}" in entity ${entity.code}.`, {
    hint: `${didYouMean(nearest(ref, [...sensors.keys()]))}hkctl sensors list --entity ${entity.code} shows them.`,
  });
}

export async function showSensor(
  domain: Domain,
  entity: Entity,
  resource: ResourceDefinition,
  ref: string,
): Promise<SensorView> {
  const sensor = await requireSensor(domain, entity, ref);
  const json = await domain.store.records.get(resource, entity.id, sensor.id);
  const [view] = json === undefined ? [] : await withStates(domain, entity, [JSON.parse(json)]);
  if (!view) throw new HkctlError('not_found', `The sensor "${ref}" was removed meanwhile.`);
  return view;
}

/** Finds a sensor by its id alone: in a directory the same text may be the code of another one, which takes precedence. */
export function sensorById(directory: SensorDirectory, id: string): Sensor | undefined {
  const named = directory.get(id);
  if (named === undefined || named.id === id) return named;
  for (const sensor of directory.values()) if (sensor.id === id) return sensor;
  return undefined;
}

export function findSensor(directory: SensorDirectory, name: string): Sensor | undefined {
  return sensorById(directory, name) ?? directory.get(name);
}

/** The last state of a sensor as fields of its record, null before the first reading or heartbeat. */
export function shownState(state: SensorState | undefined) {
  return {
    last_reading_at: formatOptionalUs(state?.lastReadingAtUs),
    last_value: state?.lastValue ?? null,
    last_heartbeat_at: formatOptionalUs(state?.lastHeartbeatAtUs),
    last_status: state?.lastStatus ?? null,
  };
}

interface ReadingsExport {
  sensors: readonly Sensor[] | undefined;
  fromUs?: number;
  toUs?: number;
}

/** Audits that readings leave the store; needs no permission, since every profile may read sensors. */
export async function auditExport(
  domain: Domain,
  actor: Actor,
  entity: Entity,
  { sensors, fromUs, toUs }: ReadingsExport,
): Promise<void> {
  const detail = {
    sensors: sensors === undefined ? 'all' : sensors.map(({ code }) => code).join(' '),
    from: formatOptionalUs(fromUs),
    to: formatOptionalUs(toUs),
  };
  await domain.store.audit.append(auditDraft(domain, actor, 'sensors.export', entity.code, detail));
}

/** Readings of one sensor as rows of text in order of time, page by page to bound memory. */
export async function* textOf(
  domain: Domain,
  sensor: Sensor,
  request: Pick<ReadingTextRequest, 'fromUs' | 'toUs' | 'format' | 'lead'>,
): AsyncGenerator<string> {
  const client = { owner: sensor.id, charge() {} };
  for (let fromUs: number | null | undefined = request.fromUs; fromUs !== null; ) {
    const given = { ...request, series: sensor.series, fromUs, limit: pageSize };
    const page: ReadingText = await domain.store.readings.text(given, client);
    for (const piece of page.pieces) if (piece.length > 0) yield decoder.decode(piece);
    fromUs = page.nextUs;
  }
}

const pageSize = 100_000;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

async function withStates(domain: Domain, entity: Entity, records: Record<string, unknown>[]): Promise<SensorView[]> {
  const directory = await domain.store.readings.directory(entity.id);
  const byId = new Map([...directory.values()].map((sensor) => [sensor.id, sensor]));
  const states = await domain.store.readings.states([...byId.values()].map(({ series }) => series));
  return records.map((record) => {
    const sensor = byId.get(String(record.id));
    const state = sensor && states.get(sensor.series);
    return { ...record, id: String(record.id), code: String(record.code), ...shownState(state) };
  });
}

/** A sensor that sent nothing for this time is reported as silent. */
const silentMs = dayMs;

/** Whether a sensor was heard before, and sent neither a reading nor a heartbeat for a day. */
export function isSilent(seenMs: number | null, nowMs: number): boolean {
  return seenMs !== null && nowMs - seenMs > silentMs;
}
