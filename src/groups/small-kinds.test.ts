// Kinds with few rules: leases in coordinated elections, runtime classes, storage versions, pod groups.

import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import type { KindDefinition } from '../schema/resource.ts';
import { lines } from '../testing/error-lines.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { storageVersion } from './apiserverinternal/v1alpha1/storage-version.ts';
import { leaseCandidate } from './coordination/v1beta1/lease-candidate.ts';
import { endpointSlice } from './discovery/v1/endpoint-slice.ts';
import { runtimeClass } from './node/v1/runtime-class.ts';
import { deviceTaintRule } from './resource/v1alpha3/device-taint-rule.ts';
import { resourcePoolStatusRequest } from './resource/v1alpha3/resource-pool-status-request.ts';
import { podGroup } from './scheduling/v1alpha2/pod-group.ts';
import { workload } from './scheduling/v1alpha2/workload.ts';
import { storageVersionMigration } from './storagemigration/v1beta1/storage-version-migration.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const candidate = {
  leaseName: 'l',
  binaryVersion: '1.36.0',
  emulationVersion: '1.35.0',
  strategy: 'OldestEmulationVersion',
};
const basic = { schedulingPolicy: { basic: {} } };
const taint = { key: 'example.com/broken', effect: 'NoExecute' };

test.each<[KindDefinition, object, readonly string[]]>([
  [leaseCandidate, { spec: candidate }, []],
  [leaseCandidate, { spec: { ...candidate, emulationVersion: '1.37.0' } }, ['spec.binaryVersion']],
  [leaseCandidate, { spec: { ...candidate, emulationVersion: '1.35' } }, ['spec.emulationVersion']],
  [leaseCandidate, { spec: { ...candidate, emulationVersion: '' } }, ['spec.emulationVersion']],
  [leaseCandidate, { spec: { ...candidate, binaryVersion: 'new' } }, ['spec.binaryVersion']],
  [leaseCandidate, { spec: { ...candidate, strategy: 'Mine' } }, ['spec.strategy.strategy']],
  [leaseCandidate, { spec: { ...candidate, strategy: 'example.com/mine' } }, []],
  [runtimeClass, { handler: 'h' }, []],
  [runtimeClass, { handler: '' }, ['handler']],
  [runtimeClass, { handler: 'h', overhead: { podFixed: { cpu: '-1' } } }, ['overhead.limits[cpu]']],
  [runtimeClass, { handler: 'h', overhead: { podFixed: { odd: '1' } } }, Array(2).fill('overhead.limits[odd]')],
  [runtimeClass, { handler: 'h', scheduling: { nodeSelector: { 'a b': 'c' } } }, ['scheduling.nodeSelector']],
  [
    runtimeClass,
    { handler: 'h', scheduling: { tolerations: [{ operator: 'Exists', value: 'x' }] } },
    ['scheduling.tolerations[0].operator'],
  ],
  [podGroup, { spec: basic }, []],
  [podGroup, { spec: {} }, ['spec.schedulingPolicy']],
  [podGroup, { spec: { schedulingPolicy: { gang: { minCount: 0 } } } }, ['spec.schedulingPolicy.gang.minCount']],
  [workload, { spec: { podGroupTemplates: [{ name: 'a', ...basic }] } }, []],
  [
    workload,
    { spec: { controllerRef: { apiGroup: 'A' }, podGroupTemplates: null } },
    [...['apiGroup', 'kind', 'name'].map((name) => `spec.controllerRef.${name}`), 'spec.podGroupTemplates'],
  ],
  [
    workload,
    {
      spec: {
        podGroupTemplates: [
          { name: 'a', ...basic },
          { name: 'a', ...basic },
        ],
      },
    },
    ['spec.podGroupTemplates[1]'],
  ],
  [deviceTaintRule, { spec: { taint } }, []],
  [deviceTaintRule, { spec: { taint: { ...taint, effect: 'Odd' } } }, ['spec.taint.effect']],
  [deviceTaintRule, { spec: { taint, deviceSelector: { pool: 'A' } } }, ['spec.deviceSelector.pool']],
  [resourcePoolStatusRequest, { spec: { driver: 'd.example', poolName: 'p', limit: 5 } }, []],
  [
    resourcePoolStatusRequest,
    { spec: { driver: 'd.example', poolName: '', limit: 0 } },
    ['spec.poolName', 'spec.limit'],
  ],
  [storageVersionMigration, { spec: { resource: { resource: 'pods' } } }, []],
  [storageVersionMigration, { spec: { resource: {} } }, ['spec.resource.resource']],
])('%#: %j', (kind, fields, expected) => {
  const object = { kind: kind.kind, apiVersion: 'v1', metadata: { name: 'n' }, ...fields };
  const { validate, validateCreate } = kind.strategy ?? {};
  const found = lines([...(validate?.(object, context) ?? []), ...(validateCreate?.(object, context) ?? [])]);
  expect(found.map((line) => line.split(':')[0])).toEqual(expected);
});

test.each([
  ['apps.deployments', []],
  ['pods', ['name must be in the form of <group>.<resource>']],
])('a storage version named %s', (name, expected) => {
  expect(storageVersion.checkName(name)).toEqual(expected);
});

test('a migration ends once', () => {
  const [part] = storageVersionMigration.subresources ?? [];
  const condition = (type: string) => ({
    type,
    status: 'True',
    reason: 'Done',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  });
  const migration = (...types: string[]) => ({
    kind: 'StorageVersionMigration',
    apiVersion: 'v1',
    metadata: { name: 'm' },
    status: { conditions: types.map(condition), resourceVersion: '5' },
  });
  const found = (next: ApiObject, old: ApiObject) =>
    part?.is === 'part' ? (part.validateUpdate?.(next, old, context) ?? []).map(({ message }) => message) : [];
  expect(found(migration('Running', 'Succeeded'), migration('Running'))).toEqual([]);
  expect(found(migration('Succeeded', 'Failed'), migration('Running'))).toEqual([
    expect.stringContaining('Both success and failed conditions cannot be true at the same time'),
  ]);
  expect(found(migration('Running'), migration('Succeeded'))).toEqual([
    expect.stringContaining('Success condition cannot be set to false once it is true'),
  ]);
});

const ready = { type: 'Ready', status: 'True', reason: 'Done', lastTransitionTime: '2030-01-01T00:00:00Z' };
const pool = { driver: 'd.example', poolName: 'p', generation: 1 };

test.each<[KindDefinition, object, object | undefined, readonly string[]]>([
  [podGroup, { conditions: [ready] }, undefined, []],
  [podGroup, { conditions: [ready, ready] }, undefined, ['status.conditions[1].type']],
  [podGroup, { conditions: [{ ...ready, status: 'Perhaps' }] }, undefined, ['status.conditions[0].status']],
  [deviceTaintRule, { conditions: [{ ...ready, reason: '' }] }, undefined, ['status.conditions[0].reason']],
  [
    deviceTaintRule,
    { conditions: Array.from({ length: 9 }, (_, i) => ({ ...ready, type: `T${i}` })) },
    undefined,
    ['status.conditions'],
  ],
  [resourcePoolStatusRequest, { poolCount: 1, pools: [pool], conditions: [ready] }, undefined, []],
  [resourcePoolStatusRequest, { pools: [] }, undefined, ['status.poolCount']],
  [
    resourcePoolStatusRequest,
    { poolCount: 1, pools: [{ ...pool, driver: '', totalDevices: -1, resourceSliceCount: 0, nodeName: 'A' }] },
    undefined,
    ['driver', 'nodeName', 'totalDevices', 'resourceSliceCount'].map((name) => `status.pools[0].${name}`),
  ],
  [resourcePoolStatusRequest, { poolCount: 2 }, { poolCount: 1 }, ['status']],
])('what is reported of %#: %j', (kind, status, was, expected) => {
  const part = kind.subresources?.find(({ name }) => name === 'status');
  const object = (value: object | undefined) =>
    ({ kind: kind.kind, apiVersion: 'v1', metadata: { name: 'n' }, ...(value ? { status: value } : {}) }) as ApiObject;
  const found = part?.is === 'part' ? part.validateUpdate?.(object(status), object(was), context) : undefined;
  expect(lines(found).map((line) => line.split(':')[0])).toEqual(expected);
});

test('endpoints that stay as they are keep what older versions said of them', () => {
  const made = (endpoints: readonly object[]) =>
    ({ kind: 'EndpointSlice', apiVersion: 'v1', metadata: { name: 'n' }, addressType: 'IPv4', endpoints }) as ApiObject;
  const old = [{ addresses: ['192.0.2.1'], deprecatedTopology: { a: 'b' } }];
  const kept = (next: readonly object[]) =>
    endpointSlice.strategy?.prepareForUpdate?.(made(next), made(old), context)['endpoints'];
  expect(kept(old)).toEqual(old);
  expect(kept([{ ...old[0], hostname: 'h' }])).toEqual([{ addresses: ['192.0.2.1'], hostname: 'h' }]);
});
