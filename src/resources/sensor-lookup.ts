import { defineResource } from '../core/fields/fields.ts';
import { heartbeatStatuses } from '../core/readings/heartbeats.ts';
import type { LastState } from '../core/readings/last-state.ts';
import { choice, decimal, flag, instant, reference, span, text, unit } from './kinds.ts';

const newest = '2026-11-20T08:15:00.123456Z';

/** Asset sensors: master data only; readings are in another database. */
export const sensors = defineResource({
  name: 'sensors',
  summary: 'Asset sensors: what each measures, in which unit, and where.',
  idExample: 'SE-1001',
  permissions: ['asset_sensors.view'],
  reservedIds: ['readings', 'heartbeats'],
  listedBy: ['id', 'code'],
  added: {
    last_reading_at: instant('Instant of the newest reading; null before the first.', newest),
    last_value: decimal('Value of the newest reading.', 182.4),
    last_heartbeat_at: instant('Instant of the newest heartbeat; null before the first.', newest),
    last_status: choice(
      heartbeatStatuses,
      'Status of the newest heartbeat; null if it had none.',
      'ok',
    ),
    last_battery: decimal(
      'Battery in the newest heartbeat, in percent; null if it had none.',
      81.5,
    ),
  } satisfies Record<keyof LastState, unknown>,
  fields: {
    code: text(64, 'Code by which gateways name the sensor; unique in the entity.', 'OVEN-3-T1', {
      unique: true,
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the sensor.', 'Oven 3, zone 1 temperature', { required: true }),
    asset_id: reference('assets', 'Asset it is fitted to.', 'A-1001', { filter: true }),
    quantity: text(64, 'What it measures.', 'temperature'),
    unit: unit(
      'Unit of its readings, as a UCUM code; null if they have none, as for a switch.',
      'Cel',
    ),
    is_active: flag('Whether readings are expected from it.', { required: true, filter: true }),
    silent_after: span(
      'After how long without a reading or heartbeat it counts as silent; after a day if null.',
      '15m',
    ),
  },
});
