// Cells whose text follows from more than one field.

import { describe, expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { rulesOf } from '../testing/kind-rules.ts';
import { storageVersion } from './apiserverinternal/v1alpha1/storage-version.ts';
import { formatLabels } from './columns.ts';
import { flowSchema } from './flowcontrol/v1/flow-schema.ts';
import { ingress } from './networking/v1/ingress.ts';
import { ipAddress } from './networking/v1/ip-address.ts';
import { storageClass } from './storage/v1/storage-class.ts';
import { volumeAttributesClass } from './storage/v1/volume-attributes-class.ts';

describe('hosts of an ingress', () => {
  const hosts = (...all: string[]) =>
    rulesOf(ingress).cells({ spec: { rules: all.map((host) => ({ host })) } })['Hosts'];
  test.each<[string[], string]>([
    [[], '*'],
    [[''], '*'],
    [['a', 'b', 'c'], 'a,b,c'],
    [['a', '', 'b'], 'a,b'],
    [['a', 'b', 'c', 'd'], 'a,b,c + 1 more...'],
    [['a', 'b', 'c', ''], 'a,b,c + 1 more...'],
    [['', 'a', 'b', 'c', 'a'], 'a,b,c + 2 more...'],
    [['', 'a', 'b', 'c'], 'a,b,c'],
  ])('%j', (given, expected) => expect(hosts(...given)).toBe(expected));
});

test.each([
  [storageClass, 'storageclass.kubernetes.io/is-default-class', 'x (default)'],
  [storageClass, 'storageclass.beta.kubernetes.io/is-default-class', 'x (default)'],
  [storageClass, 'volumeattributesclass.alpha.kubernetes.io/is-default-class', 'x'],
  [volumeAttributesClass, 'volumeattributesclass.alpha.kubernetes.io/is-default-class', 'x (default)'],
  [volumeAttributesClass, 'storageclass.kubernetes.io/is-default-class', 'x'],
])('a class says that it is the default: %#', (kind, key, expected) => {
  const cells = rulesOf(kind).cells({ metadata: { name: 'x', annotations: { [key]: 'true' } } });
  expect(cells['Name']).toBe(expected);
});

test.each<[number, string]>([
  [0, '<unset>'],
  [2, '0=v1,1=v1'],
  [5, '0=v1,1=v1,2=v1 + 2 more...'],
])('versions of %i servers', (count, expected) => {
  const storageVersions = Array.from({ length: count }, (_, i) => ({ apiServerID: String(i), encodingVersion: 'v1' }));
  expect(rulesOf(storageVersion).cells({ status: { storageVersions } })['StorageVersions']).toBe(expected);
});

test('an address says how old it is in its own cell', () => {
  const { columns = [] } = ipAddress;
  expect(columns.map(({ name, unlisted = false }) => [name, unlisted])).toEqual([
    ['Name', false],
    ['ParentRef', false],
    ['Age', true],
  ]);
  const address = { metadata: { name: '10.0.0.1', creationTimestamp: '2030-01-01T00:00:00Z' } } as ApiObject;
  const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };
  expect(columns.map((one) => one.cell(address, context))).toEqual(['10.0.0.1', '<none>', '60m']);
});

test('rows of flow schemas are in the order in which they are asked', () => {
  const made = ([name, matchingPrecedence]: readonly [string, number]) =>
    ({ kind: 'FlowSchema', apiVersion: 'v1', metadata: { name }, spec: { matchingPrecedence } }) as ApiObject;
  const all = (
    [
      ['a', 900],
      ['b', 1],
      ['c', 900],
      ['d', 20],
    ] as const
  ).map(made);
  const sorted = all.sort((a, b) => flowSchema.rows?.compare?.(a, b) ?? 0);
  expect(sorted.map(({ metadata }) => metadata.name)).toEqual(['b', 'd', 'a', 'c']);
});

test('labels are in order with their values', () => {
  expect(formatLabels({ a: '1', 'a-b': '2' })).toBe('a-b=2,a=1');
  expect(formatLabels({})).toBe('<none>');
});
