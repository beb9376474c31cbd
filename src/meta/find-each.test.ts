import { describe, expect, test } from 'vitest';
import { atOnce } from '../base/steps.ts';
import { required } from './field-errors.ts';
import { changeEach, findAfter, findEach, findIn, findingEach, findingIn, type Rules } from './find-each.ts';
import { validateAnnotations, validateFinalizers, validateLabels } from './metadata-rules.ts';

test('the validation errors of all items, in order', () => {
  const found = findEach(['a', '', 'b', ''], (item, index) => (item === '' ? [required(`at[${index}]`)] : []));
  expect(found.map(({ field }) => field)).toEqual(['at[1]', 'at[3]']);
});

test('a list with more faults than are told is not looked at to its end', () => {
  let seen = 0;
  const found = findEach(new Array(100_000).fill(0), (_, index) => {
    seen++;
    return [required(`at[${index}]`), required(`at[${index}].name`)];
  });
  expect(found.length).toBe(2000);
  expect(seen).toBe(1000);
});

describe('an object that is judged in turns', () => {
  const many = Array.from({ length: 100 }, (_, index) => index);
  const fields = (rules: Rules) => atOnce(findingIn(rules)).map(({ field }) => field);
  const stepsOf = (rules: Rules) => [...findingIn(rules)].length;

  test('has long lists looked at in steps, short ones at once', () => {
    const none = () => [];
    expect(stepsOf(() => findEach(many, none))).toBeGreaterThan(1);
    expect(stepsOf(() => findEach(many.slice(0, 3), none))).toBe(0);
  });

  test('has steps about many items left for later, those about few taken at once', () => {
    const finding = (items: readonly number[]) =>
      findIn(
        items.length,
        findingEach(items, () => []),
      );
    expect(stepsOf(() => finding(many))).toBeGreaterThan(1);
    expect(stepsOf(() => finding(many.slice(0, 3)))).toBe(0);
    expect(
      findIn(
        100,
        findingEach(many, (i) => (i === 7 ? [required('seven')] : [])),
      ),
    ).toHaveLength(1);
  });

  test('has the labels, annotations and finalizers within it looked at in steps', () => {
    const texts = Object.fromEntries(many.map((i) => [`k${i}!`, 'v']));
    const rows: readonly Rules[] = [
      () => validateLabels(texts, 'spec.selector'),
      () => validateAnnotations(texts, 'spec.annotations'),
      () => validateFinalizers(Object.keys(texts), 'spec.finalizers'),
    ];
    for (const rules of rows) {
      expect(stepsOf(rules)).toBeGreaterThan(1);
      expect(fields(rules)).toHaveLength(100);
    }
  });

  test('has the same validation errors in the same order, also in lists within lists', () => {
    const rules = () => [
      required('first'),
      ...findEach(many, (i) => [
        required(`before[${i}]`),
        ...findEach(i % 50 === 0 ? many : [i], (j) => [required(`at[${i}][${j}]`)]),
        required(`after[${i}]`),
      ]),
      required('last'),
    ];
    expect(fields(rules)).toEqual(rules().map(({ field }) => field));
    expect(fields(rules)).toHaveLength(2 + 300 + 198);
  });

  test('has what one list says remembered for the lists after it, however short', () => {
    const rules = () => {
      const known = new Set<number>();
      return [
        ...findEach(many, (i) => {
          known.add(i);
          return [];
        }),
        ...findEach([1, 1000], (i) => (known.has(i) ? [] : [required(`unknown[${i}]`)])),
      ];
    };
    expect(fields(rules)).toEqual(['unknown[1000]']);
  });

  test('has rules wait for what they depend on', () => {
    const judged = (isWrong: boolean) =>
      fields(() =>
        findAfter(
          findEach(many, (i) => (isWrong && i === 99 ? [required('wrong')] : [])),
          (found) => (found.length > 0 ? found : [required('next')]),
        ),
      );
    expect(judged(true)).toEqual(['wrong']);
    expect(judged(false)).toEqual(['next']);
  });

  test('has validation errors changed that are found later', () => {
    const rules = () =>
      changeEach(
        findEach(many, (i) => [required(`a[${i}]`)]),
        (one) => ({ ...one, field: 'b' }),
      );
    expect(new Set(fields(rules))).toEqual(new Set(['b']));
  });

  test('has rules that throw fail it, and the next one judged as ever', () => {
    const broken = () =>
      findEach(many, () => {
        throw new Error('broken');
      });
    expect(() => fields(broken)).toThrow('broken');
    expect(findEach(many, (i) => [required(`a[${i}]`)])).toHaveLength(100);
  });
});
