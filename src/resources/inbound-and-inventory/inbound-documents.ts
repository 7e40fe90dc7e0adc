import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, currencyOf, date, reference, text } from '../kinds.ts';
import { serviceRows } from '../service-rows.ts';

/** Inbound documents, with the routing assigned to them and their services in the detailed answer (specification 2.4). */
export const inboundDocuments = defineResource({
  name: 'inbound-documents',
  title: 'Inbound documents',
  singular: 'inbound document',
  summary:
    'Inbound documents: what announces or accompanies incoming goods; the answer for a single one lists its priced services.',
  idExample: 'IN-1001',
  permissions: ['inbound_documents.view'],
  fields: {
    document_number: text(64, 'Number of the document.', 'LS-88213', { required: true, filter: true }),
    document_type: choice(
      ['delivery_note', 'shipping_notice', 'goods_receipt', 'customer_material', 'return'],
      'Kind of document.',
      'delivery_note',
      { required: true, filter: true },
    ),
    status: choice(
      ['expected', 'received', 'in_inspection', 'released', 'completed', 'rejected', 'cancelled'],
      'Where the document stands.',
      'received',
      { required: true, filter: true },
    ),
    partner_code: text(64, 'Number of the supplier or customer in the ERP system.', 'S-1044'),
    partner_name: text(200, 'Name of the supplier or customer.', 'Giesserei Lindental GmbH'),
    order_id: reference('orders', 'Order the goods belong to.', 'O-1001', { filter: true }),
    routing_id: reference('routings', 'Routing assigned to the goods.', 'R-1001'),
    received_date: date('Day on which the goods came in.', '2026-11-02', { filter: true }),
    required_date: date('Day by which the goods are required.', '2026-11-27', { filter: true }),
    delivered_date: date('Day on which the goods left again or were handed on.', '2026-11-26', { filter: true }),
    invoiced_date: date('Day on which the document was invoiced.', '2026-11-30', { filter: true }),
    received_by: reference('people', 'Person who took the goods in.', 'PE-1001'),
    total_amount: amount('Net amount of all services, in `currency`.', 2310.5),
    currency: currencyOf('amount'),
    notes: text(2000, 'Free text.', 'Deliver to gate 2'),
    services: serviceRows,
  },
});
