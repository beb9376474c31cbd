// Patches of every shape on objects of every shape: a result or a refusal, and nothing else happens.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { podTemplate } from '../groups/core/v1/pod/pod-template.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { applyJsonPatch, MalformedPatchError, PatchFailedError } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { PatchTooLargeError } from './patch-work.ts';
import { applyStrategicMergePatch, UnusablePatchError } from './strategic-merge-patch.ts';

const refusals = [MalformedPatchError, PatchFailedError, PatchTooLargeError, UnusablePatchError];

const key = fc.constantFrom(
  'a',
  'b',
  '__proto__',
  'constructor',
  'name',
  'template',
  'spec',
  'containers',
  'env',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  '$deleteFromPrimitiveList/finalizers',
  'metadata',
  'finalizers',
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom<JsonValue[]>(null, true, 1, 'x', 'replace', 'delete', 'merge', 'a'),
    fc.array(tie('value'), { maxLength: 3 }),
    // as parsed JSON has them: objects without a prototype differ from others in the comparison of a `test`
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ) as fc.Arbitrary<JsonValue>,
}));
const pointer = fc
  .array(fc.oneof(key, fc.constantFrom('0', '1', '-', '-1', '01', '~0', '~1', '')), { maxLength: 4 })
  .map((parts) => parts.map((part) => `/${part}`).join(''));
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'odd'),
    path: pointer,
    from: pointer,
    value,
  },
  { requiredKeys: ['op', 'path'] },
);

/** Runs a patch; whatever comes of it, the old object and all prototypes are as they were. */
function safely(target: JsonValue, run: () => JsonValue): JsonValue | undefined {
  const before = JSON.stringify(target);
  try {
    return run();
  } catch (error) {
    expect(
      refusals.some((refusal) => error instanceof refusal),
      String(error),
    ).toBe(true);
    return undefined;
  } finally {
    expect(JSON.stringify(target)).toBe(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  }
}

describe('a patch changes nothing but its result', () => {
  test('JSON patch', () => {
    fc.assert(
      fc.property(value, fc.oneof(fc.array(operation, { maxLength: 6 }), value), (target, patch) => {
        safely(target, () => applyJsonPatch(target, patch as JsonValue));
      }),
      fuzzRuns(500),
    );
  });

  test('merge patch', () => {
    fc.assert(
      fc.property(value, value, (target, patch) => {
        safely(target, () => applyMergePatch(target, patch));
      }),
      fuzzRuns(500),
    );
  });

  test('strategic merge patch', () => {
    fc.assert(
      fc.property(value, value, (target, patch) => {
        safely(target, () => applyStrategicMergePatch(target, patch, podTemplate.type));
      }),
      fuzzRuns(500),
    );
  });
});

describe('JSON patch', () => {
  /** The plain way: a deep copy before every operation. */
  const naive = (target: JsonValue, operations: readonly object[]): JsonValue =>
    operations.reduce<JsonValue>(
      (document, one) => structuredClone(applyJsonPatch(structuredClone(document), [one] as unknown as JsonValue)),
      target,
    );

  test('all at once is one after the other', () => {
    fc.assert(
      fc.property(value, fc.array(operation, { maxLength: 6 }), (target, operations) => {
        const expected = safely(target, () => naive(target, operations));
        expect(safely(target, () => applyJsonPatch(target, operations as unknown as JsonValue))).toEqual(expected);
      }),
      fuzzRuns(500),
    );
  });

  test('a copy does not follow its source', () => {
    const patch = [
      { op: 'add', path: '/a/x', value: 1 },
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'add', path: '/a/y', value: 2 },
      { op: 'add', path: '/b/z', value: 3 },
    ];
    expect(applyJsonPatch({ a: {} }, patch)).toEqual({ a: { x: 1, y: 2 }, b: { x: 1, z: 3 } });
  });

  test('shares what it did not touch', () => {
    const target = { a: { deep: {} }, b: 1 };
    const result = applyJsonPatch(target, [{ op: 'replace', path: '/b', value: 2 }]) as typeof target;
    expect(result.a).toBe(target.a);
  });

  test('ten thousand operations on a long list take moderate time', () => {
    const patch = Array.from({ length: 10_000 }, (_, index) => ({ op: 'add', path: '/list/-', value: { index } }));
    const { list } = applyJsonPatch({ list: [] }, patch) as { list: unknown[] };
    expect(list).toHaveLength(10_000);
  });
});

describe('merge patch', () => {
  test('what it sets is there, what it nulls is not, the rest is as it was', () => {
    const flat = fc.dictionary(key, fc.oneof(fc.integer(), fc.constant(null)), { maxKeys: 5 });
    fc.assert(
      fc.property(fc.dictionary(key, fc.integer(), { maxKeys: 5 }), flat, (target, patch) => {
        const result = applyMergePatch(target, patch) as Record<string, JsonValue>;
        for (const name of new Set([...Object.keys(target), ...Object.keys(patch)])) {
          const expected = Object.hasOwn(patch, name) ? (patch[name] ?? undefined) : target[name];
          expect(Object.hasOwn(result, name) ? result[name] : undefined).toEqual(expected);
        }
      }),
    );
  });
});

test('a strategic merge of long lists takes time in proportion to their length', () => {
  const items = (count: number, value: string) =>
    Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value }));
  const body = (count: number, text: string) => ({
    template: { spec: { containers: [{ name: 'c', env: items(count, text) }] } },
  });
  const time = (count: number) => {
    const start = process.cpuUsage();
    applyStrategicMergePatch(body(count, 'a'), body(count, 'b'), podTemplate.type);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const best = (count: number) => Math.min(...[0, 1, 2].map(() => time(count)));
  // quadratic behaviour would make it a hundred times as much
  expect(best(5000)).toBeLessThan(50 * Math.max(best(500), 1000));
});
