import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { podDisruptionBudget as kind } from './pod-disruption-budget.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };
const made = (spec: object, status: object = {}) => ({
  kind: 'PodDisruptionBudget',
  apiVersion: 'policy/v1',
  metadata: { name: 'b' },
  spec,
  status,
});

test.each<[object, readonly string[]]>([
  [{ minAvailable: 1 }, []],
  [{ maxUnavailable: '50%' }, []],
  [{ minAvailable: '101%' }, ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']],
  [{ maxUnavailable: -1 }, ['spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0']],
  [
    { minAvailable: 1, maxUnavailable: 1 },
    [
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    { unhealthyPodEvictionPolicy: 'Odd' },
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Odd": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
])('%j: %j', (spec, expected) => {
  expect(lines(kind.strategy?.validate?.(made(spec), context))).toEqual(expected);
});

test('a row shows the limits and what may go now', () => {
  const cells = (spec: object, status: object) => kind.columns?.map(({ cell }) => cell(made(spec, status), context));
  expect(kind.columns?.map(({ name }) => name)).toEqual([
    'Name',
    'Min Available',
    'Max Unavailable',
    'Allowed Disruptions',
    'Age',
  ]);
  expect(cells({ minAvailable: '50%' }, { disruptionsAllowed: 2 })).toEqual(['b', '50%', 'N/A', 2, '<unknown>']);
});

test('conditions in the status are complete', () => {
  const part = kind.subresources?.find(({ name }) => name === 'status');
  const next = made({}, { conditions: [{ type: 'DisruptionAllowed', status: 'Odd' }], currentHealthy: -1 });
  const found = part?.is === 'part' ? (part.validateUpdate?.(next, made({}), context) ?? []) : [];
  expect(found.map(({ field, reason }) => `${reason.replace('FieldValue', '')} ${field}`)).toEqual([
    'NotSupported status.conditions[0].status',
    'Required status.conditions[0].lastTransitionTime',
    'Required status.conditions[0].reason',
    'Invalid status.currentHealthy',
  ]);
});
