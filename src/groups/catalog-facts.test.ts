// The whole catalog against what Kubernetes 1.36 serves: group-versions, resources, subresources, fields and their numbers.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { SchemaType, StructType } from '../schema/types.ts';
import { declaredType } from '../testing/declared-type.ts';
import { builtInGroups } from './catalog.ts';

interface ResourceFacts {
  readonly kind: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Verbs by name. */
  readonly subresources?: Readonly<Record<string, readonly string[]>>;
}

interface GroupVersionFacts {
  readonly enabledByDefault: boolean;
  readonly resources: Readonly<Record<string, ResourceFacts>>;
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const file = new URL('../../test/golden/catalog.json', import.meta.url);
const facts = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, GroupVersionFacts>>;
const groups = new Map(builtInGroups(kubernetes).map((one) => [formatApiVersion(one), one]));

test('no group-version is missing', () => {
  expect(Object.keys(facts).filter((name) => !groups.has(name))).toEqual([]);
});

describe.each(Object.entries(facts))('%s', (name, wanted) => {
  const group = groups.get(name);
  const resources = new Map((group?.resources ?? []).map((one) => [one.plural, one]));

  test('is on from the start, or waits to be turned on', () => {
    expect(group?.offByDefault !== true).toBe(wanted.enabledByDefault);
  });

  test('has every resource with its names, verbs and subresources', () => {
    const found = Object.keys(wanted.resources).map((plural) => [plural, shown(resources.get(plural))]);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(wanted.resources).map(([plural, one]) => [plural, shownFacts(one)])),
    );
  });

  test('has every field with its number', () => {
    const structs = new Map(
      [...(group?.resources ?? [])]
        .filter(({ plural }) => plural in wanted.resources)
        .flatMap((definition) => [...structsOf(declaredType(definition))])
        .map((type) => [type.name, type]),
    );
    for (const [type, fields] of Object.entries(wanted.types)) {
      const struct = structs.get(type);
      if (struct !== undefined) expect(numbersOf(struct), type).toEqual(fields);
    }
  });
});

const sorted = (list: readonly string[] = []) => [...list].sort();

function shown(one: ResourceDefinition | undefined): unknown {
  if (one === undefined) return 'missing';
  const { kind, singular, namespaced, verbs, shortNames, categories, subresources = [] } = one;
  return {
    ...{ kind, singular, namespaced, verbs: sorted(verbs) },
    ...{ shortNames: sorted(shortNames), categories: sorted(categories) },
    subresources: Object.fromEntries(subresources.map((part) => [part.name, sorted(part.verbs)])),
  };
}

function shownFacts({
  kind,
  singular,
  namespaced,
  verbs,
  shortNames,
  categories,
  subresources,
}: ResourceFacts): unknown {
  return {
    ...{ kind, singular, namespaced, verbs: sorted(verbs) },
    ...{ shortNames: sorted(shortNames), categories: sorted(categories) },
    subresources: Object.fromEntries(
      Object.entries(subresources ?? {}).map(([name, allowed]) => [name, sorted(allowed)]),
    ),
  };
}

function structsOf(type: SchemaType, seen = new Set<StructType>()): Set<StructType> {
  if (type.is === 'list' || type.is === 'map') return structsOf(type.of, seen);
  if (type.is !== 'struct' || seen.has(type)) return seen;
  seen.add(type);
  for (const { type: inner } of type.fields) structsOf(inner, seen);
  return seen;
}

const numbersOf = ({ fields }: StructType) =>
  Object.fromEntries(fields.map(({ name, number, within = [] }) => [name, [...within, number].join('.')]));
