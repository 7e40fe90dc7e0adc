import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, count, date, flag, processCarriedOut, reference, text, unit } from '../kinds.ts';

/** Routings; times by ISO 22400-2. */
export const routings = defineResource({
  name: 'routings',
  title: 'Routings',
  singular: 'routing',
  summary: 'Routings: the ordered operations by which a part is made or processed.',
  idExample: 'R-1001',
  permissions: ['routings.view'],
  fields: {
    code: text(64, 'Code of the routing as people know it.', 'RT-BH-2040', { required: true, filter: true }),
    name: text(200, 'Name of the routing.', 'Bearing housing, cast and machined', { required: true }),
    part_id: reference('parts', 'Part it makes; null where it serves several.', 'P-1001', { filter: true }),
    revision: text(32, 'Revision.', 'B'),
    status: choice(['draft', 'released', 'superseded', 'retired'], 'Where the routing stands.', 'released', {
      required: true,
      filter: true,
    }),
    is_active: flag('Whether it may be assigned to jobs and inbound documents.', { required: true, filter: true }),
    lot_size: amount('Lot size the times are planned for.', 120),
    unit: unit('Unit of the lot size, as a UCUM code.', '{piece}'),
    lead_time_days: amount('Planned time from the first operation to the last.', 6, { unit: 'd' }),
    effective_from: date('First day on which it may be used.', '2026-01-01'),
    effective_to: date('Last day on which it may be used.', '2027-12-31'),
    operations: {
      kind: 'list',
      uniqueBy: 'sequence',
      of: {
        sequence: count('Position of the operation.', 20, { required: true }),
        name: text(200, 'Name of the operation.', 'Turn outer diameter', { required: true }),
        process_id: processCarriedOut,
        asset_id: reference('assets', 'Work unit it is planned on.', 'A-1001'),
        setup_time_s: amount('Planned unit setup time (PUST).', 1200, { unit: 's' }),
        run_time_per_item_s: amount('Planned run time per item (PRI).', 310, { unit: 's' }),
      },
      doc: 'Operations in order.',
      example: [
        {
          sequence: 20,
          name: 'Turn outer diameter',
          process_id: 'PR-1001',
          asset_id: 'A-1001',
          setup_time_s: 1200,
          run_time_per_item_s: 310,
        },
      ],
    },
  },
});
