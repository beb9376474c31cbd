// What holds for every apply, on generated objects and stories.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setOwn } from '../base/json/json.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { objectMeta } from '../groups/meta/v1/types.ts';
import { bool, field, int32, listOf, mapOf, string, struct } from '../schema/types.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { structuralTypeOf } from '../testing/schema-of-type.ts';
import { difference, equals, type FieldSet, intersection, isEmpty, isWithin, union } from './fields/field-set.ts';
import { Scenario } from './scenario.ts';
import { compare } from './typed/compare.ts';
import { fieldsOf } from './typed/fields-of.ts';
import { objectTopology } from './typed/object-topology.ts';

const item = struct('test/v1', 'Item', '', {
  id: field(1, int32, { always: true }),
  kind: field(2, string, { default: 'x' }),
  on: field(3, bool, { pointer: true }),
  tags: field(4, listOf(string), { listType: 'set' }),
});
const type = struct('test/v1', 'Thing', '', {
  metadata: field(1, objectMeta, { always: true }),
  size: field(2, int32, { pointer: true }),
  data: field(3, mapOf(string)),
  items: field(4, listOf(item), { listType: 'map', mapKeys: ['id', 'kind'] }),
  args: field(5, listOf(string)),
  nested: field(6, struct('test/v1', 'Nested', '', { a: field(1, string), b: field(2, mapOf(mapOf(string))) })),
});
const topology = objectTopology(type);
const scenario = () => new Scenario({ type });
/** The same fields, as a user describes them by a schema. */
const described = structuralTypeOf(type);
const custom = () => new Scenario({ type: described });

const word = fc.constantFrom('a', 'b', '__proto__', 'constructor');
const some = <T>(values: Record<string, fc.Arbitrary<T>>) => fc.record(values, { requiredKeys: [] });
const metadata = some<unknown>({
  labels: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }),
  finalizers: fc.uniqueArray(word, { minLength: 1 }),
}).map((fields) => ({ name: 'x', ...(fields as object) }));
const config = some<unknown>({
  metadata,
  size: fc.integer({ min: 0, max: 3 }),
  data: fc.dictionary(word, word, { minKeys: 1, maxKeys: 3 }),
  items: fc.uniqueArray(
    some<unknown>({
      kind: fc.constantFrom('x', 'y'),
      on: fc.boolean(),
      tags: fc.uniqueArray(word, { minLength: 1 }),
    }).chain((rest) => fc.integer({ min: 1, max: 3 }).map((id) => ({ id, ...(rest as { kind?: string }) }))),
    { selector: ({ id, kind = 'x' }) => `${id}${kind}`, minLength: 1 },
  ),
  args: fc.array(word, { minLength: 1, maxLength: 2 }),
  nested: some<unknown>({
    a: word,
    b: fc.dictionary(word, fc.dictionary(word, word, { minKeys: 1 }), { minKeys: 1 }),
  }).filter((nested) => Object.keys(nested as object).length > 0),
}) as fc.Arbitrary<object>;

const decoded = (fields: object) =>
  decodeObject({ group: '', version: 'v1', kind: 'Thing', type }, { metadata: { name: 'x' }, ...fields }).object;

const fieldsOfOwner = (story: Scenario, manager: string): FieldSet =>
  story.managers.find((entry) => entry.manager === manager)?.fieldsV1 ?? {};

const withoutTimes = (story: Scenario) => JSON.stringify(story.object).replaceAll(/"time":"[^"]*"/g, '');

const manager = fc.constantFrom('a', 'b', 'c');
interface Step {
  readonly manager: string;
  readonly config: object;
  readonly how: string;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ manager, config, how: fc.constantFrom('apply', 'force', 'update') }),
  {
    maxLength: 6,
  },
);

/** Plays steps; those that conflict change nothing. */
function play(story: Scenario, played: readonly Step[]): Scenario {
  for (const step of played) {
    if (step.how === 'update') story.update(step.manager, step.config);
    else if (step.how === 'force') story.apply(step.manager, step.config, { force: true });
    else {
      try {
        story.apply(step.manager, step.config);
      } catch (error) {
        expect((error as { code?: number }).code).toBe(409);
      }
    }
  }
  return story;
}

/** As often as a test run has time for. */
const check = (property: Parameters<typeof fc.assert>[0]): void => {
  fc.assert(property as fc.IProperty<unknown>, fuzzRuns(150));
};

test('applying twice changes nothing', () => {
  check(
    fc.property(steps, manager, config, (before, who, wanted) => {
      const story = play(scenario(), before).apply(who, wanted, { force: true });
      const once = withoutTimes(story);
      expect(withoutTimes(story.apply(who, wanted))).toBe(once);
    }),
  );
});

test('an applier that owns everything sees exactly its object', () => {
  check(
    fc.property(config, config, (first, second) => {
      const story = scenario().apply('a', first).apply('a', second);
      const { metadata: _, ...fields } = story.object ?? { metadata: {} };
      const { metadata: __, ...wanted } = decoded(second);
      // an empty struct that was once there may stay, as null and empty are different things
      expect({ nested: undefined, ...fields }).toEqual({ nested: undefined, ...wanted });
    }),
  );
});

test('a forced apply owns exactly what it says, and no other manager owns what it changed', () => {
  check(
    fc.property(steps, config, (before, wanted) => {
      const story = play(scenario(), before);
      const live = story.object ?? decoded({});
      const merged = story.apply('z', wanted, { force: true });
      expect(equals(fieldsOfOwner(merged, 'z'), fieldsOf(topology, wanted))).toBe(true);
      const { modified, added } = compare(topology, live, merged.object as object);
      const changed = intersection(union(modified, added), fieldsOf(topology, wanted));
      for (const entry of merged.managers) {
        if (entry.manager !== 'z') expect(isEmpty(intersection(entry.fieldsV1, changed))).toBe(true);
      }
    }),
  );
});

/** Every field that an object has, those that hold others too. */
const fieldsIn = (object: object, how = topology): FieldSet =>
  union(fieldsOf(how, object), compare(how, {}, object).added);

test('after a new manager has applied, all owners together own what they owned and what was applied', () => {
  const owned = (story: Scenario) => story.managers.map(({ fieldsV1 }) => fieldsV1).reduce(union, {});
  check(
    fc.property(steps, config, fc.boolean(), (before, wanted, isForced) => {
      const story = play(scenario(), before);
      const was = owned(story);
      const live = story.object ?? decoded({});
      const refused = !isForced && isRefused(() => story.apply('z', wanted));
      if (isForced) story.apply('z', wanted, { force: true });
      const expected = refused ? was : union(was, fieldsOf(topology, wanted));
      const is = owned(story);
      expect(isWithin(is, expected)).toBe(true);
      // the wire leaves out what is empty: an owner of that loses it to the manager that fills it, and no other loses anything
      const filled = compare(topology, live, story.object ?? decoded({})).added;
      const lost = difference(expected, is);
      expect(isWithin(lost, intersection(difference(was, fieldsIn(live)), filled)), JSON.stringify(lost)).toBe(true);
    }),
  );
});

function isRefused(write: () => unknown): boolean {
  try {
    write();
    return false;
  } catch (error) {
    expect((error as { code?: number }).code).toBe(409);
    return true;
  }
}

test('an apply without force changes no field that others own', () => {
  check(
    fc.property(steps, config, (before, wanted) => {
      const story = play(scenario(), before);
      const owners = story.managers;
      const live = story.object ?? decoded({});
      play(story, [{ manager: 'z', config: wanted, how: 'apply' }]);
      const { modified } = compare(topology, live, story.object ?? decoded({}));
      for (const { fieldsV1 } of owners) expect(isEmpty(intersection(fieldsV1, modified))).toBe(true);
    }),
  );
});

/** Fields that the wire leaves out when they are empty: who owns one of those keeps it all the same. */
const containers: ReadonlySet<string> = new Set([
  'f:metadata',
  'f:labels',
  'f:finalizers',
  'f:data',
  'f:items',
  'f:tags',
  'f:nested',
  'f:b',
]);

/** What is owned below containers, without the containers themselves. */
function withoutContainers(owned: FieldSet, of = ''): FieldSet {
  const left: Record<string, FieldSet> = {};
  for (const [element, inner] of Object.entries(owned)) {
    const isContainer = containers.has(element) || of === 'f:b';
    const rest = isContainer ? withoutContainers(inner, element) : inner;
    if (element !== '.' && !(isContainer && isEmpty(rest))) setOwn(left, element, rest);
  }
  return left;
}

test('whatever happens, what is owned exists', () => {
  check(
    fc.property(steps, (played) => {
      const story = play(scenario(), played);
      const object = story.object ?? decoded({});
      const there = fieldsIn(object);
      for (const { fieldsV1 } of story.managers) {
        const owned = withoutContainers(fieldsV1);
        expect(isWithin(owned, there), `${JSON.stringify(owned)} in ${JSON.stringify(object)}`).toBe(true);
      }
    }),
  );
});

test('a schema with the same fields has the same owners after the same story, and the laws hold for it too', () => {
  fc.assert(
    fc.property(steps, config, (played, last) => {
      const [declared, structural] = [play(scenario(), played), play(custom(), played)];
      expect(structural.owners).toEqual(declared.owners);
      structural.apply('a', last, { force: true });
      const there = fieldsIn(structural.object as object, objectTopology(described));
      for (const { fieldsV1 } of structural.managers) expect(isWithin(withoutContainers(fieldsV1), there)).toBe(true);
      const once = withoutTimes(structural);
      // what is left of an object without owners is owned from the next apply on
      if (structural.managers.length > 0) expect(withoutTimes(structural.apply('a', last))).toBe(once);
    }),
    { ...fuzzRuns(60), seed: 18 },
  );
});
