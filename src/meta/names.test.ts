import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectProcessorTime } from '../testing/processor-time.ts';
import {
  checkConfigKey,
  checkLabelName,
  checkLabelValue,
  checkLetterFirstLabel,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
  generateName,
} from './names.ts';

const long = (length: number) => 'a'.repeat(length);

interface Rule {
  readonly name: string;
  readonly check: (text: string) => readonly string[];
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

const rules: readonly Rule[] = [
  {
    name: 'DNS label',
    check: checkLabelName,
    valid: ['a', '0', 'ab', 'a-b', 'a--b', '1-2-3', long(63)],
    invalid: ['', '-', 'a-', '-a', 'A', 'a.b', 'a_b', ' a', 'a\n', 'é', long(64)],
  },
  {
    name: 'DNS subdomain',
    check: checkSubdomain,
    valid: ['a', 'a.b', '1.2.3.4', 'a-b.c-d', 'example.com', long(253), `${long(64)}.b`],
    invalid: ['', '.', 'a.', '.a', 'a..b', 'a.-b', 'a-.b', 'A.b', 'a_b', 'a/b', 'a b', 'a\n', long(254)],
  },
  {
    name: 'path segment',
    check: checkPathSegment,
    valid: ['a', '...', 'a.b', 'system:node', 'A_B', 'a b', '.a', '..a'],
    invalid: ['.', '..', 'a/b', '/', 'a%2f', '%'],
  },
  {
    name: 'qualified name',
    check: checkQualifiedName,
    valid: ['a', 'A', '1', 'a.b', 'a_b-c.D', 'example.com/a', 'a/A.b', `example.com/${long(63)}`, `${long(253)}/a`],
    invalid: ['', '/', '/a', 'a/', 'a/b/c', '-a', 'a-', '.a', 'a_', 'A.com/a', 'a b', 'é', 'a\n', long(64)],
  },
  {
    name: 'qualified name with a long prefix',
    check: checkQualifiedName,
    valid: [],
    invalid: [`${long(254)}/a`, `a/${long(64)}`],
  },
  {
    name: 'label value',
    check: checkLabelValue,
    valid: ['', 'a', 'A', '0', 'a.b_c-D', long(63)],
    invalid: ['-', 'a-', '.a', 'a b', 'a/b', 'é', 'a\n', long(64)],
  },
  {
    name: 'config key',
    check: checkConfigKey,
    valid: ['a', '.a', '-', '_', 'key.name', 'KEY_NAME', 'a..b', long(253)],
    invalid: ['', '.', '..', '..a', '...', 'a/b', 'a b', 'é', 'a\n', long(254)],
  },
];

describe.each(rules)('a $name', ({ check, valid, invalid }) => {
  test.each(valid)('may be %j', (text) => {
    expect(check(text)).toEqual([]);
  });

  test.each(invalid)('may not be %j', (text) => {
    expect(check(text)).not.toEqual([]);
  });
});

describe('what is wrong is said in words', () => {
  test.each([
    { check: checkSubdomain, text: long(254), words: ['must be no more than 253 characters'] },
    { check: checkLabelName, text: long(64), words: ['must be no more than 63 characters'] },
    { check: checkLabelName, text: 'a.b', words: ['must not contain dots'] },
    { check: checkLabelValue, text: long(64), words: ['must be no more than 63 bytes'] },
    { check: checkConfigKey, text: long(254), words: ['must be no more than 253 characters'] },
    { check: checkQualifiedName, text: long(64), words: ['name part must be no more than 63 bytes'] },
    { check: checkQualifiedName, text: '/a', words: ['prefix part must be non-empty'] },
    { check: checkQualifiedName, text: `${long(254)}/a`, words: ['prefix part must be no more than 253 bytes'] },
    { check: checkPathSegment, text: '..', words: ["may not be '..'"] },
    { check: checkPathSegment, text: 'a/b%', words: ["may not contain '/'", "may not contain '%'"] },
  ])('$words', ({ check, text, words }) => {
    expect(check(text)).toEqual(words);
  });

  test('a missing name part is reported next to the shape of names', () => {
    expect(checkQualifiedName('a/')).toEqual([
      'name part must be non-empty',
      expect.stringMatching(/^name part must consist of alphanumeric characters/),
    ]);
  });

  // IsConfigMapKey: hasChDirPrefix says "must not", only path segments say "may not"
  test.each([
    ['.', "must not be '.'"],
    ['..', "must not be '..'"],
    ['..a', "must not start with '..'"],
  ])('config key %j %s', (text, words) => {
    expect(checkConfigKey(text)).toEqual([words]);
  });

  // IsDNS1123Subdomain: the length comes before the shape
  test('a name that is too long and of the wrong shape is first of all too long', () => {
    expect(checkSubdomain('A'.repeat(254))[0]).toBe('must be no more than 253 characters');
  });
});

describe('a prefix for a generated name', () => {
  test.each(['a', 'a-', 'a.b-', 'my-app-'])('may be %j', (prefix) => {
    expect(checkSubdomain(prefix, true)).toEqual([]);
  });

  test.each(['A-', '-a', 'a_b', 'a.'])('may not be %j', (prefix) => {
    expect(checkSubdomain(prefix, true)).not.toEqual([]);
  });

  test('may end in a dash for labels too, and may be a dot in a path', () => {
    expect(checkLabelName('a-', true)).toEqual([]);
    expect(checkPathSegment('.', true)).toEqual([]);
  });

  // maskTrailingDash leaves a name of one character alone
  test('may not be a dash alone', () => {
    expect(checkSubdomain('-', true)).not.toEqual([]);
  });
});

describe('a generated name', () => {
  const alphabet = /^[bcdfghjklmnpqrstvwxz2456789]{5}$/;
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('is its base and five characters that spell no words', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 58 }), fc.array(random, { minLength: 5, maxLength: 5 }), (base, numbers) => {
        let next = 0;
        const name = generateName(base, () => numbers[next++] as number);
        expect(name.slice(0, -5)).toBe(base);
        expect(name.slice(-5)).toMatch(alphabet);
      }),
    );
  });

  test('is never longer than a DNS label', () => {
    fc.assert(
      fc.property(fc.nat(200), (length) => {
        expect(generateName(long(length))).toHaveLength(Math.min(length, 58) + 5);
      }),
    );
  });

  test('uses the whole alphabet', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 27; i++) for (const letter of generateName('', () => (i + 0.5) / 27)) seen.add(letter);
    expect([...seen].sort().join('')).toBe('2456789bcdfghjklmnpqrstvwxz');
  });

  test('made from a valid prefix is valid', () => {
    const prefix = fc.stringMatching(/^[a-z0-9]{1,9}([-.][a-z0-9]{1,9}){0,3}-?$/);
    fc.assert(
      fc.property(prefix, (base) => {
        expect(checkSubdomain(base, true)).toEqual([]);
        expect(checkSubdomain(generateName(base))).toEqual([]);
      }),
    );
  });
});

describe('a name that is far too long', () => {
  const text = 'a-'.repeat(2_000_000);

  test.each([
    ['a', 1],
    ['!', 2],
    ['-', 2],
    ['/', 1],
  ])('and ends in %j is looked at once', async (end, faults) => {
    await expectProcessorTime(100, () => {
      expect(checkQualifiedName(`${text}${end}`)).toHaveLength(end === '/' ? 4 : faults);
      expect(checkLabelValue(`${text}${end}`)).toHaveLength(end === '/' ? 2 : faults);
    });
  });

  test('of slashes is not taken apart', async () => {
    await expectProcessorTime(100, () => expect(checkQualifiedName('/'.repeat(4_000_000))).toHaveLength(1));
  });

  test('is judged by its characters as a short one is', () => {
    const characters = fc
      .array(fc.constantFrom('a', 'Z', '9', '-', '_', '.', '!', 'é', '\n'), { maxLength: 4 })
      .map((some) => some.join(''));
    const bytes = 'must be no more than 63 bytes';
    const chars = (limit: number) => `must be no more than ${limit} characters`;
    fc.assert(
      fc.property(characters, characters, (first, last) => {
        const [word, far] = [`${first}a${last}`, `${first}${'a'.repeat(300)}${last}`];
        expect(checkQualifiedName(far)).toEqual([`name part ${bytes}`, ...checkQualifiedName(word)]);
        expect(checkLabelValue(far)).toEqual([bytes, ...checkLabelValue(word)]);
        expect(checkSubdomain(far)).toEqual([chars(253), ...checkSubdomain(word)]);
        expect(checkLabelName(far)).toEqual([chars(63), ...checkLabelName(word)]);
        expect(checkLetterFirstLabel(far)).toEqual([chars(63), ...checkLetterFirstLabel(word)]);
      }),
    );
  });
});
