import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { applyJsonPatch, MalformedPatchError, PatchFailedError } from './json-patch.ts';
import { PatchTooLargeError, PatchWork } from './patch-work.ts';

type Case = [what: string, target: JsonValue, patch: JsonValue, expected: JsonValue];

describe('operations', () => {
  test.each<Case>([
    // RFC 6902, appendix A
    ['A.1 add a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    ['A.2 add an element', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['A.3 remove a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['A.4 remove an element', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    ['A.5 replace', { a: 1, b: 2 }, [{ op: 'replace', path: '/a', value: 3 }], { a: 3, b: 2 }],
    ['A.8 test', { a: 'x', b: ['a', 2] }, [{ op: 'test', path: '/b/1', value: 2 }], { a: 'x', b: ['a', 2] }],
    ['A.10 add a nested object', { a: 1 }, [{ op: 'add', path: '/b', value: { c: {} } }], { a: 1, b: { c: {} } }],
    ['A.11 ignore what it does not know', { a: 1 }, [{ op: 'add', path: '/b', value: 2, xyz: 1 }], { a: 1, b: 2 }],
    ['A.14 escapes', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    ['A.16 append', { a: ['b'] }, [{ op: 'add', path: '/a/-', value: ['c'] }], { a: ['b', ['c']] }],
    // and more
    ['nothing', { a: 1 }, [], { a: 1 }],
    ['add over a member', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['add null', {}, [{ op: 'add', path: '/a', value: null }], { a: null }],
    ['add at the end by its index', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
    ['add at the start', { a: [1] }, [{ op: 'add', path: '/a/0', value: 0 }], { a: [0, 1] }],
    ['add to an empty list', { a: [] }, [{ op: 'add', path: '/a/0', value: 0 }], { a: [0] }],
    ['a key with a slash', { 'a/b': 1 }, [{ op: 'replace', path: '/a~1b', value: 2 }], { 'a/b': 2 }],
    ['a key with a tilde', { 'a~b': 1 }, [{ op: 'remove', path: '/a~0b' }], {}],
    ['an empty key', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    ['a key that looks like an index', { 0: 'a' }, [{ op: 'replace', path: '/0', value: 'b' }], { 0: 'b' }],
    ['a key -', { '-': 1 }, [{ op: 'remove', path: '/-' }], {}],
    ['replace an element', { a: [1, 2] }, [{ op: 'replace', path: '/a/0', value: [] }], { a: [[], 2] }],
    ['replace everything', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['A.6 move a value', { a: { x: 1 }, b: {} }, [{ op: 'move', from: '/a/x', path: '/b/y' }], { a: {}, b: { y: 1 } }],
    ['A.7 move an element', { a: [1, 2, 3, 4] }, [{ op: 'move', from: '/a/1', path: '/a/3' }], { a: [1, 3, 4, 2] }],
    ['rename', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['move onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    ['copy', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['copy into a list', { a: [1, 2] }, [{ op: 'copy', from: '/a/1', path: '/a/0' }], { a: [2, 1, 2] }],
    [
      'test objects in any order',
      { a: { x: 1, y: 2 } },
      [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
      { a: { x: 1, y: 2 } },
    ],
    ['test the whole', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
    ['test what is missing for null', {}, [{ op: 'test', path: '/a', value: null }], {}],
    ['a list as the document', [1], [{ op: 'add', path: '/-', value: 2 }], [1, 2]],
  ])('%s', (_, target, patch, expected) => {
    expect(applyJsonPatch(target, patch)).toEqual(expected);
  });

  test('go one after the other', () => {
    const patch = [
      { op: 'add', path: '/a', value: {} },
      { op: 'add', path: '/a/b', value: [] },
      { op: 'add', path: '/a/b/-', value: 1 },
      { op: 'test', path: '/a/b', value: [1] },
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'add', path: '/a/b/-', value: 2 },
      { op: 'remove', path: '/a/b/0' },
    ];
    expect(applyJsonPatch({}, patch)).toEqual({ a: { b: [2] }, c: { b: [1] } });
  });

  // what kube-apiserver's library (evanphx/json-patch v4) makes of cases in which the RFC is stricter
  test.each<Case>([
    ['replace adds a member that is missing', {}, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    ['negative indices count from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['add without a value adds null', {}, [{ op: 'add', path: '/a' }], { a: null }],
    ['replace without a value sets null', { a: 1 }, [{ op: 'replace', path: '/a' }], { a: null }],
    ['copy of what is missing adds null', {}, [{ op: 'copy', from: '/a', path: '/b' }], { b: null }],
    ['an index may have zeros in front', { a: [1, 2] }, [{ op: 'remove', path: '/a/01' }], { a: [1] }],
  ])('%s', (_, target, patch, expected) => {
    expect(applyJsonPatch(target, patch)).toEqual(expected);
  });
});

describe('what cannot be carried out', () => {
  test.each<[string, JsonValue, JsonValue]>([
    ['A.9 a test that fails', { a: 'x' }, [{ op: 'test', path: '/a', value: 'y' }]],
    ['A.12 add below what is missing', {}, [{ op: 'add', path: '/a/b', value: 1 }]],
    ['A.15 text is no number', { a: 10 }, [{ op: 'test', path: '/a', value: '10' }]],
    ['test of a missing value', {}, [{ op: 'test', path: '/a', value: 1 }]],
    ['remove what is missing', {}, [{ op: 'remove', path: '/a' }]],
    ['remove beyond the end', { a: [1] }, [{ op: 'remove', path: '/a/1' }]],
    ['remove -', { a: [1] }, [{ op: 'remove', path: '/a/-' }]],
    ['replace below what is missing', {}, [{ op: 'replace', path: '/a/b', value: 1 }]],
    ['replace beyond the end', { a: [1] }, [{ op: 'replace', path: '/a/1', value: 2 }]],
    ['replace -', { a: [1] }, [{ op: 'replace', path: '/a/-', value: 2 }]],
    ['add beyond the end', { a: [1] }, [{ op: 'add', path: '/a/2', value: 2 }]],
    ['add at no index', { a: [1] }, [{ op: 'add', path: '/a/x', value: 2 }]],
    ['add below a string', { a: 'text' }, [{ op: 'add', path: '/a/0', value: 1 }]],
    ['add below null', { a: null }, [{ op: 'add', path: '/a/b', value: 1 }]],
    ['copy below what is missing', {}, [{ op: 'copy', from: '/a/c', path: '/b' }]],
    ['move what is missing', {}, [{ op: 'move', from: '/a', path: '/b' }]],
    ['an inherited name', {}, [{ op: 'remove', path: '/constructor' }]],
    ['below an inherited name', {}, [{ op: 'add', path: '/constructor/prototype', value: 1 }]],
    ['the length of a list', { a: [1] }, [{ op: 'replace', path: '/a/length', value: 0 }]],
  ])('%s', (_, target, patch) => {
    expect(() => applyJsonPatch(target, patch)).toThrow(PatchFailedError);
  });

  // the library takes any list of objects for a patch; what it cannot do with them is a 422 like the rest
  test.each<[string, JsonValue]>([
    ['an unknown operation', [{ op: 'spam', path: '/a', value: 1 }]],
    ['no operation', [{ path: '/a', value: 1 }]],
    ['no path', [{ op: 'add', value: 1 }]],
    ['no from', [{ op: 'copy', path: '/a' }]],
  ])('%s', (_, patch) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(PatchFailedError);
  });

  test('leaves the object as it was', () => {
    const target = { a: [1], b: { c: 1 } };
    const patch = [
      { op: 'add', path: '/a/-', value: 2 },
      { op: 'remove', path: '/b/c' },
      { op: 'test', path: '/b', value: 'no' },
    ];
    expect(() => applyJsonPatch(target, patch)).toThrow(PatchFailedError);
    expect(target).toEqual({ a: [1], b: { c: 1 } });
  });

  // the library finds no place for these
  test.each<[string, JsonValue]>([
    ['test below what is missing, for null', [{ op: 'test', path: '/a/b', value: null }]],
    ['add as the whole document', [{ op: 'add', path: '', value: {} }]],
    ['remove the whole document', [{ op: 'remove', path: '' }]],
    ['copy the whole document', [{ op: 'copy', from: '', path: '/a' }]],
    ['replace the whole document by no document', [{ op: 'replace', path: '', value: 'text' }]],
    ['no operation at all', [null]],
  ])('%s', (_, patch) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(PatchFailedError);
  });
});

test('what stands before the first slash of a pointer is not looked at', () => {
  expect(applyJsonPatch({ a: { b: 1 } }, [{ op: 'add', path: 'x/a/b', value: 2 }])).toEqual({ a: { b: 2 } });
  expect(() => applyJsonPatch({ a: 1 }, [{ op: 'add', path: 'a', value: 2 }])).toThrow(PatchFailedError);
});

describe('what is no patch', () => {
  test.each<[JsonValue, string]>([
    [{}, 'object into Go value of type []handlers.jsonPatchOp'],
    [[1], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: true, path: '' }], 'bool into Go struct field jsonPatchOp.op of type string'],
  ])('%j is told in these words', (patch, words) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(`error decoding patch: json: cannot unmarshal ${words}`);
  });

  test.each<[JsonValue]>([[{}], ['add'], [1], [{ op: 'add', path: '/a', value: 1 }]])('%j', (patch) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(MalformedPatchError);
  });

  // DecodePatch cannot read these: a 400
  test.each<[JsonValue]>([[[1]], [['add']]])('%j', (patch) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(MalformedPatchError);
  });

  test('null is a patch of no operations', () => {
    expect(applyJsonPatch({ a: 1 }, null)).toEqual({ a: 1 });
  });

  test.each<[JsonValue]>([
    [[{ op: 1, path: '/a' }]],
    [[{ op: 'add', path: 1 }]],
    [[{ op: 'move', path: '/a', from: {} }]],
  ])('%j', (patch) => {
    expect(() => applyJsonPatch({}, patch)).toThrow(MalformedPatchError);
  });

  test('copies of copies have a limit too', () => {
    const doubling = Array.from({ length: 20 }, (_, index) => ({ op: 'copy', from: '', path: `/a${index}` }));
    expect(() => applyJsonPatch({ b: 'x'.repeat(1000) }, doubling)).toThrow(PatchFailedError);
  });

  test('ten thousand operations are enough', () => {
    const operation = { op: 'test', path: '', value: {} };
    expect(applyJsonPatch({}, new Array(10_000).fill(operation) as JsonValue)).toEqual({});
    expect(() => applyJsonPatch({}, new Array(10_001).fill(operation) as JsonValue)).toThrow(
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  test('copies cannot grow an object without bounds', () => {
    const copies = new Array(1001).fill({ op: 'copy', from: '', path: '/a' }) as JsonValue;
    expect(() => applyJsonPatch({}, copies)).toThrow(PatchTooLargeError);
  });
});

describe('names that JavaScript knows', () => {
  const parse = (text: string) => JSON.parse(text) as JsonValue;

  test('are data', () => {
    const added = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    expect(JSON.stringify(added)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(added)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('can be replaced and removed where they are', () => {
    const target = parse('{"__proto__":{"a":1},"constructor":1}');
    expect(JSON.stringify(applyJsonPatch(target, [{ op: 'replace', path: '/__proto__/a', value: 2 }]))).toBe(
      '{"__proto__":{"a":2},"constructor":1}',
    );
    expect(JSON.stringify(applyJsonPatch(target, [{ op: 'remove', path: '/__proto__' }]))).toBe('{"constructor":1}');
  });

  test('lead nowhere where they are not', () => {
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }])).toThrow(PatchFailedError);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('laws', () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
  const key = fc.stringMatching(/^[a-z~/]{1,4}$/);
  const pointer = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

  test('what is added can be tested, and removing it restores the object', () => {
    fc.assert(
      fc.property(fc.dictionary(key, json), key, json, (target, name, value) => {
        fc.pre(!Object.hasOwn(target, name));
        const path = pointer(name);
        const patch = [
          { op: 'add', path, value },
          { op: 'test', path, value },
          { op: 'remove', path },
        ];
        expect(applyJsonPatch(target, patch)).toEqual(target);
      }),
    );
  });
});

/** Clients of the patch verb do not see these words; those whose requests webhooks and policies patch do. */
test.each<[string, object, string]>([
  ['add', { path: '/a/b/c', value: 1 }, 'add operation does not apply: doc is missing path: "/a/b/c": missing value'],
  ['add', { path: 'a', value: 1 }, 'add operation does not apply: doc is missing path: "a": missing value'],
  [
    'add',
    { path: '/list/7', value: 1 },
    "error in add for path: '/list/7': Unable to access invalid index: 7: invalid index referenced",
  ],
  ['remove', { path: '/z' }, "error in remove for path: '/z': Unable to remove nonexistent key: z: missing value"],
  ['remove', { path: '/z/y' }, 'remove operation does not apply: doc is missing path: "/z/y": missing value'],
  ['replace', { path: '/z/y', value: 1 }, 'replace operation does not apply: doc is missing path: /z/y: missing value'],
  [
    'replace',
    { path: '/list/7', value: 1 },
    'replace operation does not apply: doc is missing key: /list/7: missing value',
  ],
  [
    'move',
    { from: '/a/z', path: '/b' },
    "error in move for path: 'z': Unable to remove nonexistent key: z: missing value",
  ],
  [
    'move',
    { from: '/z/y', path: '/b' },
    'move operation does not apply: doc is missing from path: /z/y: missing value',
  ],
  [
    'copy',
    { from: '/a', path: '/z/y' },
    'copy operation does not apply: doc is missing destination path: /z/y: missing value',
  ],
  ['test', { path: '/z/y', value: 1 }, 'test operation does not apply: is missing path: /z/y: missing value'],
  ['test', { path: '/a', value: 1 }, 'testing value /a failed: test failed'],
])('%s %j cannot be carried out', (op, rest, message) => {
  const document = { a: { x: 1 }, list: [1, 2] };
  expect(() => applyJsonPatch(document, [{ op, ...rest }])).toThrow(message);
  expect(document).toEqual({ a: { x: 1 }, list: [1, 2] });
});

test('a pointer that is longer than any document is deep leads nowhere', () => {
  const message = 'add operation does not apply: doc is missing path: "/a/a';
  expect(() => applyJsonPatch({}, [{ op: 'add', path: '/a'.repeat(1_000_000), value: 1 }])).toThrow(message);
});

describe('what is deeper than bodies may be', () => {
  const message = 'The patched object is nested more than 1000 levels deep';
  const nested = (levels: number): JsonValue => {
    let value: JsonValue = {};
    for (let level = 1; level < levels; level++) value = { a: value };
    return value;
  };

  test('is not made of deep values', () => {
    expect(applyJsonPatch({}, [{ op: 'add', path: '/a', value: nested(999) }])).toEqual(nested(1000));
    expect(() => applyJsonPatch({}, [{ op: 'add', path: '/a', value: nested(1000) }])).toThrow(message);
    expect(() => applyJsonPatch({ a: 1 }, [{ op: 'replace', path: '/a', value: nested(1000) }])).toThrow(message);
  });

  test('is not made by copying and moving', () => {
    const add = { op: 'add', path: '/b', value: nested(900) };
    for (const op of ['copy', 'move'])
      expect(() => applyJsonPatch(nested(200), [add, { op, from: '/b', path: `${'/a'.repeat(150)}/b` }])).toThrow(
        message,
      );
  });
});

describe('operations that go through all of an object', () => {
  const document: JsonValue = { a: { list: Array.from({ length: 50_000 }, (_, index) => [index]) } };
  const moves = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      index % 2 === 0 ? { op: 'move', from: '/a', path: '/b' } : { op: 'move', from: '/b', path: '/a' },
    );

  test('are reported once when they take long', () => {
    let calls = 0;
    expect(applyJsonPatch(document, moves(40), new PatchWork(() => calls++))).toEqual(document);
    expect(calls).toBe(1);
    applyJsonPatch(document, moves(2), new PatchWork(() => calls++));
    expect(calls).toBe(1);
  });

  test('may move a request, which is no failure of the patch', () => {
    const moved = new Error('moved');
    const move = () => {
      throw moved;
    };
    expect(() => applyJsonPatch(document, moves(40), new PatchWork(move))).toThrow(moved);
  });

  test('have a limit', () => {
    const work = new PatchWork();
    work.spend(100_000_000);
    expect(() => applyJsonPatch(document, moves(1), work)).toThrow(PatchTooLargeError);
  });
});
