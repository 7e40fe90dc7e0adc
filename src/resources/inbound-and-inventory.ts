import { defineResource } from '../core/fields/fields.ts';
import {
  amount,
  choice,
  currencyOf,
  date,
  decimal,
  instant,
  reference,
  text,
  unit,
  unitOfQuantities,
} from './kinds.ts';
import { serviceRows } from './service-rows.ts';

/** Inbound documents, with the routing assigned to them and their services in the detailed answer (promise 5.10). */
export const inboundDocuments = defineResource({
  name: 'inbound-documents',
  summary:
    'Inbound documents: what announces or accompanies incoming goods; the answer for a single one lists its priced services.',
  idExample: 'IN-1001',
  permissions: ['inbound_documents.view'],
  fields: {
    document_number: text(64, 'Number of the document.', 'LS-88213', {
      required: true,
      filter: true,
    }),
    document_type: choice(
      ['delivery_note', 'shipping_notice', 'goods_receipt', 'customer_material', 'return'],
      'Kind of document.',
      'delivery_note',
      { required: true, filter: true },
    ),
    status: choice(
      ['expected', 'received', 'in_inspection', 'released', 'completed', 'rejected', 'cancelled'],
      'State of the document.',
      'received',
      { required: true, filter: true },
    ),
    partner_code: text(64, 'Number of the supplier or customer in the ERP system.', 'S-1044'),
    partner_name: text(200, 'Name of the supplier or customer.', 'Giesserei Lindental GmbH'),
    order_id: reference('orders', 'Order the goods belong to.', 'O-1001', { filter: true }),
    routing_id: reference('routings', 'Routing assigned to the goods.', 'R-1001'),
    received_date: date('Day on which the goods came in.', '2026-11-02', { filter: true }),
    required_date: date('Day by which the goods are required.', '2026-11-27', { filter: true }),
    delivered_date: date('Day on which the goods left again or were handed on.', '2026-11-26', {
      filter: true,
    }),
    invoiced_date: date('Day on which the document was invoiced.', '2026-11-30', { filter: true }),
    received_by: reference('people', 'Person who took the goods in.', 'PE-1001'),
    total_amount: amount('Net amount of all services, in `currency`.', 2310.5),
    currency: currencyOf('amount'),
    notes: text(2000, 'Free text.', 'Deliver to gate 2'),
    services: serviceRows,
  },
});

export const inventoryItems = defineResource({
  name: 'inventory-items',
  summary: 'Stock: what lies where, by part, lot and location.',
  idExample: 'IT-1001',
  permissions: ['inventory_items.view'],
  fields: {
    part_id: reference('parts', 'Part that is in stock.', 'P-1001', {
      required: true,
      filter: true,
    }),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419', { filter: true }),
    serial_number: text(64, 'Serial number, if the part has one.', 'SN-004711'),
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

export const inventoryMovements = defineResource({
  name: 'inventory-movements',
  summary:
    'Movements of stock: receipts, issues, transfers and corrections, each with its instant.',
  idExample: 'MV-1001',
  permissions: ['inventory_movements.view'],
  fields: {
    inventory_item_id: reference('inventory-items', 'Item that was moved.', 'IT-1001', {
      filter: true,
    }),
    part_id: reference('parts', 'Part that was moved.', 'P-1001', { required: true, filter: true }),
    movement_type: choice(
      ['receipt', 'issue', 'return', 'transfer', 'adjustment', 'scrap', 'shipment'],
      'What happened.',
      'issue',
      { required: true, filter: true },
    ),
    quantity: decimal('Quantity moved; negative if an adjustment takes away.', 40, {
      required: true,
    }),
    unit: unit('Unit of the quantity, as a UCUM code.', '{piece}'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    from_location: text(64, 'Location it left.', 'R04-B12'),
    to_location: text(64, 'Location it went to.', 'LINE-2'),
    job_id: reference('jobs', 'Job it was moved for.', 'J-1001', { filter: true }),
    order_id: reference('orders', 'Order it was moved for.', 'O-1001'),
    inbound_document_id: reference('inbound-documents', 'Document it came in with.', 'IN-1001'),
    person_id: reference('people', 'Person who moved it.', 'PE-1001'),
    reason: text(200, 'Reason in words.', 'Issued to job'),
    moved_at: instant('When it was moved.', '2026-11-20T06:31:12.000000Z', {
      required: true,
      filter: true,
    }),
  },
});
