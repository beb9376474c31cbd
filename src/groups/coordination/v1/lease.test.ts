import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { decoderOf } from '../../../schema/decode.ts';
import { DecodeContext } from '../../../schema/decode-context.ts';
import { OffFields } from '../../../schema/off-fields.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { lease } from './lease.ts';

const definition = lease;
const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };

const make = (spec?: object): ApiObject => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
  ...(spec ? { spec } : {}),
});

describe('numbers', () => {
  test.each<[object | undefined, string[]]>([
    [undefined, []],
    [{}, []],
    [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, []],
    [{ leaseDurationSeconds: 0 }, ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0']],
    [{ leaseDurationSeconds: -5 }, ['spec.leaseDurationSeconds: Invalid value: -5: must be greater than 0']],
    [{ leaseTransitions: -1 }, ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0']],
    [
      { leaseDurationSeconds: 0, leaseTransitions: -1 },
      [
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
        'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
  ])('%j: %j', (spec, expected) => {
    const found = definition.strategy?.validate?.(make(spec), context) ?? [];
    expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });
});

test('fields of coordinated election are dropped', () => {
  const spec = { holderIdentity: 'me', strategy: 'OldestEmulationVersion', preferredHolder: 'you' };
  const decoded = decoderOf(definition.type)({ spec }, new DecodeContext()) as object;
  expect(decoded).toMatchObject({ spec });
  expect(new OffFields().without(definition.type, decoded)).toMatchObject({ spec: { holderIdentity: 'me' } });
  expect(JSON.stringify(new OffFields().without(definition.type, decoded))).not.toContain('you');
});

test('a lease may be made by PUT, and changed only by who has read it', () => {
  expect(definition).toMatchObject({ quirks: { createOnUpdate: true, conditionalUpdateOnly: true } });
});

test('a row shows name, holder and age', () => {
  const columns = definition.columns ?? [];
  expect(columns.map(({ name }) => name)).toEqual(['Name', 'Holder', 'Age']);
  expect(columns.map(({ cell }) => cell(make({ holderIdentity: 'me' }), context))).toEqual(['a', 'me', '60m']);
  expect(columns.map(({ cell }) => cell(make(), context))).toEqual(['a', '', '60m']);
});
