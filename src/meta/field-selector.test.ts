import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { type FieldSelector, matchesFields, parseFieldSelector, selectedName } from './field-selector.ts';
import { ApiError } from './status.ts';

describe('parsing', () => {
  test.each<[string, FieldSelector]>([
    ['', []],
    [',', []],
    ['=', []],
    ['a=b,!=', [{ field: 'a', operator: '=', value: 'b' }]],
    ['a=b', [{ field: 'a', operator: '=', value: 'b' }]],
    ['a==b', [{ field: 'a', operator: '=', value: 'b' }]],
    ['a!=b', [{ field: 'a', operator: '!=', value: 'b' }]],
    ['a=', [{ field: 'a', operator: '=', value: '' }]],
    ['=b', [{ field: '', operator: '=', value: 'b' }]],
    ['a = b', [{ field: 'a ', operator: '=', value: ' b' }]],
    ['a!b=c', [{ field: 'a!b', operator: '=', value: 'c' }]],
    ['a=b!', [{ field: 'a', operator: '=', value: 'b!' }]],
    ['a=b\\,c', [{ field: 'a', operator: '=', value: 'b,c' }]],
    ['a=b\\=c', [{ field: 'a', operator: '=', value: 'b=c' }]],
    ['a=b\\\\', [{ field: 'a', operator: '=', value: 'b\\' }]],
    [
      'c!=d,a=b',
      [
        { field: 'a', operator: '=', value: 'b' },
        { field: 'c', operator: '!=', value: 'd' },
      ],
    ],
    [
      'a=b,,c!=d,',
      [
        { field: 'a', operator: '=', value: 'b' },
        { field: 'c', operator: '!=', value: 'd' },
      ],
    ],
  ])('understands %j', (text, expected) => {
    expect(parseFieldSelector(text)).toEqual(expected);
  });

  test.each(['a', 'metadata.name', 'a in (b)', 'a!b', 'a=b,c', `a=${'b'.repeat(70_000)}`])('refuses %.20s', (text) => {
    expect(refusal(text)).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test('names the invalid field selector', () => {
    expect(refusal('nonsense').message).toBe("invalid selector: 'nonsense'; can't understand 'nonsense'");
  });

  // fields.UnescapeValue refuses a separator that is not escaped, and every escape but these three
  test.each(['a=b=c', 'a===b', 'a=\\x', 'a=b\\'])('refuses the value of %s', (text) => {
    expect(refusal(text).code).toBe(400);
  });

  // fields.ParseSelector quotes the whole selector first, then the part
  test('quotes the whole selector before the part it cannot understand', () => {
    expect(refusal('a=b,c').message).toBe("invalid selector: 'a=b,c'; can't understand 'c'");
  });
});

describe('matching', () => {
  const read = (field: string) => ({ name: 'x', phase: 'Active' })[field] ?? '';

  test.each([
    ['', true],
    ['name=x', true],
    ['name==y', false],
    ['name!=y', true],
    ['name!=x', false],
    ['name=x,phase=Active', true],
    ['name=x,phase!=Active', false],
    ['missing=', true],
    ['missing!=', false],
  ])('%s: %s', (selector, expected) => {
    expect(matchesFields(parseFieldSelector(selector), read)).toBe(expected);
  });
});

test.each([
  ['metadata.name=a', 'a'],
  ['metadata.namespace=n,metadata.name==a', 'a'],
  ['metadata.name!=a', undefined],
  ['status.phase=Active', undefined],
  ['', undefined],
])('the one name %j can match is %s', (selector, expected) => {
  expect(selectedName(parseFieldSelector(selector))).toBe(expected);
});

describe('laws', () => {
  const escaped = (value: string) => value.replace(/[\\,=]/g, '\\$&');

  test('an escaped value comes back as it was', () => {
    const values = fc.array(fc.string({ unit: fc.constantFrom('a', ',', '=', '\\', '!', ' ') }), { minLength: 1 });
    fc.assert(
      fc.property(values, (all) => {
        const text = all.map((value) => `f=${escaped(value)}`).join(',');
        const byText = [...all].sort((a, b) => (escaped(a) < escaped(b) ? -1 : 1));
        expect(parseFieldSelector(text).map((requirement) => requirement.value)).toEqual(byText);
      }),
    );
  });

  test('any text is either a selector or a 400', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('a', '!', '=', ',', '\\') })), (text) => {
        try {
          parseFieldSelector(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect((error as ApiError).code).toBe(400);
        }
      }),
      fuzzRuns(1000),
    );
  });
});

function refusal(text: string): ApiError {
  try {
    parseFieldSelector(text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
