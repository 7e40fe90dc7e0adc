import { defineResource } from '../core/records/fields.ts';
import { currencyOf } from './kinds.ts';
import { serviceRows } from './service-rows.ts';

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
    document_number: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'Number of the document.',
      example: 'LS-88213',
    },
    document_type: {
      kind: 'enum',
      values: ['delivery_note', 'shipping_notice', 'goods_receipt', 'customer_material', 'return'],
      required: true,
      filter: true,
      doc: 'Kind of document.',
      example: 'delivery_note',
    },
    status: {
      kind: 'enum',
      values: ['expected', 'received', 'in_inspection', 'released', 'completed', 'rejected', 'cancelled'],
      required: true,
      filter: true,
      doc: 'Where the document stands.',
      example: 'received',
    },
    partner_code: {
      kind: 'text',
      maxLength: 64,
      doc: 'Number of the supplier or customer in the ERP system.',
      example: 'S-1044',
    },
    partner_name: {
      kind: 'text',
      maxLength: 200,
      doc: 'Name of the supplier or customer.',
      example: 'Giesserei Lindental GmbH',
    },
    order_id: {
      kind: 'text',
      maxLength: 64,
      references: 'orders',
      filter: true,
      doc: 'Order the goods belong to.',
      example: 'O-1001',
    },
    routing_id: {
      kind: 'text',
      maxLength: 64,
      references: 'routings',
      doc: 'Routing assigned to the goods.',
      example: 'R-1001',
    },
    received_date: { kind: 'date', filter: true, doc: 'Day on which the goods came in.', example: '2026-11-02' },
    required_date: { kind: 'date', filter: true, doc: 'Day by which the goods are required.', example: '2026-11-27' },
    delivered_date: {
      kind: 'date',
      filter: true,
      doc: 'Day on which the goods left again or were handed on.',
      example: '2026-11-26',
    },
    invoiced_date: {
      kind: 'date',
      filter: true,
      doc: 'Day on which the document was invoiced.',
      example: '2026-11-30',
    },
    received_by: {
      kind: 'text',
      maxLength: 64,
      references: 'people',
      doc: 'Person who took the goods in.',
      example: 'PE-1001',
    },
    total_amount: { kind: 'decimal', min: 0, doc: 'Net amount of all services, in `currency`.', example: 2310.5 },
    currency: currencyOf('amount'),
    notes: { kind: 'text', maxLength: 2000, doc: 'Free text.', example: 'Deliver to gate 2' },
    services: serviceRows,
  },
});
