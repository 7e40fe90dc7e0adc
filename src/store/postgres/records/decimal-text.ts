/**
 * A double as SQLite writes it into JSON, so that a record has the same text on both engines: at least one digit after the
 * point, and an exponent for very large and very small numbers. Up to 13 digits, which is what measured values and sums of
 * money have, the texts are the same; with more digits, or below one, SQLite calculates with its own approximation, and the
 * text of one number in two thousand has other digits for the same double.
 */
export function decimalText(value: number): string {
  if (value === 0) return '0.0';
  const size = Math.abs(value);
  const shortest = String(size);
  // Of a number like these JavaScript's own text has at most 13 digits, and costs far less.
  if (size >= leastUsual && size < firstUnusual && shortest.length <= shortDigits + 1) {
    return (value < 0 ? '-' : '') + (shortest.includes('.') ? shortest : `${shortest}.0`);
  }
  const short = size.toExponential(shortDigits - 1);
  const [digits, power] = Number(short) === size ? partsOf(short) : longDigits(size);
  return (value < 0 ? '-' : '') + placed(digits.replace(/0+$/, ''), power);
}

const shortDigits = 13;

/** Numbers from here to there are neither written with an exponent nor have more digits before the point than are exact. */
const leastUsual = 1e-4;
const firstUnusual = 1e13;

const leastPlain = -4;
const firstLarge = 17;

function partsOf(scientific: string): [digits: string, power: number] {
  const [mantissa = '', power = ''] = scientific.split('e');
  return [mantissa.replace('.', ''), Number(power)];
}

/** 17 digits, rounded from 18; fewer if the 14th to 16th show that they were meant, and find the double again. */
function longDigits(size: number): [digits: string, power: number] {
  const [digits, power] = partsOf(size.toExponential(17));
  const rounded = String((BigInt(digits) + 5n) / 10n);
  if (rounded.length > 17) return [rounded, power + 1];
  const [head, tail] = [rounded.slice(0, 14), rounded.slice(14, 16)];
  const candidate = tail === '99' ? String(BigInt(head) + 1n) : head;
  const isShort = (tail === '99' && candidate.length === 14) || rounded.slice(13, 16) === '000';
  return isShort && Number(`${candidate}e${power - 13}`) === size ? [candidate, power] : [rounded, power];
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
