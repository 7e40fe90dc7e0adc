import { defineResource } from '../core/records/fields.ts';

/** Processes: catalogue membership, revision lineage, availability apart from approval, no routing link (specification 2.4). */
export const processes = defineResource({
  name: 'processes',
  title: 'Processes',
  singular: 'process',
  summary:
    'Processes: the catalogue of what the plant can do, with revisions and availability. They carry no link to routings.',
  idExample: 'PR-1001',
  permissions: ['processes.view'],
  fields: {
    code: {
      kind: 'text',
      maxLength: 64,
      required: true,
      filter: true,
      doc: 'Code of the process; the same for all its revisions.',
      example: 'HT-ANNEAL',
    },
    name: {
      kind: 'text',
      maxLength: 200,
      required: true,
      doc: 'Name of the process.',
      example: 'Stress relief annealing',
    },
    description: { kind: 'text', maxLength: 2000, doc: 'Free text.', example: 'Below 650 Cel, furnace cooling' },
    category: { kind: 'text', maxLength: 64, filter: true, doc: 'Family of processes.', example: 'Heat treatment' },
    in_catalogue: {
      kind: 'boolean',
      required: true,
      filter: true,
      doc: 'Whether it is a member of the catalogue that orders may draw on.',
      example: true,
    },
    catalogue: { kind: 'text', maxLength: 64, doc: 'Catalogue it is a member of.', example: 'Standard processes' },
    revision: { kind: 'text', maxLength: 32, required: true, doc: 'Revision.', example: '4' },
    supersedes_id: {
      kind: 'text',
      maxLength: 64,
      references: 'processes',
      doc: 'Revision this one replaces.',
      example: 'PR-1002',
    },
    superseded_by_id: {
      kind: 'text',
      maxLength: 64,
      references: 'processes',
      doc: 'Revision that replaces this one.',
      example: 'PR-1003',
    },
    root_id: {
      kind: 'text',
      maxLength: 64,
      references: 'processes',
      doc: 'First revision of the line.',
      example: 'PR-1004',
    },
    approval_status: {
      kind: 'enum',
      values: ['draft', 'in_review', 'approved', 'rejected', 'withdrawn'],
      required: true,
      doc: 'Whether the revision is approved.',
      example: 'approved',
    },
    approved_at: { kind: 'instant', doc: 'When it was approved.', example: '2026-02-17T12:30:00.000000Z' },
    availability: {
      kind: 'enum',
      values: ['available', 'limited', 'unavailable'],
      required: true,
      filter: true,
      doc: 'Whether it can be used now; apart from approval.',
      example: 'available',
    },
    availability_reason: {
      kind: 'text',
      maxLength: 200,
      doc: 'Why it is limited or unavailable.',
      example: 'Oven 3 under maintenance',
    },
    standard: {
      kind: 'text',
      maxLength: 120,
      doc: 'Standard or customer specification it follows.',
      example: 'DIN 17022-5',
    },
  },
});
