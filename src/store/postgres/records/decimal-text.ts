/** Digits that a double keeps of any number, and those that always suffice to find the double again. */
const keptDigits = 15;
const mostDigits = 17;

/** Exponents outside of these are written. */
const leastPlain = -4;
const firstLarge = 17;

/**
 * A double as SQLite writes it into JSON, so that a record has the same text on both engines: 15 digits where they suffice,
 * else 17, at least one after the point, and an exponent for very large and very small numbers. Where 17 are needed, which few
 * files have, SQLite may round the last one differently; the double is the same.
 */
export function decimalText(value: number): string {
  if (value === 0) return '0.0';
  const short = value.toExponential(keptDigits - 1);
  const scientific = Number(short) === value ? short : value.toExponential(mostDigits - 1);
  const [mantissa = '', power = ''] = scientific.split('e');
  const digits = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  return (value < 0 ? '-' : '') + placed(digits, Number(power));
}

function placed(digits: string, power: number): string {
  if (power < leastPlain || power >= firstLarge) {
    const exponent = String(Math.abs(power)).padStart(2, '0');
    return `${digits.slice(0, 1)}.${digits.slice(1) || '0'}e${power < 0 ? '-' : '+'}${exponent}`;
  }
  if (power < 0) return `0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = power + 1;
  return `${digits.slice(0, whole).padEnd(whole, '0')}.${digits.slice(whole) || '0'}`;
}
