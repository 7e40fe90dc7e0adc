import { defineResource } from '../core/records/fields.ts';
import { currencyOf } from './kinds.ts';
import { serviceRows } from './service-rows.ts';

/** Orders, with their services in the detailed answer (specification 2.4). */
export const orders = defineResource({
  name: 'orders',
  title: 'Orders',
  singular: 'order',
  summary: 'Customer orders; the answer for a single one lists its priced services.',
  idExample: 'O-1001',
  permissions: ['jobs_orders.view', 'production_orders.view'],
  fields: {
    order_number: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'Number of the order as people know it.',
      example: 'SO-2026-0831',
    },
    customer_code: {
      kind: 'text',
      maxLength: 64,
      filter: true,
      doc: 'Number of the customer in the ERP system.',
      example: 'C-20417',
    },
    customer_name: { kind: 'text', maxLength: 200, doc: 'Name of the customer.', example: 'Nordwind Getriebe GmbH' },
    customer_reference: { kind: 'text', maxLength: 64, doc: "The customer's own order number.", example: '4500119876' },
    status: {
      kind: 'enum',
      values: ['draft', 'confirmed', 'in_progress', 'on_hold', 'delivered', 'invoiced', 'closed', 'cancelled'],
      required: true,
      filter: true,
      doc: 'Where the order stands.',
      example: 'in_progress',
    },
    project_id: {
      kind: 'text',
      maxLength: 64,
      references: 'projects',
      filter: true,
      doc: 'Project the order belongs to.',
      example: 'PRJ-1001',
    },
    priority: { kind: 'integer', min: 1, max: 9, doc: 'Urgency from 1 (first) to 9 (last).', example: 2 },
    received_date: { kind: 'date', filter: true, doc: 'Day on which the order came in.', example: '2026-11-02' },
    required_date: {
      kind: 'date',
      filter: true,
      doc: 'Day by which the customer requires the order.',
      example: '2026-11-27',
    },
    delivered_date: {
      kind: 'date',
      filter: true,
      doc: 'Day on which the order was delivered in full.',
      example: '2026-11-26',
    },
    invoiced_date: { kind: 'date', filter: true, doc: 'Day on which the order was invoiced.', example: '2026-11-30' },
    total_amount: { kind: 'decimal', min: 0, doc: 'Net amount of all services, in `currency`.', example: 18450.5 },
    currency: currencyOf('amount'),
    notes: { kind: 'text', maxLength: 2000, doc: 'Free text.', example: 'Deliver to gate 2' },
    services: serviceRows,
  },
});
