import { expect, it } from 'vitest';
import { meantBoolean, meantDate, meantInstant } from '../../../src/core/time/meant-values.ts';

it.each([
  ['ja', 'true'],
  ['Oui', 'true'],
  ['X', 'true'],
  ['nein', 'false'],
  ['NON', 'false'],
  ['jein', undefined],
  ['', undefined],
])('the boolean %j means %s', (text, meant) => expect(meantBoolean(text)).toBe(meant));

it.each([
  ['31.12.2026', '2026-12-31'],
  ['1.2.2026', '2026-02-01'],
  ['31/12/2026', '2026-12-31'],
  ['12/31/2026', '2026-12-31'],
  ['02/02/2026', '2026-02-02'],
  ['02/03/2026', undefined],
  ['2026/12/31', '2026-12-31'],
  ['20261231', '2026-12-31'],
  ['2026-1-5', '2026-01-05'],
  ['2026-12-31T08:15:00Z', '2026-12-31'],
  ['31.12.2026 08:15', '2026-12-31'],
  ['31.11.2026', undefined],
  ['2026-12-31', undefined],
  ['12.2026', undefined],
  ['46297.5', undefined],
  ['4629.75', undefined],
  ['2026/1-5', undefined],
  ['2026115', undefined],
])('the date %j means %s', (text, meant) => expect(meantDate(text)).toBe(meant));

it.each([
  ['2026-11-20T08:15:00+0100', '2026-11-20T07:15:00Z'],
  ['2026-11-20T08:15:00+01', '2026-11-20T07:15:00Z'],
  ['2026-11-20 08:15 UTC', '2026-11-20T08:15:00Z'],
  ['2026-11-20T08:15Z', '2026-11-20T08:15:00Z'],
  ['31.12.2026 08:15:30', '2026-12-31T08:15:30Z (if it is in UTC)'],
  ['31.12.2026', '2026-12-31T00:00:00Z (if it is in UTC)'],
  ['2026-11-20', '2026-11-20T00:00:00Z (if it is in UTC)'],
  ['2026-11-20T25:00:00Z', undefined],
  ['yesterday', undefined],
  ['', undefined],
])('the instant %j means %s', (text, meant) => expect(meantInstant(text)).toBe(meant));
