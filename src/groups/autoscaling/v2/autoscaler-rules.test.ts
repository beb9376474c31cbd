import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { zeroOf } from '../../../schema/decode.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { newErrors } from '../../../testing/kind-rules.ts';
import { horizontalPodAutoscaler as kind } from './horizontal-pod-autoscaler.ts';
import { horizontalPodAutoscalerStatus } from './horizontal-pod-autoscaler-type.ts';
import { metricsText } from './metrics.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const made = (spec: object): ApiObject => {
  const base = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, maxReplicas: 3 };
  const object = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: {},
    spec: { ...base, ...spec },
  };
  return kind.strategy?.defaults?.(object, context) as ApiObject;
};
const problems = (spec: object) => lines(newErrors(kind, made(spec), context));

const resource = (target: object, name = 'cpu') => ({ type: 'Resource', resource: { name, target } });
const half = { type: 'Utilization', averageUtilization: 50 };

test('a new one has the empty status of its type', () => {
  const created = kind.strategy?.prepareForCreate?.(made({}), context);
  expect(created?.['status']).toEqual(zeroOf(horizontalPodAutoscalerStatus));
});

test('behaviour is completed for both directions', () => {
  expect(made({ behavior: { scaleUp: { selectPolicy: 'Min' } } })['spec']).toMatchObject({
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Min',
        policies: [{ type: 'Pods' }, { type: 'Percent' }],
      },
      scaleDown: { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    },
  });
  expect(made({})['spec']).not.toHaveProperty('behavior');
});

describe('what is refused', () => {
  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ metrics: [resource(half)] }, []],
    [
      { minReplicas: 0 },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [
      { scaleTargetRef: { apiVersion: 'apps/v1' } },
      ['spec.scaleTargetRef.kind: Required value', 'spec.scaleTargetRef.name: Required value'],
    ],
    [
      { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'a/b', name: 'd' } },
      ['spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain \'/\''],
    ],
    [
      { metrics: [{ type: 'Odd' }] },
      [
        'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
        'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      ],
    ],
    [
      { metrics: [{ type: 'Pods', resource: { name: 'cpu', target: half } }] },
      ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
    ],
    [
      {
        metrics: [
          { ...resource(half), pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
        ],
      },
      ['spec.metrics[0].pods: Forbidden: must populate the given metric source only'],
    ],
    [
      { metrics: [resource({ ...half, averageValue: '0', averageUtilization: 0 })] },
      [
        'spec.metrics[0].resource.target.averageValue: Invalid value: "0": must be positive',
        'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
        'spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
      ],
    ],
    [
      { metrics: [{ type: 'ContainerResource', containerResource: { name: 'cpu', target: half } }] },
      ['spec.metrics[0].containerResource.container: Required value: must specify a container'],
    ],
    [
      {
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 3601, policies: [{ type: 'Odd', value: 0, periodSeconds: 1801 }] },
        },
      },
      [
        'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
        'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Odd": supported values: "Percent", "Pods"',
        'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
        'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      ],
    ],
  ])('%j: %j', (spec, expected) => {
    expect(problems(spec)).toEqual(expected);
  });
});

test.each<[readonly object[], readonly object[], string]>([
  [[], [], '<none>'],
  [[resource(half)], [{ resource: { current: { averageUtilization: 12 } } }], 'cpu: 12%/50%'],
  [[resource({ averageValue: '1Gi' }, 'memory')], [], 'memory: <unknown>/1Gi'],
  [[{ type: 'Pods', pods: { target: { averageValue: '5' } } }], [{ pods: { current: { averageValue: '4' } } }], '4/5'],
  [[{ type: 'External', external: { target: { averageValue: '5' } } }], [], '<unknown>/5 (avg)'],
  [[{ type: 'Object', object: { target: { value: '5' } } }], [{ object: { current: { value: '4' } } }], '4/5'],
  [[resource(half), resource(half), resource(half)], [], 'cpu: <unknown>/50%, cpu: <unknown>/50% + 1 more...'],
])('%j is shown as %3$s', (metrics, statuses, expected) => {
  expect(metricsText(metrics, statuses)).toBe(expected);
});
