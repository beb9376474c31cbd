// Rules that compare two lists of a client look at each item a few times, not once for each item of the other list.

import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import type { KindDefinition } from '../schema/resource.ts';
import type { SchemaType } from '../schema/types.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { storageVersion } from './apiserverinternal/v1alpha1/storage-version.ts';
import { builtInGroups } from './catalog.ts';
import { certificateSigningRequest } from './certificates/v1/certificate-signing-request.ts';
import { changes } from './changes.ts';
import { pod } from './core/v1/pod/pod.ts';
import { mostAmounts } from './core/v1/pod/rounded-amounts.ts';
import { validateQuota } from './core/v1/quota/resource-quota-rules.ts';
import { resourceClaim } from './resource/v1/resource-claim.ts';
import { repeatsIn } from './rules.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };

/** The same value, which counts how often a part of it is read. */
function counting<T>(value: T, count: { reads: number }): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key, receiver) {
      count.reads++;
      return counting(Reflect.get(target, key, receiver) as unknown, count);
    },
  }) as T;
}

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

function object(fields: object): ApiObject {
  return { kind: 'Any', apiVersion: 'v1', metadata: { name: 'a' }, ...fields };
}

function statusPart(kind: KindDefinition) {
  const part = kind.subresources?.find(({ name }) => name === 'status');
  if (part?.is !== 'part') throw new Error('status is no part');
  return part;
}

type Run = (size: number, see: <T>(value: T) => T) => unknown;

const rows: readonly (readonly [string, Run])[] = [
  [
    'conditions of a signing request get their times',
    (size, see) => {
      const conditions = many(size, (i) => ({ type: `T${i}`, status: 'True' }));
      const whole = see(object({ spec: {}, status: { conditions } }));
      return statusPart(certificateSigningRequest).merge(whole, whole, context);
    },
  ],
  [
    'versions that a server can read and those it serves',
    (size, see) => {
      const decodableVersions = many(size, (i) => `v${i}`);
      const one = { apiServerID: 'a', encodingVersion: 'v1', decodableVersions, servedVersions: decodableVersions };
      const whole = see(object({ spec: {}, status: { storageVersions: [one] } }));
      return statusPart(storageVersion).validateUpdate?.(whole, whole, context);
    },
  ],
  [
    'reservations of a claim before and after',
    (size, see) => {
      const reservedFor = many(size, (i) => ({ resource: 'pods', name: `p${i}`, uid: `${i}` }));
      const whole = see(object({ spec: {}, status: { reservedFor } }));
      return statusPart(resourceClaim).validateUpdate?.(whole, whole, context);
    },
  ],
  [
    'containers of a pod that ended and that run',
    (size, see) => {
      const containerStatuses = many(size, (i) => ({ name: `c${i}`, state: { terminated: { exitCode: 0 } } }));
      const spec = { restartPolicy: 'Never', containers: [] };
      const whole = see(object({ spec, status: { containerStatuses } }));
      return statusPart(pod).validateUpdate?.(whole, whole, context);
    },
  ],
  [
    'scopes of a quota that its amounts do not fit',
    (size, see) => {
      const matchExpressions = many(size, () => ({ scopeName: 'BestEffort', operator: 'Exists' }));
      const spec = { hard: { cpu: '1', memory: '1' }, scopeSelector: { matchExpressions } };
      return validateQuota(see({ kind: 'Any', apiVersion: 'v1', metadata: {}, spec }), kubernetes);
    },
  ],
];

test.each(rows)('%s', (_title, run) => {
  const readsOf = (size: number): number => {
    const count = { reads: 0 };
    run(size, (value) => counting(value, count));
    return count.reads;
  };
  const few = readsOf(200);
  expect(few).toBeGreaterThan(200);
  // four times as many items: a rule for each pair of them would read sixteen times as much
  expect(readsOf(800)).toBeLessThan(6 * few);
});

/** Paths to the lists of amounts in a type that may be longer than such a list may be. */
function* endlessAmounts(type: SchemaType, at: string, inside: readonly SchemaType[] = []): Generator<string> {
  if (inside.includes(type)) return;
  if (type.is === 'map' && type.of.is === 'scalar' && type.of.name === 'quantity' && type.most > mostAmounts) yield at;
  if (type.is === 'list' || type.is === 'map') yield* endlessAmounts(type.of, `${at}[]`, [...inside, type]);
  if (type.is === 'struct')
    for (const { name, type: of } of type.fields) yield* endlessAmounts(of, `${at}.${name}`, [...inside, type]);
}

test('every list of amounts has a limit', () => {
  const types = builtInGroups(kubernetes).flatMap(({ resources }) => resources.map(({ type }) => type));
  const found = types.flatMap((type) => (type.is === 'struct' ? [...endlessAmounts(type, type.name)] : []));
  expect(new Set(found)).toEqual(new Set());
});

test('what is repeated in a list is found out one by one', () => {
  const texts = ['a', 'b', 'a', 'b', 'c'];
  const count = { reads: 0 };
  const isRepeated = repeatsIn(counting(texts, count));
  expect(isRepeated(0)).toBe(false);
  expect(count.reads).toBe(1);
  expect(texts.map((_, index) => isRepeated(index))).toEqual([false, false, true, true, false]);
});

test('of values that no object in use has, it is not told line by line what changed', () => {
  const spec = (count: number, value: string) => ({
    volumeName: value,
    accessModes: many(count, (i) => `${value}${i}`),
  });
  expect(changes('PersistentVolumeClaimSpec', spec(10, 'a'), spec(10, 'b'))).toContain('+  "b9"');
  expect(changes('PersistentVolumeClaimSpec', spec(1, 'a'), spec(20_000, 'b'))).toBe('');
});
