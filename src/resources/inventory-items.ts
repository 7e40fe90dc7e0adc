import { defineResource } from '../core/records/fields.ts';
import { currencyOf, unitOfQuantities } from './kinds.ts';

/** Stock by part, lot and location. */
export const inventoryItems = defineResource({
  name: 'inventory-items',
  title: 'Inventory items',
  singular: 'inventory item',
  summary: 'Stock: what lies where, by part, lot and location.',
  idExample: 'IT-1001',
  permissions: ['inventory_items.view'],
  fields: {
    part_id: {
      kind: 'text',
      maxLength: 64,
      references: 'parts',
      required: true,
      filter: true,
      doc: 'Part that is in stock.',
      example: 'P-1001',
    },
    lot_number: { kind: 'text', maxLength: 64, filter: true, doc: 'Lot or batch.', example: 'L-26-0419' },
    serial_number: { kind: 'text', maxLength: 64, doc: 'Serial number, where the part has one.', example: 'SN-004711' },
    warehouse: { kind: 'text', maxLength: 64, doc: 'Warehouse.', example: 'MAIN' },
    location: { kind: 'text', maxLength: 64, filter: true, doc: 'Bin, rack or floor location.', example: 'R04-B12' },
    status: {
      kind: 'enum',
      values: ['available', 'reserved', 'in_inspection', 'blocked', 'in_transit', 'consumed'],
      required: true,
      filter: true,
      doc: 'Whether it may be used.',
      example: 'available',
    },
    quantity_on_hand: { kind: 'decimal', required: true, doc: 'Quantity that is there.', example: 240 },
    quantity_reserved: { kind: 'decimal', min: 0, doc: 'Quantity promised to jobs and orders.', example: 120 },
    unit: unitOfQuantities,
    unit_cost: { kind: 'decimal', min: 0, doc: 'Cost of one unit, in `currency`.', example: 48.5 },
    currency: currencyOf('cost'),
    received_date: { kind: 'date', doc: 'Day on which it came in.', example: '2026-11-02' },
    expiry_date: { kind: 'date', doc: 'Last day on which it may be used.', example: '2027-11-01' },
    last_counted_at: { kind: 'instant', doc: 'When it was last counted.', example: '2026-10-31T16:20:00.000000Z' },
  },
});
