import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { decoderOf } from '../../../schema/decode.ts';
import { DecodeContext } from '../../../schema/decode-context.ts';
import { horizontalPodAutoscaler as v2 } from '../v2/horizontal-pod-autoscaler.ts';
import { conversion } from './conversion.ts';

const key = (name: string) => `autoscaling.alpha.kubernetes.io/${name}`;

const stored = (spec: object, status: object = {}): ApiObject => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  ...(decoderOf(v2.type)({ metadata: { name: 'a', annotations: { own: 'x' } }, spec, status }, new DecodeContext()) as {
    metadata: object;
  }),
});

const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } };
const metric = { name: 'm', selector: { matchLabels: { a: 'b' } } };
const others = [
  { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
  { type: 'Pods', pods: { metric, target: { type: 'AverageValue', averageValue: '5' } } },
  { type: 'External', external: { metric, target: { type: 'Value', value: '7' } } },
  { type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '7' } } },
  {
    type: 'Object',
    object: { describedObject: { kind: 'Service', name: 's' }, target: { type: 'Value', value: '9' }, metric },
  },
  {
    type: 'ContainerResource',
    containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 }, container: 'c' },
  },
];
const behavior = { scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Pods', value: 1, periodSeconds: 5 }] } };
const spec = { scaleTargetRef: { kind: 'D', name: 'd' }, minReplicas: 1, maxReplicas: 3 };
const reading = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 33, averageValue: '1' } } };
const conditions = [{ type: 'AbleToScale', status: 'True', lastTransitionTime: '2030-01-01T00:00:00Z' }];

describe('there and back', () => {
  test.each<[string, object, object]>([
    ['one metric', { ...spec, metrics: [cpu] }, {}],
    ['many metrics', { ...spec, metrics: [...others, cpu] }, {}],
    ['no CPU', { ...spec, metrics: others }, {}],
    ['behaviour', { ...spec, metrics: [cpu], behavior }, {}],
    [
      'a full status',
      { ...spec, metrics: [cpu] },
      { currentReplicas: 1, desiredReplicas: 2, currentMetrics: [reading], conditions },
    ],
  ])('%s stays what it was', (_, given, status) => {
    const object = stored(given, status);
    const there = conversion.fromStorage(object, kubernetes);
    expect(stored(...parts(conversion.toStorage(there, kubernetes)))).toEqual(object);
  });

  function parts(object: ApiObject): [object, object] {
    return [object['spec'] as object, object['status'] as object];
  }
});

test('CPU has its own field, everything else an annotation', () => {
  const there = conversion.fromStorage(
    stored({ ...spec, metrics: [others[0], cpu], behavior }, { currentMetrics: [reading] }),
    kubernetes,
  );
  expect(there['spec']).toEqual({ ...spec, targetCPUUtilizationPercentage: 60 });
  expect(there['status']).toMatchObject({ currentCPUUtilizationPercentage: 33 });
  expect(there.metadata.annotations).toEqual({
    own: 'x',
    [key('metrics')]: '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
    [key('behavior')]: JSON.stringify({
      ScaleUp: null,
      ScaleDown: {
        StabilizationWindowSeconds: null,
        SelectPolicy: 'Disabled',
        Policies: [{ Type: 'Pods', Value: 1, PeriodSeconds: 5 }],
        Tolerance: null,
      },
    }),
    [key('current-metrics')]:
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":33,"currentAverageValue":"1"}}]',
  });
});

test('annotations carry the domain of the dialect', () => {
  const dialect = cluster({ labelDomain: 'example.com' });
  const there = conversion.fromStorage(stored({ ...spec, metrics: [others[0]] }), dialect);
  expect(Object.keys(there.metadata.annotations ?? {})).toEqual(['autoscaling.alpha.example.com/metrics', 'own']);
});

test.each(['no JSON', '{}', '[1]', '[{"type":5}]', '[{"resource":{"targetAverageValue":"much"}}]'])(
  'an annotation %j that cannot be read says nothing',
  (text) => {
    const object = { ...stored(spec), metadata: { name: 'a', annotations: { [key('metrics')]: text } } };
    const made = conversion.toStorage({ ...object, spec, status: {} }, kubernetes);
    expect(made['spec']).toMatchObject({
      metrics: [{ type: 'Resource', resource: { target: { averageUtilization: 80 } } }],
    });
    expect(made.metadata).not.toHaveProperty('annotations');
  },
);

describe('more than any autoscaler has', () => {
  const carried = (text: string): ApiObject => ({
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'a', annotations: { [key('metrics')]: text } },
    ...{ spec },
  });
  const metrics = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({ type: 'Pods' })));

  test('is refused as metrics in an annotation', () => {
    expect(conversion.toStorage(carried(metrics(1000)), kubernetes)).toMatchObject({ spec: { maxReplicas: 3 } });
    expect(() => conversion.toStorage(carried(metrics(1001)), kubernetes)).toThrow('1000');
  });

  test('is refused as a long text before it is read', () => {
    expect(() => conversion.toStorage(carried(' '.repeat(1024 * 1024 + 1)), kubernetes)).toThrow('too large');
  });

  test('is refused as a list', () => {
    const many = { ...spec, metrics: Array.from({ length: 1001 }, () => others[0]) };
    expect(() => stored(many)).toThrow('1000');
  });
});
