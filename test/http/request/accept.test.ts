import { describe, expect, it } from 'vitest';
import { codingFor, mediaTypeFor } from '../../../src/http/request/representation.ts';

const offers = ['application/json', 'text/csv'] as const;

describe('the media type of an answer', () => {
  it.each([
    ['application/json; q=0, text/csv', 'text/csv'],
    ['application/json ; q=0.1, text/csv', 'text/csv'],
    ['application/json;\tq=0.5, text/csv; q=0.4', 'application/json'],
    ['application/json; charset=utf-8; q=0.2, text/csv;header=present;q=0.3', 'text/csv'],
    ['application/json;charset=utf-8', 'application/json'],
    ['text/html, image/gif, *; q=.2, */*; q=.2', 'application/json'],
    ['TEXT/CSV', 'text/csv'],
  ])('for %j is %s', (accept, type) => {
    expect(mediaTypeFor(accept, offers)).toBe(type);
  });

  it.each([
    'application/json; q=0',
    'text/html',
    'application/json;q=0, text/csv; q=0.000',
    ',',
    ';q=1',
    'a',
    '/',
  ])('for %j is none', (accept) => {
    expect(() => mediaTypeFor(accept, offers)).toThrow(
      expect.objectContaining({ code: 'not_acceptable' }),
    );
  });
});

describe('the coding of an answer', () => {
  it.each([
    ['gzip; q=1, br; q=0', 'gzip'],
    ['br; q=0.1, gzip; q=0.2', 'gzip'],
    ['gzip, br', 'br'],
    ['identity; q=1, *; q=0', undefined],
    ['', undefined],
  ])('for %j is %s', (accepted, coding) => {
    expect(codingFor(accepted)).toBe(coding);
  });
});
