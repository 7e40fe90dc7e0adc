import { defineResource } from '../../core/records/fields.ts';
import { amount, instant, ratio, reference, text, unitOfQuantities } from '../kinds.ts';

/** Quality figures of production; names by ISO 22400-2. */
export const productionQuality = defineResource({
  name: 'production-quality',
  title: 'Production quality',
  singular: 'production quality record',
  summary: 'Quality figures of production: quantities and ratios named after ISO 22400.',
  idExample: 'PQ-1001',
  permissions: ['production_quality.view'],
  fields: {
    production_job_id: reference('production-jobs', 'Operation the figures are of.', 'PJ-1001', { filter: true }),
    job_id: reference('jobs', 'Job the figures are of.', 'J-1001', { filter: true }),
    part_id: reference('parts', 'Part that was produced.', 'P-1001', { filter: true }),
    asset_id: reference('assets', 'Work unit that produced it.', 'A-1001'),
    recorded_at: instant('When the figures were recorded.', '2026-11-20T13:15:00.000000Z', {
      required: true,
      filter: true,
    }),
    shift: text(32, 'Shift the figures are of.', 'early'),
    produced_quantity: amount('Produced quantity (PQ).', 88, { required: true }),
    good_quantity: amount('Good quantity (GQ).', 84, { required: true }),
    scrap_quantity: amount('Scrap quantity (SQ).', 3),
    rework_quantity: amount('Rework quantity (RQ).', 1),
    unit: unitOfQuantities,
    quality_ratio: ratio('Quality ratio: good quantity by produced quantity, 0 to 1.', 0.9545),
    first_pass_yield: ratio('First pass yield: good parts by inspected parts, 0 to 1.', 0.96),
    scrap_ratio: ratio('Scrap ratio: scrap quantity by produced quantity, 0 to 1.', 0.0341),
    defect_code: text(32, 'Code of the most frequent defect.', 'POR'),
    remarks: text(2000, 'Free text.', 'Porosity near the flange'),
  },
});
