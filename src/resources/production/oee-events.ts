import { defineResource } from '../../core/records/fields.ts';
import { amount, choice, instant, ratio, reference, text } from '../kinds.ts';

/** OEE events; availability, performance and quality by ISO 22400-2. */
export const oeeEvents = defineResource({
  name: 'oee-events',
  title: 'OEE events',
  singular: 'OEE event',
  summary:
    'OEE events: what a work unit did over a span of time, and the losses of availability, performance and quality in it.',
  idExample: 'OE-1001',
  permissions: ['oee_events.view'],
  fields: {
    asset_id: reference('assets', 'Work unit the event is of.', 'A-1001', { required: true, filter: true }),
    production_job_id: reference('production-jobs', 'Operation that was running.', 'PJ-1001'),
    event_type: choice(
      [
        'production',
        'setup',
        'planned_downtime',
        'unplanned_downtime',
        'minor_stop',
        'reduced_speed',
        'idle',
        'no_demand',
      ],
      'What the work unit did.',
      'unplanned_downtime',
      { required: true, filter: true },
    ),
    loss_category: choice(
      ['none', 'availability', 'performance', 'quality'],
      'Factor of OEE that the span counts against.',
      'availability',
      { filter: true },
    ),
    reason_code: text(32, 'Code of the reason in the own catalogue of the plant.', 'E-113'),
    reason: text(200, 'Reason in words.', 'Hydraulic pressure low'),
    started_at: instant('When the span began.', '2026-11-20T08:15:00.123456Z', { required: true, filter: true }),
    ended_at: instant('When the span ended; null while it lasts.', '2026-11-20T08:41:30.000000Z'),
    duration_s: amount('Length of the span.', 1589.877, { unit: 's' }),
    planned_busy_time_s: amount('Planned busy time (PBT) in the span.', 1589.877, { unit: 's' }),
    availability: ratio('Availability: actual production time by planned busy time, 0 to 1.', 0.91),
    performance: amount(
      'Performance (ISO 22400: effectiveness): planned by actual time per item; above 1 where faster than planned.',
      0.87,
    ),
    quality: ratio('Quality ratio: good by produced quantity, 0 to 1.', 0.985),
    oee: amount('OEE index: availability × performance × quality.', 0.78),
  },
});
