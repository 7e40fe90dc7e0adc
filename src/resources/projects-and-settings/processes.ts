import { defineResource } from '../../core/records/fields.ts';
import { choice, flag, instant, reference, text } from '../kinds.ts';

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
    code: text(64, 'Code of the process; the same for all its revisions.', 'HT-ANNEAL', {
      required: true,
      filter: true,
    }),
    name: text(200, 'Name of the process.', 'Stress relief annealing', { required: true }),
    description: text(2000, 'Free text.', 'Below 650 Cel, furnace cooling'),
    category: text(64, 'Family of processes.', 'Heat treatment', { filter: true }),
    in_catalogue: flag('Whether it is a member of the catalogue that orders may draw on.', {
      required: true,
      filter: true,
    }),
    catalogue: text(64, 'Catalogue it is a member of.', 'Standard processes'),
    revision: text(32, 'Revision.', '4', { required: true }),
    supersedes_id: reference('processes', 'Revision this one replaces.', 'PR-1002'),
    superseded_by_id: reference('processes', 'Revision that replaces this one.', 'PR-1003'),
    root_id: reference('processes', 'First revision of the line.', 'PR-1004'),
    approval_status: choice(
      ['draft', 'in_review', 'approved', 'rejected', 'withdrawn'],
      'Whether the revision is approved.',
      'approved',
      { required: true },
    ),
    approved_at: instant('When it was approved.', '2026-02-17T12:30:00.000000Z'),
    availability: choice(
      ['available', 'limited', 'unavailable'],
      'Whether it can be used now; apart from approval.',
      'available',
      { required: true, filter: true },
    ),
    availability_reason: text(200, 'Why it is limited or unavailable.', 'Oven 3 under maintenance'),
    standard: text(120, 'Standard or customer specification it follows.', 'DIN 17022-5'),
  },
});
