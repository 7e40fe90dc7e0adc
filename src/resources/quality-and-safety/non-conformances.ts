import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, instant, reference, text, unit } from '../kinds.ts';

/** Non-conformances. */
export const nonConformances = defineResource({
  name: 'non-conformances',
  title: 'Non-conformances',
  singular: 'non-conformance',
  summary: 'Non-conformances: what did not meet its requirements, what was decided and what was done.',
  idExample: 'NC-1001',
  permissions: ['non_conformances.view'],
  fields: {
    ncr_number: text(64, 'Number of the non-conformance report.', 'NCR-26-052', { required: true }),
    title: text(200, 'What is wrong, in a few words.', 'Bore diameter out of tolerance', { required: true }),
    description: text(4000, 'What is wrong, in full.', 'Bore 40 H7 measured at 40.041 mm on 6 of 13 units'),
    severity: choice(['minor', 'major', 'critical'], 'Severity.', 'major', { required: true, filter: true }),
    status: choice(
      ['open', 'contained', 'under_review', 'in_correction', 'closed', 'cancelled'],
      'Where it stands.',
      'under_review',
      { required: true, filter: true },
    ),
    disposition: choice(
      ['use_as_is', 'rework', 'repair', 'scrap', 'return_to_supplier'],
      'What was decided; null until it is.',
      'rework',
    ),
    part_id: reference('parts', 'Part concerned.', 'P-1001', { filter: true }),
    job_id: reference('jobs', 'Job concerned.', 'J-1001', { filter: true }),
    quality_inspection_id: reference('quality-inspections', 'Inspection that found it.', 'QI-1001'),
    lot_number: text(64, 'Lot or batch.', 'L-26-0419'),
    quantity_affected: amount('Quantity concerned.', 6),
    unit: unit('Unit of the quantity, as a UCUM code.', '{piece}'),
    detected_at: instant('When it was detected.', '2026-11-03T09:20:00.000000Z', { filter: true }),
    detected_by: reference('people', 'Person who detected it.', 'PE-1001'),
    root_cause: text(2000, 'Cause that was found.', 'Tool wear beyond limit'),
    corrective_action: text(2000, 'What prevents it from now on.', 'Tool life reduced to 400 parts'),
    closed_at: instant('When it was closed.', '2026-11-18T15:00:00.000000Z'),
  },
});
