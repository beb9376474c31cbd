import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { field, int32, listOf, string, struct } from '../schema/types.ts';
import { MalformedPatchError, PatchFailedError } from './json-patch.ts';
import { applyStrategicMergePatch, UnusablePatchError } from './strategic-merge-patch.ts';

const home = 'test/v1';
const named = struct(home, 'Named', '', { name: field(1, string), value: field(2, string) });
const rollout = struct(home, 'Rollout', '', { type: field(1, string), surge: field(2, int32), wait: field(3, int32) });
const spec = struct(home, 'Spec', '', {
  containers: field(1, listOf(named), { patchStrategy: 'merge', patchMergeKey: 'name' }),
  finalizers: field(2, listOf(string), { patchStrategy: 'merge' }),
  rollout: field(3, rollout, { patchStrategy: 'retainKeys' }),
  volumes: field(4, listOf(named), { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' }),
  tolerations: field(5, listOf(named)),
  args: field(6, listOf(string)),
});

type Case = [what: string, target: JsonValue, patch: JsonValue, expected: JsonValue];
const apply = (target: JsonValue, patch: JsonValue) => applyStrategicMergePatch(target, patch, spec);
const run = (_: string, target: JsonValue, patch: JsonValue, expected: JsonValue) =>
  expect(apply(target, patch)).toEqual(expected);

/** Whether a patch is refused on purpose; how that is answered is the handler's to say. */
function outcome(run: () => unknown): string {
  try {
    run();
    return 'applied';
  } catch (error) {
    return error instanceof TypeError || error instanceof RangeError ? error.message : 'refused';
  }
}

describe('other lists', () => {
  test.each<Case>([
    [
      'without a strategy are replaced',
      { tolerations: [{ name: 'a' }] },
      { tolerations: [{ name: 'b' }] },
      { tolerations: [{ name: 'b' }] },
    ],
    ['of text are replaced', { args: ['x', 'y'] }, { args: ['z'] }, { args: ['z'] }],
    ['can be emptied', { tolerations: [{ name: 'a' }] }, { tolerations: [] }, { tolerations: [] }],
    [
      'of text with a strategy are joined',
      { finalizers: ['a'] },
      { finalizers: ['a', 'b'] },
      { finalizers: ['a', 'b'] },
    ],
    [
      'of text keep what the patch does not name',
      { finalizers: ['a', 'b'] },
      { finalizers: ['b'] },
      { finalizers: ['a', 'b'] },
    ],
    ['of text are not changed by an empty one', { finalizers: ['a'] }, { finalizers: [] }, { finalizers: ['a'] }],
    [
      'of text lose single values',
      { finalizers: ['a', 'b', 'a'] },
      { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] },
      { finalizers: ['b'] },
    ],
    ['that are missing lose nothing', {}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, {}],
    [
      'can lose and win at once',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['b', 'c'], '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] },
      { finalizers: ['b', 'c'] },
    ],
  ])('%s', run);

  test.each<Case>([
    ['of text get new values first', { finalizers: ['a'] }, { finalizers: ['b'] }, { finalizers: ['b', 'a'] }],
    [
      'of text follow the order of the patch',
      { finalizers: ['a', 'b'] },
      { finalizers: ['b', 'a'] },
      { finalizers: ['b', 'a'] },
    ],
  ])('%s', run);
});

describe('the order of elements', () => {
  const list = (...names: string[]) => ({ containers: names.map((name) => ({ name })) });
  const order = (...names: string[]) => ({ '$setElementOrder/containers': names.map((name) => ({ name })) });

  test.each<Case>([
    ['is set', list('a', 'b', 'c'), order('c', 'a', 'b'), list('c', 'a', 'b')],
    ['leaves others among their neighbours', list('a', 'b', 'c'), order('c', 'a'), list('b', 'c', 'a')],
    ['may name what is missing', list('a', 'b'), order('b', 'x', 'a'), list('b', 'a')],
    [
      'of text is set',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['b', 'a'] },
      { finalizers: ['b', 'a'] },
    ],
    ['of nothing changes nothing', {}, order('a'), {}],
    ['goes with a change', list('a', 'b'), { ...order('b', 'a'), ...list('a') }, list('b', 'a')],
  ])('%s', run);

  test.each<Case>([
    [
      'puts a new element before others of the server',
      list('a', 'b'),
      { ...order('x', 'a'), ...list('x') },
      list('x', 'a', 'b'),
    ],
    [
      'puts a new element behind its neighbour',
      list('a', 'b'),
      { ...order('a', 'x'), ...list('x') },
      list('a', 'x', 'b'),
    ],
  ])('%s', run);

  test.each<[string, JsonValue]>([
    ['without a name', { $setElementOrder: 1 }],
    ['that is no list', { '$setElementOrder/containers': 'a' }],
    ['that contradicts the patch', { ...order('a', 'b'), ...list('b', 'a') }],
    ['of an unknown field', { '$setElementOrder/odd': ['a'] }],
  ])('%s is refused', (_, patch) => {
    expect(outcome(() => apply(list('a', 'b'), patch))).toBe('refused');
  });
});

describe('directives of objects', () => {
  test.each<Case>([
    [
      '$patch replace',
      { rollout: { type: 'a', wait: 1 } },
      { rollout: { $patch: 'replace', surge: 2 } },
      { rollout: { surge: 2 } },
    ],
    [
      '$patch delete',
      { rollout: { type: 'a' }, labels: {} },
      { rollout: { $patch: 'delete' } },
      { rollout: {}, labels: {} },
    ],
    ['$patch replace at the top', { rollout: {} }, { $patch: 'replace', labels: { a: '1' } }, { labels: { a: '1' } }],
    [
      '$retainKeys',
      { rollout: { type: 'a', wait: 1 } },
      { rollout: { $retainKeys: ['type', 'surge'], surge: 2 } },
      { rollout: { type: 'a', surge: 2 } },
    ],
    [
      '$retainKeys in an element',
      { volumes: [{ name: 'v', value: '1' }] },
      { volumes: [{ name: 'v', $retainKeys: ['name'] }] },
      { volumes: [{ name: 'v' }] },
    ],
  ])('%s', run);

  test('$patch with anything else is refused', () => {
    expect(outcome(() => apply({ rollout: {} }, { rollout: { $patch: 'explode' } }))).toBe('refused');
  });

  // handleDirectiveInMergeMap knows replace and delete only; applyRetainKeysDirective checks its list
  test.each<[string, JsonValue]>([
    ['$patch merge', { rollout: { $patch: 'merge', wait: 1 } }],
    ['$retainKeys that is no list', { rollout: { $retainKeys: 'type' } }],
    ['$retainKeys without a key that the patch sets', { rollout: { $retainKeys: ['type'], wait: 1 } }],
  ])('%s is refused', (_, patch) => {
    expect(outcome(() => apply({ rollout: { type: 'a' } }, patch))).toBe('refused');
  });
});

describe('what is not there yet is taken as it is', () => {
  test.each<Case>([
    ['an element without its key', {}, { containers: [{ value: '1' }] }, { containers: [{ value: '1' }] }],
    [
      'elements of one key',
      {},
      { containers: [{ name: 'a' }, { name: 'a' }] },
      { containers: [{ name: 'a' }, { name: 'a' }] },
    ],
    ['an object, without nulls', {}, { rollout: { type: 'a', wait: null } }, { rollout: { type: 'a' } }],
    ['nothing of an object with a directive', {}, { rollout: { $patch: 'delete' } }, {}],
    [
      'nothing of an element with a directive',
      {},
      { containers: [{ name: 'a', $patch: 'merge' }] },
      { containers: [] },
    ],
    [
      'in the place of something else',
      { rollout: [] },
      { rollout: { type: 'a', wait: null } },
      { rollout: { type: 'a' } },
    ],
    [
      'a new element, directives included',
      { containers: [{ name: 'a' }] },
      { containers: [{ name: 'b', value: null, $retainKeys: ['name'] }] },
      { containers: [{ name: 'b', $retainKeys: ['name'] }, { name: 'a' }] },
    ],
  ])('%s', run);
});

describe('directives out of place', () => {
  test.each<Case>([
    [
      'stay in a list without a strategy',
      { tolerations: [{ name: 'a' }] },
      { tolerations: [{ $patch: 'replace' }, { name: 'b' }] },
      { tolerations: [{ $patch: 'replace' }, { name: 'b' }] },
    ],
    ['that are unknown are fields', {}, { $odd: 1 }, { $odd: 1 }],
    [
      'delete from a list without a strategy',
      { args: ['x', 'y'] },
      { '$deleteFromPrimitiveList/args': ['x'] },
      { args: ['y'] },
    ],
    ['delete a list when null', { args: ['x'] }, { '$deleteFromPrimitiveList/args': null }, {}],
    ['delete nothing when no list', { args: ['x'] }, { '$deleteFromPrimitiveList/args': 'x' }, { args: ['x'] }],
    [
      'order a list without a strategy',
      { args: ['x', 'y'] },
      { '$setElementOrder/args': ['y', 'x'] },
      { args: ['y', 'x'] },
    ],
    [
      'stay behind a replaced object',
      { rollout: { type: 'a' } },
      { rollout: { $patch: 'replace', $retainKeys: ['type'] } },
      { rollout: { $retainKeys: ['type'] } },
    ],
  ])('%s', run);

  test.each<[string, JsonValue, new () => Error]>([
    ['an order that is no list', { '$setElementOrder/containers': 'a' }, UnusablePatchError],
    ['an order of no list', { '$setElementOrder/rollout': [] }, UnusablePatchError],
    ['an order of an unknown field', { '$setElementOrder/odd': [] }, UnusablePatchError],
    ['an order without items that have keys', { '$setElementOrder/containers': ['a'] }, UnusablePatchError],
    ['an order of nothing in particular', { $setElementOrder: [] }, MalformedPatchError],
    ['a deletion from nothing in particular', { $deleteFromPrimitiveList: [] }, MalformedPatchError],
    ['a list in a list', { finalizers: [['a']] }, PatchFailedError],
    ['elements of two types', { containers: [{ name: 'a' }, 'b'] }, UnusablePatchError],
    ['nothing among elements', { containers: [null] }, UnusablePatchError],
    ['a deletion without the key', { containers: [{ $patch: 'delete' }] }, UnusablePatchError],
  ])('%s is refused in its way', (_, patch, kind) => {
    const target = { containers: [{ name: 'a' }], rollout: { type: 'a' }, finalizers: [] };
    expect(() => apply(target, patch)).toThrow(kind);
  });

  test.each<[JsonValue, string]>([
    [{ rollout: { $patch: 'x', wait: 1 } }, 'unknown patch type: x in map: map[$patch:x wait:1]'],
    [{ containers: [{ name: 'a', $patch: 'merge' }] }, 'merging lists cannot yet be specified in the patch'],
    [{ containers: [{ value: 'v' }] }, 'map: map[value:v] does not contain declared merge key: name'],
    [{ rollout: { $retainKeys: 1 } }, 'invalid patch format of retainKeys'],
    [{ $setElementOrder: [] }, 'invalid patch format of setElementOrder list'],
    [{ '$deleteFromPrimitiveList:x': [] }, 'invalid patch format of primitive list'],
    [{ '$setElementOrder/containers': 'a' }, 'expected a []interface {}, but received a string'],
    [{ '$setElementOrder/containers': [1] }, 'value for key 0 is not a map'],
    [{ '$setElementOrder/containers': [{ name: 'a' }, 1] }, 'expected a map[string]interface {}, but received a int64'],
    [
      { '$setElementOrder/containers': [{ image: 'x' }] },
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      { '$setElementOrder/containers': [1], containers: [{ name: 'a' }] },
      'expected a map[string]interface {}, but received a int64',
    ],
    [[], 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ])('%j is refused in these words', (patch, words) => {
    expect(() => apply({ containers: [{ name: 'a' }], rollout: {} }, patch)).toThrow(words);
  });

  // every patch that is carried out is answered with the object, so that this tells nothing new
  test('a refusal shows both lists whose items are of different types', () => {
    const target = { containers: [{ name: 'a', value: 'there' }] };
    const message = 'list element types are not identical: [[map[name:a value:there]] [b]]';
    expect(() => apply(target, { containers: ['b'] })).toThrow(message);
  });
});
