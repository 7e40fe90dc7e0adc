import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, currencyOf, date, decimal, instant, reference, text, unitOfQuantities } from '../kinds.ts';

/** Stock by part, lot and location. */
export const inventoryItems = defineResource({
  name: 'inventory-items',
  title: 'Inventory items',
  singular: 'inventory item',
  summary: 'Stock: what lies where, by part, lot and location.',
  idExample: 'IT-1001',
  permissions: ['inventory_items.view'],
  fields: {
    part_id: reference('parts', 'Part that is in stock.', 'P-1001', { required: true, filter: true }),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419', { filter: true }),
    serial_number: text(64, 'Serial number, where the part has one.', 'SN-004711'),
    warehouse: text(64, 'Warehouse.', 'MAIN'),
    location: text(64, 'Bin, rack or floor location.', 'R04-B12', { filter: true }),
    status: choice(
      ['available', 'reserved', 'in_inspection', 'blocked', 'in_transit', 'consumed'],
      'Whether it may be used.',
      'available',
      { required: true, filter: true },
    ),
    quantity_on_hand: decimal('Quantity that is there.', 240, { required: true }),
    quantity_reserved: amount('Quantity promised to jobs and orders.', 120),
    unit: unitOfQuantities,
    unit_cost: amount('Cost of one unit, in `currency`.', 48.5),
    currency: currencyOf('cost'),
    received_date: date('Day on which it came in.', '2026-11-02'),
    expiry_date: date('Last day on which it may be used.', '2027-11-01'),
    last_counted_at: instant('When it was last counted.', '2026-10-31T16:20:00.000000Z'),
  },
});
