import { defineResource } from '../core/fields/fields.ts';
import {
  amount,
  choice,
  currencyOf,
  date,
  instant,
  integer,
  reference,
  text,
  unitOfQuantities,
} from './kinds.ts';
import { serviceRows } from './service-rows.ts';

/** Jobs, with the routing assigned to them (promise 5.10). */
export const jobs = defineResource({
  name: 'jobs',
  summary:
    'Jobs: what the plant has undertaken to make or process, for which order and by which routing.',
  idExample: 'J-1001',
  permissions: ['jobs_orders.view'],
  fields: {
    job_number: text(64, 'Number of the job as people know it.', '2026-00417', {
      required: true,
      filter: true,
    }),
    name: text(200, 'What is to be done, in a few words.', 'Bearing housings, batch 12', {
      required: true,
    }),
    status: choice(
      ['planned', 'released', 'in_progress', 'on_hold', 'completed', 'closed', 'cancelled'],
      'State of the job.',
      'in_progress',
      { required: true, filter: true },
    ),
    order_id: reference('orders', 'Order the job works for.', 'O-1001', { filter: true }),
    part_id: reference('parts', 'Part that is made or processed.', 'P-1001', { filter: true }),
    routing_id: reference('routings', 'Routing assigned to the job.', 'R-1001'),
    project_id: reference('projects', 'Project the job belongs to.', 'PRJ-1001'),
    quantity: amount('Quantity ordered.', 120, { required: true }),
    quantity_completed: amount('Quantity finished so far.', 84),
    unit: unitOfQuantities,
    priority: integer('Urgency from 1 (first) to 9 (last).', 3, { min: 1, max: 9 }),
    received_date: date('Day on which the job came in.', '2026-11-02', { filter: true }),
    required_date: date('Day by which the customer requires the job.', '2026-11-27', {
      filter: true,
    }),
    delivered_date: date('Day on which the job was delivered in full.', '2026-11-26', {
      filter: true,
    }),
    invoiced_date: date('Day on which the job was invoiced.', '2026-11-30', { filter: true }),
    started_at: instant('When work began.', '2026-11-09T06:02:11.000000Z'),
    completed_at: instant('When the last operation ended.', '2026-11-25T13:40:00.000000Z'),
  },
});

/** Orders, with their services in the detailed answer (promise 5.10). */
export const orders = defineResource({
  name: 'orders',
  summary: 'Customer orders; the answer for a single one lists its priced services.',
  idExample: 'O-1001',
  permissions: ['jobs_orders.view', 'production_orders.view'],
  fields: {
    order_number: text(64, 'Number of the order as people know it.', 'SO-2026-0831', {
      required: true,
      filter: true,
    }),
    customer_code: text(64, 'Number of the customer in the ERP system.', 'C-20417', {
      filter: true,
    }),
    customer_name: text(200, 'Name of the customer.', 'Nordwind Getriebe GmbH'),
    customer_reference: text(64, "The customer's own order number.", '4500119876'),
    status: choice(
      [
        'draft',
        'confirmed',
        'in_progress',
        'on_hold',
        'delivered',
        'invoiced',
        'closed',
        'cancelled',
      ],
      'State of the order.',
      'in_progress',
      { required: true, filter: true },
    ),
    project_id: reference('projects', 'Project the order belongs to.', 'PRJ-1001', {
      filter: true,
    }),
    priority: integer('Urgency from 1 (first) to 9 (last).', 2, { min: 1, max: 9 }),
    received_date: date('Day on which the order came in.', '2026-11-02', { filter: true }),
    required_date: date('Day by which the customer requires the order.', '2026-11-27', {
      filter: true,
    }),
    delivered_date: date('Day on which the order was delivered in full.', '2026-11-26', {
      filter: true,
    }),
    invoiced_date: date('Day on which the order was invoiced.', '2026-11-30', { filter: true }),
    total_amount: amount('Net amount of all services, in `currency`.', 18450.5),
    currency: currencyOf('amount'),
    notes: text(2000, 'Free text.', 'Deliver to gate 2'),
    services: serviceRows,
  },
});
