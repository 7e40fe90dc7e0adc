import { defineResource } from '../core/fields/fields.ts';
import { flag, reference, text, unit } from './kinds.ts';

/** Asset sensors: master data only; readings are in another database. */
export const sensors = defineResource({
  name: 'sensors',
  summary: 'Asset sensors: what each measures, in which unit, and where.',
  idExample: 'SE-1001',
  permissions: ['asset_sensors.view'],
  reservedIds: ['readings', 'heartbeats'],
  addedMembers: ['last_reading_at', 'last_value', 'last_heartbeat_at', 'last_status'],
  fields: {
    code: text(64, 'Code by which gateways name the sensor; unique in the entity.', 'OVEN-3-T1', {
      unique: true,
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the sensor.', 'Oven 3, zone 1 temperature', { required: true }),
    asset_id: reference('assets', 'Asset it is fitted to.', 'A-1001', { filter: true }),
    quantity: text(64, 'What it measures.', 'temperature'),
    unit: unit('Unit of its readings, as a UCUM code; null if they have none, as for a switch.', 'Cel'),
    is_active: flag('Whether readings are expected from it.', { required: true, filter: true }),
  },
});
