import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { field, int32, listOf, mapOf, rawExtension, string, struct } from '../schema/types.ts';
import { MalformedPatchError } from './json-patch.ts';
import { PatchWork } from './patch-work.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const home = 'test/v1';
const env = struct(home, 'Env', '', { name: field(1, string), value: field(2, string) });
const port = struct(home, 'Port', '', {
  containerPort: field(1, int32),
  name: field(2, string),
  protocol: field(3, string),
});
const container = struct(home, 'Container', '', {
  name: field(1, string),
  image: field(2, string),
  args: field(3, listOf(string)),
  env: field(4, listOf(env), { patchStrategy: 'merge', patchMergeKey: 'name' }),
  ports: field(5, listOf(port), { patchStrategy: 'merge', patchMergeKey: 'containerPort' }),
});
const rollout = struct(home, 'Rollout', '', { type: field(1, string), surge: field(2, int32), wait: field(3, int32) });
const spec = struct(home, 'Spec', '', {
  containers: field(1, listOf(container), { patchStrategy: 'merge', patchMergeKey: 'name' }),
  finalizers: field(2, listOf(string), { patchStrategy: 'merge' }),
  labels: field(4, mapOf(string)),
  rollout: field(5, rollout, { patchStrategy: 'retainKeys' }),
  whole: field(6, rollout, { patchStrategy: 'replace' }),
  volumes: field(7, listOf(env), { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' }),
  parts: field(8, mapOf(container)),
  raw: field(9, rawExtension),
});

type Case = [what: string, target: JsonValue, patch: JsonValue, expected: JsonValue];
const apply = (target: JsonValue, patch: JsonValue) => applyStrategicMergePatch(target, patch, spec);
const run = (_: string, target: JsonValue, patch: JsonValue, expected: JsonValue) =>
  expect(apply(target, patch)).toEqual(expected);

const one = { name: 'one', image: 'i:1', args: ['x'], env: [{ name: 'A', value: '1' }] };
const two = { name: 'two', image: 'i:2' };

/** Whether a patch is refused on purpose; how that is answered is the handler's to say. */
function outcome(run: () => unknown): string {
  try {
    run();
    return 'applied';
  } catch (error) {
    return error instanceof TypeError || error instanceof RangeError ? error.message : 'refused';
  }
}

describe('objects and maps', () => {
  test.each<Case>([
    ['nothing', { labels: { a: '1' } }, {}, { labels: { a: '1' } }],
    [
      'maps merge',
      { labels: { a: '1', b: '2' } },
      { labels: { b: '3', c: '4' } },
      { labels: { a: '1', b: '3', c: '4' } },
    ],
    ['null removes', { labels: { a: '1', b: '2' } }, { labels: { a: null } }, { labels: { b: '2' } }],
    ['null removes a field', { labels: {}, finalizers: [] }, { labels: null }, { finalizers: [] }],
    ['null for what is missing', {}, { labels: null, rollout: { type: null } }, { rollout: {} }],
    [
      'structs merge',
      { rollout: { type: 'a', wait: 1 } },
      { rollout: { wait: 2 } },
      { rollout: { type: 'a', wait: 2 } },
    ],
    [
      'the strategy replace replaces',
      { whole: { type: 'a', wait: 1 } },
      { whole: { wait: 2 } },
      { whole: { wait: 2 } },
    ],
    ['another type replaces', { labels: 'text' }, { labels: { a: '1' } }, { labels: { a: '1' } }],
    ['an unknown field is taken', { labels: {} }, { odd: { b: 2 } }, { labels: {}, odd: { b: 2 } }],
    ['a new member of a map is taken', { parts: {} }, { parts: { p: one } }, { parts: { p: one } }],
  ])('%s', run);

  // a field of a type stands between: what is inside it has no names that are known
  test.each<[string, JsonValue, JsonValue, string]>([
    [
      'an unknown field',
      { odd: { a: 1 } },
      { odd: { b: 2 } },
      'unable to find api field in struct Spec for the json field "odd"',
    ],
    [
      'a struct in a map',
      { parts: { p: one } },
      { parts: { p: { image: 'new' } } },
      'merging an object in json but data type is not struct, instead is: map',
    ],
    [
      'an object of any kind',
      { raw: { spec: { a: 1 } } },
      { raw: { spec: { a: 2 } } },
      'unable to find api field in struct RawExtension for the json field "spec"',
    ],
    [
      'the order of a map',
      { parts: {} },
      { '$setElementOrder/labels': [] },
      'expected slice or array type, but got: struct',
    ],
    [
      'a list in an object of any kind',
      { raw: { list: [1] } },
      { raw: { list: [2] } },
      'unable to find api field in struct RawExtension for the json field "list"',
    ],
  ])('%s is not merged into', (_, target, patch, words) => {
    expect(() => apply(target, patch)).toThrow(words);
  });
});

describe('lists with a merge key', () => {
  test.each<Case>([
    [
      'an element is merged',
      { containers: [one, two] },
      { containers: [{ name: 'two', image: 'n' }] },
      { containers: [one, { name: 'two', image: 'n' }] },
    ],
    [
      'lists inside merge too',
      { containers: [one] },
      { containers: [{ name: 'one', env: [{ name: 'A', value: '9' }] }] },
      { containers: [{ ...one, env: [{ name: 'A', value: '9' }] }] },
    ],
    ['a list that is new is taken', {}, { containers: [two] }, { containers: [two] }],
    [
      'elements follow a neighbour',
      { containers: [one] },
      { containers: [{ name: 'one' }, two] },
      { containers: [one, two] },
    ],
    [
      'null removes a field of an element',
      { containers: [two] },
      { containers: [{ name: 'two', image: null }] },
      { containers: [{ name: 'two' }] },
    ],
    [
      'keys may be numbers',
      { ports: 0, containers: [{ name: 'c', ports: [{ containerPort: 80 }] }] },
      { containers: [{ name: 'c', ports: [{ containerPort: 80, name: 'p' }] }] },
      { ports: 0, containers: [{ name: 'c', ports: [{ containerPort: 80, name: 'p' }] }] },
    ],
    [
      '$patch delete removes',
      { containers: [one, two] },
      { containers: [{ name: 'one', $patch: 'delete' }] },
      { containers: [two] },
    ],
    [
      '$patch delete of what is missing',
      { containers: [two] },
      { containers: [{ name: 'x', $patch: 'delete' }] },
      { containers: [two] },
    ],
    [
      '$patch delete next to a change',
      { containers: [one, two] },
      {
        containers: [
          { name: 'one', $patch: 'delete' },
          { name: 'two', image: 'n' },
        ],
      },
      { containers: [{ name: 'two', image: 'n' }] },
    ],
    [
      '$patch replace replaces the list',
      { containers: [one, two] },
      { containers: [{ $patch: 'replace' }, { name: 'x' }] },
      { containers: [{ name: 'x' }] },
    ],
    [
      '$patch replace can empty the list',
      { containers: [one] },
      { containers: [{ $patch: 'replace' }] },
      { containers: [] },
    ],
  ])('%s', run);

  test.each<[string, JsonValue]>([
    ['an element without the key', { containers: [{ image: 'x' }] }],
    ['a delete without the key', { containers: [{ $patch: 'delete' }] }],
    ['an element that is no object', { containers: ['x'] }],
    ['an unknown directive', { containers: [{ name: 'one', $patch: 'bogus' }] }],
  ])('%s is refused', (_, patch) => {
    expect(outcome(() => apply({ containers: [one] }, patch))).toBe('refused');
  });

  // mergeSortedSlice: what the live list does not have comes before what only the live list has
  test.each<Case>([
    [
      'a new element comes first',
      { containers: [one, two] },
      { containers: [{ name: 'x' }] },
      { containers: [{ name: 'x' }, one, two] },
    ],
    [
      'the patch sets the order of what it names',
      { containers: [one, two] },
      { containers: [{ name: 'two' }, { name: 'one' }] },
      { containers: [two, one] },
    ],
  ])('%s', run);

  // a key that is not unique: the first element is merged, all are deleted
  const ports = (...list: JsonValue[]) => ({ containers: [{ name: 'c', ports: list }] });
  const tcp = { containerPort: 80, protocol: 'TCP' };
  const udp = { containerPort: 80, protocol: 'UDP' };
  test.each<Case>([
    [
      'the first of several is merged',
      ports(tcp, udp),
      ports({ containerPort: 80, name: 'p' }),
      ports({ ...tcp, name: 'p' }, udp),
    ],
    ['all of several are deleted', ports(tcp, udp), ports({ containerPort: 80, $patch: 'delete' }), ports()],
    [
      'other directives go with a replaced list',
      { containers: [one] },
      { containers: [{ $patch: 'replace' }, { name: 'x', $patch: 'delete' }] },
      { containers: [] },
    ],
  ])('%s', run);

  test('merging cannot be asked for in a list', () => {
    expect(outcome(() => apply({ containers: [one] }, { containers: [{ name: 'one', $patch: 'merge' }] }))).toBe(
      'refused',
    );
  });
});

describe('besides', () => {
  test('null changes nothing', () => {
    expect(apply({ labels: { a: '1' } }, null)).toEqual({ labels: { a: '1' } });
  });

  test.each<[JsonValue]>([[[]], ['x'], [1]])('%j is no patch', (patch) => {
    expect(() => apply({}, patch)).toThrow(MalformedPatchError);
  });

  test('names that JavaScript knows are data', () => {
    const patched = apply({}, JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}') as JsonValue);
    expect(JSON.stringify(patched)).toBe('{"labels":{"__proto__":"x","constructor":"y"}}');
  });

  test('neither target nor patch is changed, and a second time changes nothing more', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const value = fc.constantFrom('1', '2', null);
    const named = fc.uniqueArray(fc.record({ name, image: value }), { selector: (item) => item.name, maxLength: 3 });
    const half = fc.record({ containers: named, finalizers: fc.array(name), labels: fc.dictionary(name, value) });
    fc.assert(
      fc.property(half, half, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        const once = apply(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
        expect(apply(once, patch)).toEqual(once);
      }),
    );
  });
});

test('a patch that names one item again and again is reported once it takes long', () => {
  let calls = 0;
  const entries = Array.from({ length: 2000 }, (_, index) => ({ name: `n${index}`, value: 'x' }));
  const target: JsonValue = { containers: [{ name: 'a', env: entries }] };
  const change = { name: 'a', env: [{ name: 'n1', value: 'y' }] };
  const patch = (count: number): JsonValue => ({ containers: Array.from({ length: count }, () => change) });
  const work = () => new PatchWork(() => calls++);
  applyStrategicMergePatch(target, patch(2), spec, work());
  expect(calls).toBe(0);
  applyStrategicMergePatch(target, patch(100), spec, work());
  expect(calls).toBe(1);
});
