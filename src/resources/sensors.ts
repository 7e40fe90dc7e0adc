import { defineResource } from '../core/records/fields.ts';

/** Asset sensors: master data; their readings are kept elsewhere. */
export const sensors = defineResource({
  name: 'sensors',
  title: 'Sensors',
  singular: 'sensor',
  summary: 'Asset sensors: what each measures, in which unit, and where.',
  idExample: 'SE-1001',
  permissions: ['asset_sensors.view'],
  reservedIds: ['readings', 'heartbeats'],
  fields: {
    code: {
      kind: 'text',
      maxLength: 64,
      unique: true,
      required: true,
      filter: true,
      doc: 'Code by which gateways name the sensor; unique in the entity.',
      example: 'OVEN-3-T1',
    },
    name: {
      kind: 'text',
      maxLength: 200,
      required: true,
      doc: 'Name of the sensor.',
      example: 'Oven 3, zone 1 temperature',
    },
    asset_id: {
      kind: 'text',
      maxLength: 64,
      references: 'assets',
      filter: true,
      doc: 'Asset it is fitted to.',
      example: 'A-1001',
    },
    quantity: { kind: 'text', maxLength: 64, doc: 'What it measures.', example: 'temperature' },
    unit: {
      kind: 'text',
      maxLength: 16,
      format: 'ucum',
      doc: 'Unit of its readings, as a UCUM code; null where they have none, as for a switch.',
      example: 'Cel',
    },
    is_active: {
      kind: 'boolean',
      required: true,
      filter: true,
      doc: 'Whether readings are expected from it.',
      example: true,
    },
  },
});
