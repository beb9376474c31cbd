import { expect, test } from 'vitest';
import type { ApiRequest } from '../meta/exchange.ts';
import { outcomeOf } from './preconditions.ts';

const modified = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const same = 'Fri, 02 Jan 2026 03:04:05 GMT';
const before = 'Fri, 02 Jan 2026 03:04:04 GMT';
const rfc850 = 'Friday, 02-Jan-26 03:04:05 GMT';

const ask = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  outcomeOf({ method, header: (name: string) => headers[name] } as ApiRequest, { tag: '"a"', modified });

test.each([
  [{}, 200],
  [{ 'if-none-match': '"a"' }, 304],
  [{ 'if-none-match': '"b", W/"a"' }, 304],
  [{ 'if-none-match': '*' }, 304],
  [{ 'if-none-match': 'a' }, 200],
  [{ 'if-match': '"a"' }, 200],
  [{ 'if-match': '*' }, 200],
  [{ 'if-match': 'W/"a"' }, 412],
  [{ 'if-match': '"b"' }, 412],
  [{ 'if-modified-since': same }, 304],
  [{ 'if-modified-since': rfc850 }, 304],
  [{ 'if-modified-since': before }, 200],
  [{ 'if-modified-since': '2100-01-01' }, 200],
  [{ 'if-modified-since': same, 'if-none-match': '"b"' }, 200],
  [{ 'if-unmodified-since': same }, 200],
  [{ 'if-unmodified-since': before }, 412],
  [{ 'if-unmodified-since': before, 'if-match': '"a"' }, 200],
  [{ 'if-unmodified-since': 'long ago' }, 200],
])('%j is %i', (headers, outcome) => expect(ask(headers)).toBe(outcome));

test('only who reads may have the document already', () => {
  expect(ask({ 'if-none-match': '"a"' }, 'HEAD')).toBe(304);
  expect(ask({ 'if-none-match': '"a"' }, 'POST')).toBe(412);
  expect(ask({ 'if-modified-since': same }, 'POST')).toBe(200);
});

test('what goes by its tag alone is not asked for a time, nor to be a certain one', () => {
  const tagged = (headers: Readonly<Record<string, string>>) =>
    outcomeOf({ method: 'GET', header: (name: string) => headers[name] } as ApiRequest, {
      tag: '"a"',
      modified: undefined,
    });
  expect(tagged({ 'if-none-match': '"a"' })).toBe(304);
  expect(tagged({ 'if-match': '"b"', 'if-modified-since': same, 'if-unmodified-since': before })).toBe(200);
});
