import { HkctlError } from '../errors.ts';
import { quotedText } from '../text/shown-text.ts';
import { canonicalInstant } from '../time/instants.ts';
import { meantInstant, orMean } from '../time/meant-values.ts';

export const pageLimit = { default: 50, max: 500 } as const;

/** The most records that are read for a sorted page: those of a whole list, which lie together, or those of a filter or an index. */
export const mostSorted = { list: 10_000, filtered: 4000 } as const;

export const readingPageLimit = { default: 1000, max: 100_000 } as const;

export type QueryParameters = readonly (readonly [name: string, value: string])[];

/** Returns the parameters by name. Throws `bad_parameter` for unknown and repeated ones. */
export function requireKnown(
  query: QueryParameters,
  allowed: ReadonlyMap<string, unknown>,
): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [parameterName, value] of query) {
    if (!allowed.has(parameterName)) {
      const allowedNames = [...allowed.keys()];
      const advice =
        allowedNames.length > 0
          ? `Allowed are ${allowedNames.join(', ')}.`
          : 'None is allowed here.';
      throw new HkctlError(
        'bad_parameter',
        `There is no parameter ${quotedText(parameterName)}. ${advice}`,
      );
    }
    if (parameters.has(parameterName)) {
      throw new HkctlError(
        'bad_parameter',
        `The parameter "${parameterName}" is given more than once: give it once.`,
      );
    }
    parameters.set(parameterName, value);
  }
  return parameters;
}

/** Reads a whole number within bounds, or the default if none is given. Throws `bad_parameter`. */
export function readLimit(
  limitText: string | undefined,
  bounds: { default: number; max: number },
): number {
  if (limitText === undefined) return bounds.default;
  const limit = /^\d{1,7}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > bounds.max) {
    throw wrongValue('limit', limitText, `a whole number from 1 to ${bounds.max}`);
  }
  return limit;
}

export function wrongValue(parameterName: string, value: string, rule: string): HkctlError {
  const sentenceEnd = rule.endsWith('?') ? '' : '.';
  return new HkctlError(
    'bad_parameter',
    `${parameterName}=${quotedText(value)}: give ${rule}${sentenceEnd}`,
  );
}

/** The error for a range that ends before it begins: nothing can be in it. */
export function reversedRange(
  rangeStart: readonly [name: string, value: string],
  rangeEnd: readonly [name: string, value: string],
): HkctlError {
  const fromText = parameterText(rangeStart);
  const toText = parameterText(rangeEnd);
  return new HkctlError(
    'bad_parameter',
    `${fromText} is after ${toText}: nothing is between them. Exchange the two.`,
  );
}

function parameterText([parameterName, value]: readonly [name: string, value: string]): string {
  return `${parameterName}=${quotedText(value)}`;
}

/** Reads an instant of a query, where an unescaped `+` of an offset arrives as a blank. Throws `bad_parameter`. */
export function readQueryInstant(parameterName: string, instantText: string): string {
  const instant = canonicalInstant(instantText.replace(/ (\d\d:\d\d)$/, '+$1'));
  if (instant === undefined) {
    throw wrongValue(
      parameterName,
      instantText,
      `an RFC 3339 instant with an offset, such as 2026-11-20T08:15:00Z; for the begin or end of a range, a day is enough${orMean(meantInstant(instantText))}`,
    );
  }
  return instant;
}
