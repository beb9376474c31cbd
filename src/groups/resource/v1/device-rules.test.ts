import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { resourceSlice as olderSlice } from '../v1beta1/resource-slice.ts';
import { deviceClass } from './device-class.ts';
import { resourceClaim } from './resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template.ts';
import { resourceSlice } from './resource-slice.ts';

const claim = rulesOf(resourceClaim);
const slice = rulesOf(resourceSlice);
const context = { dialect: kubernetes, clock: new FakeClock() };

const exactly = { deviceClassName: 'c' };
const request = { name: 'a', exactly };
const ofClaim = (devices: object) => claim.complaints({ spec: { devices: { requests: [request], ...devices } } });

describe('a claim', () => {
  test.each<[string, object, string[]]>([
    ['in order', { constraints: [{ requests: ['a'], matchAttribute: 'd.example/model' }] }, []],
    [
      'constrained by half a name',
      { constraints: [{ matchAttribute: 'model' }] },
      [
        'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
      ],
    ],
    [
      'constrained twice',
      { constraints: [{ requests: ['a', 'a'], distinctAttribute: 'd.example/model' }] },
      ['spec.devices.constraints[0].requests[1]: Duplicate value: "a"'],
    ],
    [
      'with settings for no request',
      { config: [{ requests: ['b'], opaque: { driver: 'd.example', parameters: {} } }] },
      [
        `spec.devices.config[0].requests[0]: Invalid value: "b": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
      ],
    ],
    [
      'with odd tolerations',
      {
        requests: [
          { name: 'a', exactly: { ...exactly, tolerations: [{ operator: 'Exists', value: 'v', effect: 'Odd' }] } },
        ],
      },
      [
        'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
        'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"',
      ],
    ],
    [
      'for amounts of an odd name',
      { requests: [{ name: 'a', exactly: { ...exactly, capacity: { requests: { '1x': '1' } } } }] },
      [],
    ],
    [
      'for too much',
      { requests: Array.from({ length: 33 }, (_, i) => ({ name: `r${i}`, exactly })) },
      ['spec.devices.requests: Too many: 33: must have at most 32 items'],
    ],
  ])('%s', (_, devices, expected) => {
    expect(ofClaim(devices)).toEqual(expected);
  });
});

const driver = 'd.example';
const spec = { driver, pool: { name: 'p', resourceSliceCount: 1 }, allNodes: true };
const ofSlice = (change: object) => slice.complaints({ spec: { ...spec, ...change } });
const ofDevice = (device: object) =>
  ofSlice({ devices: [{ name: 'd', ...device }] }).map((line) => line.replace('spec.devices[0]', '@'));
const capacity = (requestPolicy: object, shared = true) => ({
  capacity: { memory: { value: '10Gi', requestPolicy } },
  allowMultipleAllocations: shared,
});

describe('a device', () => {
  test.each<[string, object, string[]]>([
    ['in order', { attributes: { model: { string: 'x' }, 'd.example/v': { version: '1.2.3-rc.1+b' } } }, []],
    [
      'of an odd version',
      { attributes: { v: { version: '1.2' } } },
      ['@.attributes[v].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0'],
    ],
    [
      'of two values',
      { attributes: { v: { int: 1, bool: true } } },
      [expect.stringContaining('@.attributes[v]: Invalid value: ') as string],
    ],
    [
      'of no value',
      { attributes: { v: {} } },
      ['@.attributes[v]: Invalid value: "": exactly one value must be specified'],
    ],
    [
      'with odd taints',
      { taints: [{ key: '', effect: 'Odd' }] },
      [
        '@.taints[0].key: Invalid value: "": name part must be non-empty',
        expect.stringContaining('@.taints[0].key: Invalid value: "": name part must consist') as string,
        '@.taints[0].effect: Unsupported value: "Odd": supported values: "NoExecute", "NoSchedule", "None"',
      ],
    ],
    [
      'that draws on nothing',
      { consumesCounters: [{ counterSet: '', counters: {} }] },
      ['@.consumesCounters[0].counterSet: Required value', '@.consumesCounters[0].counters: Required value'],
    ],
    [
      'for its own node',
      { nodeName: 'n' },
      [
        '@: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      ],
    ],
    [
      'that waits and never fails',
      { bindingConditions: ['ready'] },
      [
        '@.bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
      ],
    ],
    [
      'that fails when it is ready',
      { bindingConditions: ['ready'], bindingFailureConditions: ['ready'] },
      [
        '@.bindingFailureConditions[0]: Invalid value: "ready": bindingFailureConditions must not overlap with bindingConditions',
      ],
    ],
    ['with an attribute of many slashes', { attributes: { 'a/b/c': { int: 1 } } }, []],
    [
      'with an attribute of an odd name',
      { attributes: { '1': { int: 1 } } },
      [expect.stringContaining('@.attributes: Invalid value: "1"') as string],
    ],
    [
      'given in steps that are too long',
      capacity({ default: '1Gi', validRange: { min: '1Gi', step: '20Gi' } }),
      [
        '@.capacity[memory].requestPolicy.validRange.step: Invalid value: "20Gi": one step 21Gi is larger than capacity value: 10Gi',
      ],
    ],
    [
      'given in less than there is at least',
      capacity({ default: '1Gi', validRange: { min: '2Gi' } }),
      ['@.capacity[memory].requestPolicy.validRange.min: Invalid value: "1Gi": default is less than min: 2Gi'],
    ],
    [
      'given to one, with a policy',
      capacity({}, false),
      ['@.capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
    ],
    ['given in steps', capacity({ default: '2Gi', validRange: { min: '1Gi', max: '5Gi', step: '1Gi' } }), []],
    [
      'given in odd steps',
      capacity({ default: '3Gi', validRange: { min: '1Gi', max: '20Gi', step: '3Gi' } }),
      [
        '@.capacity[memory].requestPolicy.validRange.max: Invalid value: "20Gi": max is larger than capacity value: 10Gi',
        '@.capacity[memory].requestPolicy.validRange.step: Invalid value: "3Gi": value is not a multiple of a given step (3Gi) from (1Gi)',
        '@.capacity[memory].requestPolicy.validRange.step: Invalid value: "20Gi": value is not a multiple of a given step (3Gi) from (1Gi)',
      ],
    ],
    [
      'given in parts that it does not have',
      capacity({ default: '3Gi', validValues: ['20Gi', '1Gi'] }),
      [
        '@.capacity[memory].requestPolicy.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order',
        '@.capacity[memory].requestPolicy.validValues[0]: Invalid value: "20Gi": option is larger than capacity value: 10Gi',
        '@.capacity[memory].requestPolicy.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy',
      ],
    ],
    [
      'given in parts of no choice',
      capacity({ validValues: ['1Gi'] }),
      ['@.capacity[memory].requestPolicy.default: Required value: required when validValues is defined'],
    ],
  ])('%s', (_, device, expected) => {
    expect(ofDevice(device)).toEqual(expected);
  });
});

test.each<[string, object, string[]]>([
  ['of counters', { sharedCounters: [{ name: 's', counters: { a: { value: '1' } } }] }, []],
  [
    'of counters and devices',
    { sharedCounters: [{ name: 's', counters: { a: { value: '1' } } }], devices: [{ name: 'd' }] },
    ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
  ],
  [
    'for devices of their own nodes',
    { allNodes: undefined, perDeviceNodeSelection: true, devices: [{ name: 'd' }] },
    [
      'spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
    ],
  ],
  [
    'of many tainted devices',
    { devices: Array.from({ length: 65 }, (_, i) => ({ name: `d${i}`, taints: [{ key: 'k', effect: 'None' }] })) },
    ['spec.devices: Too many: 65: must have at most 64 items'],
  ],
])('a slice %s', (_, change, expected) => {
  expect(ofSlice(change)).toEqual(expected);
});

test('a template gives labels and annotations, and no names', () => {
  const rules = rulesOf(resourceClaimTemplate);
  const template = (metadata: object) => ({ spec: { metadata, spec: { devices: { requests: [request] } } } });
  expect(rules.create(template({ labels: { a: 'b' } }))).toEqual([]);
  expect(rules.create(template({ name: 'x', labels: { a: '-' } }))).toEqual([
    'Invalid spec.metadata.labels',
    'Forbidden spec.metadata.name',
  ]);
  expect(rules.update(template({ labels: { a: '-' } }), template({}))).toEqual([
    'Invalid spec.metadata.labels',
    'Invalid spec',
  ]);
});

test('taints of devices count from now, in each version', () => {
  const taints = [{ key: 'k', effect: 'None' }];
  const dated = { taints: [{ ...taints[0], timeAdded: '2030-01-01T01:00:00Z' }] };
  expect(slice.defaulted({ spec: { ...spec, devices: [{ name: 'd', taints }] } })).toMatchObject({
    spec: { devices: [dated] },
  });
  const older = rulesOf(olderSlice).defaulted({ spec: { ...spec, devices: [{ name: 'd', basic: { taints } }] } });
  expect(older).toMatchObject({ spec: { devices: [{ basic: dated }] } });
});

test('drivers had better be written in lower case', () => {
  const said = (name: string) => [
    ...(resourceSlice.strategy?.warnings?.(slice.defaulted({ spec: { ...spec, driver: name } }), undefined, context) ??
      []),
  ];
  expect(ofSlice({ driver: 'D.example' })).toEqual([]);
  expect(said('D.example')).toEqual([
    'spec.driver: driver names should be lowercase; "D.example" contains uppercase characters',
  ]);
  expect(said(driver)).toEqual([]);
});

test('a class has the name of an extended resource', () => {
  const rules = rulesOf(deviceClass);
  expect(rules.create({ spec: { extendedResourceName: 'example.com/gpu' } })).toEqual([]);
  expect(rules.create({ spec: { extendedResourceName: 'cpu' } })).toEqual(['Invalid spec.extendedResourceName']);
});

describe('what a claim got', () => {
  const [part] = resourceClaim.subresources ?? [];
  const object = (status: object, metadata: object = {}) =>
    ({ ...claim.defaulted({ spec: { devices: { requests: [request] } } }), metadata, status }) as ApiObject;
  const changed = (next: ApiObject, old = object({})) =>
    lines(part?.is === 'part' ? part.validateUpdate?.(next, old, context) : []);
  const result = { request: 'a', driver, pool: 'p', device: 'd' };
  const allocation = { devices: { results: [result] } };
  const user = { resource: 'pods', name: 'p', uid: 'u' };

  test('fits what it asked for', () => {
    expect(changed(object({ allocation, reservedFor: [user], devices: [{ driver, pool: 'p', device: 'd' }] }))).toEqual(
      [],
    );
    expect(changed(object({ allocation: { devices: { results: [{ ...result, request: 'b' }] } } }))).toEqual([
      expect.stringContaining('status.allocation.devices.results[0].request: Invalid value: "b": must be the name'),
    ]);
  });

  test('is what drivers report on', () => {
    expect(changed(object({ allocation, devices: [{ driver, pool: 'p', device: 'x' }] }))).toEqual([
      'status.devices[0]: Invalid value: {"Driver":"d.example","Pool":"p","Device":"x","ShareID":""}: must be an allocated device in the claim',
    ]);
  });

  test('takes reports along when it goes', () => {
    const old = object({ allocation, devices: [{ driver, pool: 'p', device: 'd' }] });
    const next =
      part?.is === 'part' ? part.merge(object({ devices: [{ driver, pool: 'p', device: 'd' }] }), old, context) : old;
    expect(next['status']).toEqual({});
  });

  test('is not taken back piece by piece, nor given to more once it goes', () => {
    const other = { devices: { results: [{ ...result, device: 'e' }] } };
    expect(changed(object({ allocation: other }), object({ allocation }))).toEqual([
      expect.stringMatching(/^status.allocation: Invalid value: .*: field is immutable$/),
    ]);
    const going = { deletionTimestamp: '2030-01-01T00:00:00Z' };
    expect(changed(object({ allocation, reservedFor: [user] }, going), object({ allocation }, going))).toEqual([
      'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    ]);
  });
});
