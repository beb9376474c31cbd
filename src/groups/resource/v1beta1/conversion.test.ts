import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { newErrors } from '../../../testing/kind-rules.ts';
import { resourceClaim as storedClaim } from '../v1/resource-claim.ts';
import { resourceSlice as storedSlice } from '../v1/resource-slice.ts';
import { claimConversion, sliceConversion, templateConversion } from './conversion.ts';
import { resourceClaim } from './resource-claim.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const object = (spec: object) => ({ kind: 'X', apiVersion: 'v1', metadata: { name: 'x' }, spec });
const flat = { name: 'a', deviceClassName: 'c', allocationMode: 'ExactCount', count: 2, adminAccess: true };
const choice = { name: 'b', deviceClassName: '', firstAvailable: [{ name: 'x', deviceClassName: 'c' }] };
const nested = [
  { name: 'a', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 2, adminAccess: true } },
  { name: 'b', firstAvailable: [{ name: 'x', deviceClassName: 'c' }] },
];

describe('there and back', () => {
  test('a request has its fields in a part of their own', () => {
    const older = object({ devices: { requests: [flat, choice] } });
    const newer = claimConversion.toStorage(older, kubernetes);
    expect(newer['spec']).toEqual({ devices: { requests: nested } });
    expect(claimConversion.fromStorage(newer, kubernetes)).toEqual(older);
  });

  test('so has the request of a template', () => {
    const older = object({ spec: { devices: { requests: [flat] } } });
    const newer = templateConversion.toStorage(older, kubernetes);
    expect(newer['spec']).toEqual({ spec: { devices: { requests: [nested[0]] } } });
    expect(templateConversion.fromStorage(newer, kubernetes)).toEqual(older);
  });

  test('a device has none', () => {
    const older = object({ devices: [{ name: 'd', basic: { attributes: { a: { int: 1 } } } }] });
    const newer = sliceConversion.toStorage(older, kubernetes);
    expect(newer['spec']).toEqual({ devices: [{ name: 'd', attributes: { a: { int: 1 } } }] });
    expect(sliceConversion.fromStorage(newer, kubernetes)).toEqual(older);
  });
});

test('what is wrong is said of the stored version', () => {
  const bad = object({ devices: { requests: [{ name: 'a', deviceClassName: 'c', allocationMode: 'All', count: 1 }] } });
  expect(lines(resourceClaim.strategy?.validateCreate?.(bad, context))).toEqual([
    "spec.devices.requests[0].exactly.count: Invalid value: 1: must not be specified when allocationMode is 'All'",
  ]);
});

describe('claims', () => {
  const exactly = { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 };
  test.each<[object, readonly string[]]>([
    [{ requests: [{ name: 'a', exactly }] }, []],
    [
      { requests: [{ name: 'a' }] },
      ['spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required'],
    ],
    [
      { requests: [{ name: 'a', exactly: { count: 0 }, firstAvailable: [{}] }] },
      [expect.stringContaining('spec.devices.requests[0]: Invalid value: null: exactly one of')],
    ],
    [{ requests: [{ exactly }] }, [expect.stringContaining('spec.devices.requests[0].name: Invalid value: ""')]],
    [
      { requests: [{ name: 'A', exactly }] },
      [expect.stringContaining('spec.devices.requests[0].name: Invalid value: "A"')],
    ],
    [
      {
        requests: [
          { name: 'a', exactly },
          { name: 'a', exactly },
        ],
      },
      ['spec.devices.requests[1]: Duplicate value: "a"'],
    ],
    [
      { requests: [{ name: 'a', exactly: { ...exactly, selectors: [{}] } }] },
      ['spec.devices.requests[0].exactly.selectors[0].cel: Required value'],
    ],
    [
      { constraints: [{ requests: ['x'] }] },
      [
        expect.stringContaining('spec.devices.constraints[0].requests[0]'),
        expect.stringContaining('spec.devices.constraints[0]: Required value: exactly one of'),
      ],
    ],
    [
      { config: [{ opaque: { driver: 'd.example.com', parameters: 5 } }] },
      ['spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'],
    ],
  ])('%j', (devices, expected) => {
    expect(lines(storedClaim.strategy?.validateCreate?.(object({ devices }), context))).toEqual(expected);
  });

  test.each<[object, object, string]>([
    [{}, {}, 'pending'],
    [{}, { allocation: {} }, 'allocated'],
    [{ deletionTimestamp: 'x' }, { allocation: {}, reservedFor: [{}] }, 'deleted,allocated,reserved'],
  ])('with %j and %j are %s', (metadata, status, expected) => {
    const claim = { ...object({}), metadata, status };
    expect(storedClaim.columns?.find(({ name }) => name === 'State')?.cell(claim, context)).toBe(expected);
  });
});

test('a slice says for which nodes it is, once', () => {
  const spec = { driver: 'd.example.com', pool: { name: 'p', resourceSliceCount: 1 } };
  const found = (more: object) =>
    lines(newErrors(storedSlice, object({ ...spec, ...more }), context)).map((line) => line.split(':')[0]);
  expect(found({ nodeName: 'n' })).toEqual([]);
  expect(found({})).toEqual(['spec']);
  expect(found({ nodeName: 'n', allNodes: true })).toEqual(['spec']);
  expect(found({ allNodes: true, pool: { name: 'a/B', resourceSliceCount: 0 } })).toEqual([
    'spec.pool.name',
    'spec.pool.resourceSliceCount',
  ]);
  expect(found({ allNodes: true, devices: [{ name: 'd', attributes: { a: {} } }, { name: 'd' }] })).toEqual([
    'spec.devices[0].attributes[a]',
    'spec.devices[1]',
  ]);
});
