import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { type LabelSelector, matchesLabels, parseLabelSelector } from './label-selector.ts';
import { ApiError } from './status.ts';

describe('parsing', () => {
  test.each<[string, LabelSelector]>([
    ['', []],
    ['  ', []],
    ['a', [{ key: 'a', operator: 'exists', values: [] }]],
    ['!a', [{ key: 'a', operator: '!', values: [] }]],
    ['! a', [{ key: 'a', operator: '!', values: [] }]],
    ['a=b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a==b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    [' a = b ', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a!=b', [{ key: 'a', operator: 'notin', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a!=', [{ key: 'a', operator: 'notin', values: [''] }]],
    ['a>1', [{ key: 'a', operator: '>', values: ['1'] }]],
    ['a<07', [{ key: 'a', operator: '<', values: ['07'] }]],
    ['a in (b)', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a in (c,b,c)', [{ key: 'a', operator: 'in', values: ['b', 'c'] }]],
    ['a in()', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a in (,)', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a in (b,,c)', [{ key: 'a', operator: 'in', values: ['', 'b', 'c'] }]],
    ['a notin ( b , c )', [{ key: 'a', operator: 'notin', values: ['b', 'c'] }]],
    ['in in (in,notin)', [{ key: 'in', operator: 'in', values: ['in', 'notin'] }]],
    ['notin', [{ key: 'notin', operator: 'exists', values: [] }]],
    ['example.com/a=B_c.d-e', [{ key: 'example.com/a', operator: 'in', values: ['B_c.d-e'] }]],
  ])('understands %j', (text, expected) => {
    expect(parseLabelSelector(text)).toEqual(expected);
  });

  test('joins requirements with commas', () => {
    expect(parseLabelSelector('a=b,!c,d in (e,f),g').map(({ key, operator }) => `${key} ${operator}`)).toEqual([
      'a in',
      'c !',
      'd in',
      'g exists',
    ]);
  });

  test.each([
    ',',
    'a,',
    ',a',
    'a,,b',
    'a b',
    'a=b c',
    '!',
    '!!a',
    '!a=b',
    '=b',
    '==',
    '!=a',
    'a=(b)',
    'a=!b',
    'a===b',
    'a!b',
    'a=>b',
    'a>=1',
    'a<=1',
    'a>',
    'a>x',
    'a>1.5',
    'a<-1',
    'a in',
    'a in b',
    'a in (b',
    'a in b)',
    'a in (b c)',
    'a in (b=c)',
    'a in (b) c',
    'a notin',
    '()',
    'a)',
    '-a',
    'a/b/c',
    'é=b',
    'a=é',
    'a=-b',
    'a in (b,-c)',
    `${'a'.repeat(64)}=b`,
    `a=${'b'.repeat(64)}`,
  ])('refuses %j with a 400', (text) => {
    expect(refusal(text)).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test('quotes the key it cannot use', () => {
    expect(refusal('-a=b').message).toMatch(/^unable to parse requirement: <nil>: Invalid value: "-a": name part must/);
  });

  test('quotes the value it cannot use', () => {
    expect(refusal('a=-b').message).toMatch(
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b": a valid/,
    );
  });

  // recorded of 1.36.4
  test.each([
    ['a>=4', "found '=', expected: identifier"],
    ['a= =b', "found '=', expected: identifier"],
    ['a===b', "found '=', expected: identifier"],
    ['a=(b)', "found '(', expected: identifier"],
    ['a=!b', "found '!', expected: identifier"],
    ['a in (', "found '', expected: ',', ')' or identifier"],
    ['a in (b', "found '', expected: ',' or ')'"],
    ['a in (b,', "found '', expected: ',', or identifier"],
  ])('reports the missing part of %s', (text, why) => {
    expect(refusal(text).message).toBe(`unable to parse requirement: ${why}`);
  });

  test('reports the first error of a label selector', () => {
    expect(refusal('a=b;c=d').message).toContain('values[0][a]: Invalid value: "b;c"');
  });

  test('a selector as long as a megabyte is refused quickly', () => {
    expect(refusal('a,'.repeat(500_000)).code).toBe(400);
  });

  // labels.Parse: the index is that of the value in the sorted set
  test('names the invalid value of a set', () => {
    expect(refusal('a in (b,c-)').message).toContain('values[1][a]: Invalid value: "c-"');
  });

  // strconv.ParseInt(…, 64): what does not fit is no integer
  test('refuses a bound that is no 64-bit number', () => {
    expect(refusal('a>9223372036854775808').code).toBe(400);
  });

  // the lexer knows blank, tab and line ends only; anything else is part of a word, and then of a bad key
  test('refuses other white space than blanks, tabs and line ends', () => {
    expect(refusal('a\u00a0=b').code).toBe(400);
  });

  // only validation errors inside a requirement are introduced this way; parse() reports the rest as it is
  test('names what is missing after a comma', () => {
    expect(refusal('a,').message).toBe("found '', expected: identifier after ','");
  });
});

describe('matching', () => {
  const labels = { env: 'prod', tier: '', n: '5', negative: '-3', word: 'five', constructor: 'x' };

  test.each([
    ['', true],
    ['env', true],
    ['tier', true],
    ['!env', false],
    ['!missing', true],
    ['env=prod', true],
    ['env==dev', false],
    ['env!=prod', false],
    ['env!=dev', true],
    ['missing=', false],
    ['tier=', true],
    ['missing!=x', true],
    ['missing!=', true],
    ['env in (dev,prod)', true],
    ['env in (dev)', false],
    ['missing in ()', false],
    ['missing notin (x)', true],
    ['env notin (dev,prod)', false],
    ['env=prod,n', true],
    ['env=prod,missing', false],
    ['n>4', true],
    ['n>5', false],
    ['n<6', true],
    ['n<5', false],
    ['n>04', true],
    ['negative<0', true],
    ['word>0', false],
    ['missing<9', false],
    ['tier>0', false],
    ['constructor=x', true],
    ['toString', false],
    ['!valueOf', true],
  ])('%s: %s', (selector, expected) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(expected);
  });

  test('an object without labels has none of them', () => {
    expect(matchesLabels(parseLabelSelector('!a,b!=c'), undefined)).toBe(true);
    expect(matchesLabels(parseLabelSelector('a'), undefined)).toBe(false);
  });

  test('numbers are compared exactly, beyond what a double can hold', () => {
    const just = { n: '9007199254740993' };
    expect(matchesLabels(parseLabelSelector('n>9007199254740992'), just)).toBe(true);
    expect(matchesLabels(parseLabelSelector('n<9007199254740994'), just)).toBe(true);
  });

  // strconv.ParseInt of the label fails, so nothing matches
  test('a label that is no 64-bit number is no number', () => {
    expect(matchesLabels(parseLabelSelector('n>1'), { n: '9223372036854775808' })).toBe(false);
  });
});

describe('laws', () => {
  const fragment = fc.constantFrom(...'abz,=!()<>-./ \t\n', 'in', 'notin', ' in ', '==', 'é', '\0');
  const selectors = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(fragment).map((parts) => parts.join('')),
  );

  test('any text is either a selector or a 400', () => {
    fc.assert(
      fc.property(selectors, (text) => {
        try {
          matchesLabels(parseLabelSelector(text), { a: 'b' });
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect((error as ApiError).code).toBe(400);
        }
      }),
      fuzzRuns(2000),
    );
  });

  test('a requirement and its opposite split the world', () => {
    const value = fc.stringMatching(/^[a-z0-9]{0,3}$/);
    const sets = fc.array(value, { minLength: 1, maxLength: 3 });
    const world = fc.dictionary(fc.constantFrom('a', 'b'), value);
    fc.assert(
      fc.property(sets, world, (values, labels) => {
        const inside = matchesLabels(parseLabelSelector(`a in (${values.join(',')})`), labels);
        const outside = matchesLabels(parseLabelSelector(`a notin (${values.join(',')})`), labels);
        expect(inside).toBe(!outside);
        const present = matchesLabels(parseLabelSelector('a'), labels);
        expect(present).toBe(!matchesLabels(parseLabelSelector('!a'), labels));
        expect(inside && !present).toBe(false);
      }),
    );
  });
});

function refusal(text: string): ApiError {
  try {
    parseLabelSelector(text);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(text.slice(0, 80))} was not refused`);
}
