import { amount, choice, currencyOf, list, text, unit } from './kinds.ts';

const assigned = {
  resource: choice(['people', 'assets'], 'What is assigned: a person or an asset.', 'assets', {
    required: true,
  }),
  id: text(64, 'The `id` of that person or asset.', 'A-1001', { required: true }),
};

const service = {
  row_id: text(16, 'The service row inside its parent; unique there.', 'SVC-01', {
    required: true,
    format: 'row_id',
  }),
  service_code: text(
    64,
    'Code of the service in the registry (`code` of services); several rows may have the same.',
    'ANNEAL-S',
    { required: true },
  ),
  description: text(500, 'What is done.', 'Stress relief annealing'),
  quantity: amount('Quantity.', 740.5, { required: true }),
  unit: unit('Unit of the quantity, as a UCUM code.', 'kg'),
  unit_price: amount('Net price of one unit, in `currency`.', 1.85),
  currency: currencyOf('price'),
  assignments: list(assigned, 'People and assets assigned to the row.'),
};

/** Several rows may have the same registry code: `row_id` identifies a row inside its parent (promise 5.10). */
export const serviceRows = list(service, 'The services of the document, in order.', {
  detail: true,
  uniqueBy: 'row_id',
});
