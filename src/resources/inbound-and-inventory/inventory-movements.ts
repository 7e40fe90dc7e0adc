import { defineResource } from '../../core/records/fields.ts';
import { choice, decimal, instant, reference, text, unit } from '../kinds.ts';

/** Movements of stock. */
export const inventoryMovements = defineResource({
  name: 'inventory-movements',
  title: 'Inventory movements',
  singular: 'inventory movement',
  summary: 'Movements of stock: receipts, issues, transfers and corrections, each with its instant.',
  idExample: 'MV-1001',
  permissions: ['inventory_movements.view'],
  fields: {
    inventory_item_id: reference('inventory-items', 'Item that was moved.', 'IT-1001', { filter: true }),
    part_id: reference('parts', 'Part that was moved.', 'P-1001', { required: true, filter: true }),
    movement_type: choice(
      ['receipt', 'issue', 'return', 'transfer', 'adjustment', 'scrap', 'shipment'],
      'What happened.',
      'issue',
      { required: true, filter: true },
    ),
    quantity: decimal('Quantity moved; negative where an adjustment takes away.', 40, { required: true }),
    unit: unit('Unit of the quantity, as a UCUM code.', '{piece}'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    from_location: text(64, 'Location it left.', 'R04-B12'),
    to_location: text(64, 'Location it went to.', 'LINE-2'),
    job_id: reference('jobs', 'Job it was moved for.', 'J-1001', { filter: true }),
    order_id: reference('orders', 'Order it was moved for.', 'O-1001'),
    inbound_document_id: reference('inbound-documents', 'Document it came in with.', 'IN-1001'),
    person_id: reference('people', 'Person who moved it.', 'PE-1001'),
    reason: text(200, 'Reason in words.', 'Issued to job'),
    moved_at: instant('When it was moved.', '2026-11-20T06:31:12.000000Z', { required: true, filter: true }),
  },
});
