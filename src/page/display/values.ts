/** Numbers and units for people. */

/** UCUM codes that people do not read, and the signs that they do (ucum.org). */
const unitSigns: ReadonlyMap<string, string> = new Map([
  ['Cel', '°C'],
  ['[degF]', '°F'],
  ['K', 'K'],
  ['{piece}', 'pcs'],
  ['1', ''],
  ['m/s2', 'm/s²'],
  ['m2', 'm²'],
  ['m3', 'm³'],
  ['m3/h', 'm³/h'],
  ['L/min', 'l/min'],
  ['um', 'µm'],
  ['deg', '°'],
  ['/min', '1/min'],
]);

/** The sign of a unit; its code without braces if no better one is known, nothing without a unit. */
export function unitSign(unit: string | null): string {
  if (unit === null) return '';
  return unitSigns.get(unit) ?? unit.replace(/[{}[\]]/g, '');
}

/** A value with at most six significant digits, so that it fits into a tile. */
export function formatValue(value: number | null): string {
  if (value === null) return '–';

  const rounded = Number(value.toPrecision(6));
  const magnitude = Math.abs(rounded);
  const isExtreme = rounded !== 0 && (magnitude >= 1e9 || magnitude < 1e-4);
  if (isExtreme) return rounded.toExponential();
  return String(rounded);
}

/** A value with its unit, such as `182.4 °C`. */
export function formatQuantity(value: number | null, unit: string | null): string {
  const sign = unitSign(unit);
  const valueText = formatValue(value);
  return value === null || sign === '' ? valueText : `${valueText} ${sign}`;
}

/** The charge of a battery by a heartbeat, such as `Battery 80 %`. */
export function formatBattery(percent: number): string {
  return `Battery ${Math.round(percent)} %`;
}
