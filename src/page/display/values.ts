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

/** A value as it was stored: the shortest digits that tell it from its neighbours. */
export function formatValue(value: number | null): string {
  return value === null ? '–' : String(value);
}

/**
 * Writes computed values, such as means, with the digits that matter between the lowest and the
 * highest value of their curve.
 */
export function computedFormat(lowest: number, highest: number): (value: number) => string {
  const range = highest - lowest;
  if (!(range > 0)) return (value) => String(Number(value.toPrecision(15)));

  const magnitude = Math.floor(Math.log10(range) + 1e-9);
  const digits = Math.min(20, Math.max(0, 3 - magnitude));
  return (value) => String(Number(value.toFixed(digits)));
}

/** The labels of an axis; a repeated one is left empty, since two lines must not claim one value. */
export function axisLabels(values: readonly number[]): string[] {
  const labels = values.map(String);
  return labels.map((label, index) => (labels.indexOf(label) === index ? label : ''));
}

/** A value with its unit, such as `182.4 °C`. */
export function formatQuantity(
  value: number | null,
  unit: string | null,
  format: (value: number) => string = formatValue,
): string {
  const sign = unitSign(unit);
  const valueText = value === null ? formatValue(value) : format(value);
  return value === null || sign === '' ? valueText : `${valueText} ${sign}`;
}

/** The charge of a battery by a heartbeat, such as `Battery 80 %`. */
export function formatBattery(percent: number): string {
  return `Battery ${Math.round(percent)} %`;
}
