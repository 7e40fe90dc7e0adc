import { type PlotSpan, toTimeRange } from './ranges.ts';

/** Addresses of views stand behind `#`, which no request contains; a key is in none of them. */

export interface ViewAddress {
  /** The parts of the path, decoded: `sensors`, `SE-1`. */
  parts: readonly string[];
  parameters: URLSearchParams;
}

export function parseViewAddress(hash: string): ViewAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  return { parts: parts.map(decodePart), parameters: new URLSearchParams(query) };
}

export function addressOfSensor(
  id: string,
  range: PlotSpan | undefined,
  comparedIds: readonly string[],
): string {
  const parameters = new URLSearchParams();
  if (range) {
    parameters.set('from', String(range.fromMs));
    parameters.set('to', String(range.toMs));
  }
  for (const comparedId of comparedIds) parameters.append('with', comparedId);

  const query = parameters.toString();
  return `#/sensors/${encodeURIComponent(id)}${query === '' ? '' : `?${query}`}`;
}

/** The range of an address; undefined if it has none or an impossible one. */
export function rangeOf(parameters: URLSearchParams): PlotSpan | undefined {
  const fromMs = Number(parameters.get('from') ?? Number.NaN);
  const toMs = Number(parameters.get('to') ?? Number.NaN);
  const isPossible = [fromMs, toMs].every((ms) => Number.isFinite(ms) && Math.abs(ms) < 4e12);
  return isPossible ? toTimeRange(fromMs, toMs) : undefined;
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A hand-made address with a stray percent sign is taken literally.
    return part;
  }
}
