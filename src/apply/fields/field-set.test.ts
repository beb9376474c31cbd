import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { MalformedElementError } from './element.ts';
import { inOrder } from './field-order.ts';
import {
  difference,
  emptySet,
  equals,
  type FieldSet,
  intersection,
  isWithin,
  leaf,
  parseFieldSet,
  showPaths,
  union,
} from './field-set.ts';

const element = fc.constantFrom(
  'f:a',
  'f:b',
  'f:__proto__',
  'k:{"name":"x"}',
  'k:{"port":80,"protocol":"TCP"}',
  'v:"x"',
  'v:1',
);
const { tree } = fc.letrec<{ tree: FieldSet; node: FieldSet }>((tie) => ({
  node: fc.oneof({ depthSize: 'small' }, fc.constant(leaf), tie('inner')) as fc.Arbitrary<FieldSet>,
  inner: fc
    .tuple(fc.dictionary(element, tie('node'), { minKeys: 1, maxKeys: 3 }), fc.boolean())
    .map(([children, member]) => (member ? { '.': leaf, ...children } : { ...children })),
  tree: fc.dictionary(element, tie('node'), { maxKeys: 4 }).map((children) => ({ ...children })),
})) as unknown as { tree: fc.Arbitrary<FieldSet> };

/** The naive model: a set of paths. */
const paths = (set: FieldSet) => new Set(showPaths(set));

describe('the algebra of sets', () => {
  test('agrees with sets of paths', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        const [pa, pb] = [paths(a), paths(b)];
        expect(paths(union(a, b))).toEqual(new Set([...pa, ...pb]));
        expect(paths(difference(a, b))).toEqual(new Set([...pa].filter((p) => !pb.has(p))));
        expect(paths(intersection(a, b))).toEqual(new Set([...pa].filter((p) => pb.has(p))));
        expect(isWithin(a, b)).toBe([...pa].every((p) => pb.has(p)));
        expect(equals(a, b)).toBe(pa.size === pb.size && [...pa].every((p) => pb.has(p)));
      }),
      fuzzRuns(500),
    );
  });

  test('never changes its arguments', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        const before = JSON.stringify([a, b]);
        for (const operation of [union, difference, intersection]) operation(a, b);
        inOrder(a);
        expect(JSON.stringify([a, b])).toBe(before);
      }),
    );
  });

  test('results are in their simplest form, so that equal sets have equal texts', () => {
    fc.assert(
      fc.property(tree, tree, (a, b) => {
        for (const set of [union(a, b), difference(a, b), intersection(a, b)]) {
          expect(parseFieldSet(JSON.parse(JSON.stringify(set)))).toEqual(set);
        }
        expect(JSON.stringify(inOrder(union(a, b)))).toBe(JSON.stringify(inOrder(union(b, a))));
      }),
    );
  });

  test('an operation that changes nothing returns what it was given', () => {
    const a = { 'f:a': { '.': leaf, 'f:b': leaf } };
    expect(union(a, { 'f:a': leaf })).toBe(a);
    expect(difference(a, { 'f:c': leaf })).toBe(a);
    expect(inOrder(a)).toBe(a);
  });

  test('a parent minus its child stays, and the other way round', () => {
    const both = { 'f:a': { '.': leaf, 'f:b': leaf } };
    expect(difference(both, { 'f:a': { 'f:b': leaf } })).toEqual({ 'f:a': leaf });
    expect(difference(both, { 'f:a': leaf })).toEqual({ 'f:a': { 'f:b': leaf } });
    expect(difference(both, both)).toEqual(emptySet);
  });
});

describe('reading and writing', () => {
  test('a set survives JSON', () => {
    fc.assert(
      fc.property(tree, (set) => {
        expect(parseFieldSet(JSON.parse(JSON.stringify(set)))).toEqual(set);
      }),
    );
  });

  test('keys are spelled one way', () => {
    const sent = { 'k:{ "b": 2, "a": "x" }': {}, 'v: "y"': {}, 'f:c': { '.': {} } };
    expect(parseFieldSet(sent)).toEqual({ 'k:{"a":"x","b":2}': {}, 'v:"y"': {}, 'f:c': {} });
  });

  test.each([[], 'x', { 'f:a': 1 }, { x: {} }, { 'k:[]': {} }, { 'v:{': {} }, { 'i:x': {} }, { 'f:a': { b: {} } }])(
    '%j is no set',
    (value) => {
      expect(() => parseFieldSet(value)).toThrow(MalformedElementError);
    },
  );

  test('paths are shown as people write them', () => {
    const set = {
      'f:spec': {
        'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': leaf, 'f:name': leaf } },
        'f:args': { 'v:"x"': leaf },
      },
    };
    expect(showPaths(set)).toEqual([
      '.spec.args[="x"]',
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].name',
    ]);
  });
});
