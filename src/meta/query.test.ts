import { describe, expect, test } from 'vitest';
import { emptyQuery, parseQuery, queryFlag, queryInteger } from './query.ts';
import { ApiError } from './status.ts';

describe('a query', () => {
  test('gives the first value, and all of them', () => {
    const query = parseQuery('a=1&b=&a=2&c&d=x%20y+z%2B');
    expect(query.get('a')).toBe('1');
    expect(query.getAll('a')).toEqual(['1', '2']);
    expect(query.get('b')).toBe('');
    expect(query.get('c')).toBe('');
    expect(query.get('d')).toBe('x y z+');
  });

  test('leaves out what it cannot read', () => {
    const query = parseQuery('a=1;b=2&c=%zz&%1=d&e=%41&f=%');
    expect(['a', 'b', 'c', '%1', 'e', 'f'].map((name) => query.get(name))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'A',
      undefined,
    ]);
  });

  test('knows an empty value from a missing one', () => {
    const query = parseQuery('a=');
    expect([query.has('a'), query.has('b')]).toEqual([true, false]);
    expect([query.get('a'), query.get('b')]).toEqual(['', undefined]);
    expect(query.getAll('b')).toEqual([]);
  });

  test.each(['__proto__', 'constructor', 'get'])('knows nothing of %s unless told', (name) => {
    expect(parseQuery('a=1').has(name)).toBe(false);
    expect(parseQuery(`${name}=x`).get(name)).toBe('x');
  });

  test.each(['%', '%zz', '&&&', '=', '?', '%c3%28'])('of %j is no reason to fail', (raw) => {
    expect(() => parseQuery(raw).get('a')).not.toThrow();
  });

  test('that is empty has nothing', () => {
    expect([emptyQuery.get('a'), emptyQuery.getAll('a'), emptyQuery.has('a')]).toEqual([undefined, [], false]);
  });
});

describe('a flag', () => {
  test.each([
    ['', false],
    ['other=1', false],
    ['watch', true],
    ['watch=', true],
    ['watch=1', true],
    ['watch=true', true],
    ['watch=yes', true],
    ['watch=no', true],
    ['watch=00', true],
    ['watch=0', false],
    ['watch=false', false],
    ['watch=False', false],
    ['watch=FALSE', false],
    ['watch=0&watch=1', false],
  ])('in %j is %s', (raw, expected) => {
    expect(queryFlag(parseQuery(raw), 'watch')).toBe(expected);
  });
});

describe('an integer', () => {
  test.each([
    ['', undefined],
    ['limit=0', 0],
    ['limit=500', 500],
    ['limit=-1', -1],
    ['limit=%2B7', 7],
    ['limit=007', 7],
  ])('in %j is %s', (raw, expected) => {
    expect(queryInteger(parseQuery(raw), 'limit')).toBe(expected);
  });

  test.each(['a', '1.5', '1e3', '0x10', ' 1', '1 ', '--1', '9'.repeat(100)])('may not be %j', (value) => {
    expect(refusal(value)).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test('that is none is reported as Go would', () => {
    expect(refusal('abc').message).toBe('strconv.ParseInt: parsing "abc": invalid syntax');
  });

  // the largest int64 is what clients send for "no limit"
  test('may be as large as 64 bits allow', () => {
    expect(queryInteger(parseQuery('limit=9223372036854775807'), 'limit')).toBeGreaterThan(1e18);
  });

  // Convert_Slice_string_To_int64 parses whatever is there, also nothing
  test('may not be empty', () => {
    expect(refusal('').message).toBe('strconv.ParseInt: parsing "": invalid syntax');
  });

  test('that does not fit is out of range rather than badly written', () => {
    expect(refusal('9223372036854775808').message).toBe(
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    );
  });
});

function refusal(value: string): ApiError {
  try {
    queryInteger(parseQuery(`limit=${encodeURIComponent(value)}`), 'limit');
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
