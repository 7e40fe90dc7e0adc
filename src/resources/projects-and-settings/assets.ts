import { defineResource } from '../../core/records/fields.ts';
import { choice, date, flag, reference, text } from '../kinds.ts';

/** Assets. */
export const assets = defineResource({
  name: 'assets',
  title: 'Assets',
  singular: 'asset',
  summary: 'Assets: machines, ovens, lines, tools and the places they stand in.',
  idExample: 'A-1001',
  permissions: ['assets.view'],
  fields: {
    code: text(64, 'Code of the asset as people know it.', 'OVEN-3', { required: true, filter: true }),
    name: text(200, 'Name of the asset.', 'Chamber oven 3', { required: true }),
    asset_type: choice(
      [
        'area',
        'production_line',
        'work_unit',
        'machine',
        'oven',
        'tank',
        'vehicle',
        'tool',
        'measuring_equipment',
        'utility',
      ],
      'Kind of asset.',
      'oven',
      { required: true, filter: true },
    ),
    parent_id: reference('assets', 'Asset this one is part of.', 'A-1002', { filter: true }),
    status: choice(
      ['operational', 'standby', 'under_maintenance', 'out_of_service', 'retired'],
      'State of the asset.',
      'operational',
      { required: true, filter: true },
    ),
    manufacturer: text(120, 'Manufacturer.', 'Lindental Ofenbau'),
    model: text(120, 'Model or type.', 'KOE 120'),
    serial_number: text(64, 'Serial number.', 'A-2291-08'),
    location: text(120, 'Where it stands.', 'Hall 2, heat treatment'),
    cost_center: text(32, 'Cost centre.', '4420'),
    criticality: choice(['low', 'medium', 'high'], 'How much depends on it.', 'high'),
    commissioned_date: date('Day on which it went into service.', '2019-04-08'),
    is_active: flag('Whether it may be planned.', { required: true }),
  },
});
