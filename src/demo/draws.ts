import { addDays } from '../core/time/calendar.ts';
import { type Draft, dayAround } from './values.ts';
import { assetList, firstNames, lastNames, sensorKinds, serviceCodes } from './words.ts';

/** Draws one field of a record more plausibly than its declaration alone allows. */
export type Draw = (draft: Draft) => unknown;

export const machineOf = ({ position }: Draft) =>
  assetList[Math.floor(position / sensorKinds.length) % assetList.length];
export const kindOf = ({ position }: Draft) => sensorKinds[position % sensorKinds.length];

export const from =
  (list: readonly string[]): Draw =>
  ({ chance }) =>
    chance.pick(list);
/** Takes the items of a list in turn, record by record. */
export const cycle =
  (list: readonly string[]): Draw =>
  ({ position }) =>
    list[position % list.length];
export const personName: Draw = ({ position }) =>
  `${firstNames[position % firstNames.length]} ${lastNames[Math.floor(position * 1.7) % lastNames.length]}`;
/** The number in another field of the record; 0 if there is none. */
export const part = (draft: Draft, name: string): number => Number(draft.record[name] ?? 0);
/** A ratio from `from` up to 0.99. */
export const ratio =
  (from: number): Draw =>
  ({ chance }) =>
    Number((from + chance.fraction() * (0.99 - from)).toFixed(4));

/** A day some days after another field's; null if that has none. */
export const after =
  (name: string, least: number, most: number): Draw =>
  (draft) => {
    const day = draft.record[name];
    return typeof day === 'string' ? addDays(day.slice(0, 10), draft.chance.between(least, most)) : null;
  };
/** The same, but null for a day in the future. */
const passed =
  (name: string, least: number, most: number): Draw =>
  (draft) => {
    const day = after(name, least, most)(draft);
    return typeof day === 'string' && day <= draft.today ? day : null;
  };
/** An instant up to eight hours after another field's; null in one of ten records. */
export const instantAfter =
  (name: string): Draw =>
  (draft) => {
    const start = draft.record[name];
    if (typeof start !== 'string' || draft.chance.percent(10)) return null;
    return new Date(Date.parse(start) + draft.chance.between(300, 28_800) * 1000).toISOString();
  };

/** The days of an order, job or document, each after the one before. */
export const dates: Readonly<Record<string, Draw>> = {
  received_date: (draft) => dayAround(draft, -45, 0),
  required_date: after('received_date', 7, 40),
  delivered_date: passed('required_date', -3, 2),
  invoiced_date: passed('delivered_date', 0, 5),
};

/** A code of the registry of services, such as `ANNEAL-S`. */
export const serviceCode: Draw = ({ position }) =>
  `${serviceCodes[position % serviceCodes.length]}-${'SML'[Math.floor(position / serviceCodes.length) % 3]}`;

/** Quantities that add up: good, scrap and rework make the produced quantity. */
export function quantities(): Record<string, Draw> {
  return {
    planned_order_quantity: ({ chance }) => chance.between(20, 240),
    produced_quantity: ({ chance }) => chance.between(20, 240),
    scrap_quantity: (draft) => Math.floor(part(draft, 'produced_quantity') * draft.chance.fraction() * 0.05),
    rework_quantity: (draft) => Math.floor(part(draft, 'produced_quantity') * draft.chance.fraction() * 0.04),
    good_quantity: (draft) =>
      part(draft, 'produced_quantity') - part(draft, 'scrap_quantity') - part(draft, 'rework_quantity'),
    unit: () => '{piece}',
    quality_ratio: (draft) => Number((part(draft, 'good_quantity') / part(draft, 'produced_quantity')).toFixed(4)),
    scrap_ratio: (draft) => Number((part(draft, 'scrap_quantity') / part(draft, 'produced_quantity')).toFixed(4)),
  };
}

/** A status that agrees with the days of delivery and invoice. */
export function progress(open: readonly string[], delivered: string, invoiced: string): Draw {
  return ({ record, chance }) => {
    if (record.invoiced_date) return invoiced;
    return record.delivered_date ? delivered : chance.pick(open);
  };
}

export function sumOfServices({ record }: Draft): number {
  const services = Array.isArray(record.services) ? record.services : [];
  const sum = services.reduce((total, { quantity, unit_price }) => total + (quantity ?? 0) * (unit_price ?? 0), 0);
  return Number(sum.toFixed(2));
}
