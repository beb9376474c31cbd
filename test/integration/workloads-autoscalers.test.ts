// `--simulate=workloads`: horizontal autoscalers, with values from annotations and from the metrics API of simulated nodes.

import { expect, test } from 'vitest';
import { turns as pause } from './eventually.ts';
import { inDefault, startWorkloads } from './workloads.ts';

const deployments = inDefault('apps', 'deployments');
const autoscalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const labels = { app: 'web' };
const second = 1000;

type It = Awaited<ReturnType<typeof startWorkloads>>;

const createDeployment = (it: It, replicas: number, container: object = {}, metadata: object = {}) =>
  it.create(deployments, {
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels, ...metadata }, spec: { containers: [{ name: 'c', image: 'i', ...container }] } },
    },
  });

const annotated = (metric: string, value: string) => ({ [`metrics.simulation.keelson.dev/${metric}`]: value });

const perPod = {
  type: 'Pods',
  pods: { metric: { name: 'load' }, target: { type: 'AverageValue', averageValue: '10' } },
};

const createAutoscaler = (it: It, spec: object, annotations: object = {}) =>
  it.create(autoscalers, {
    metadata: { name: 'web', annotations },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 10, ...spec },
  });

const setLoad = async (it: It, value: string) => {
  const { status } = await it.api.patch('merge', `${autoscalers}/web`, {
    metadata: { annotations: annotated('load', value) },
  });
  expect(status).toBe(200);
};

/** Reports all pods as ready. */
async function allReady(it: It, count: number): Promise<void> {
  for (const { metadata } of await it.podCount(count)) await it.setReady(metadata.name);
  await it.settled(`${deployments}/web`, { status: { readyReplicas: count } });
}

const conditionsOf = ({ status }: { status: { conditions: readonly Record<string, string>[] } }) =>
  status.conditions.map(({ type, status: holds, reason }) => `${type}=${holds} ${reason}`);

test('autoscalers: follow an annotated value up at once, and down after five minutes', async () => {
  await using it = await startWorkloads();
  await createDeployment(it, 2);
  await allReady(it, 2);
  await createAutoscaler(it, { metrics: [perPod] }, annotated('load', '15'));
  const grown = await it.settled(`${autoscalers}/web`, {
    status: {
      ...{ currentReplicas: 2, desiredReplicas: 3, lastScaleTime: '2030-01-01T00:00:00Z' },
      currentMetrics: [{ type: 'Pods', pods: { metric: { name: 'load' }, current: { averageValue: '15' } } }],
    },
  });
  expect(conditionsOf(grown)).toEqual([
    'AbleToScale=True SucceededRescale',
    'ScalingActive=True ValidMetricFound',
    'ScalingLimited=False DesiredWithinRange',
  ]);
  expect(await it.eventsOf('HorizontalPodAutoscaler')).toEqual([
    'SuccessfulRescale New size: 3; reason: pods metric load above target',
  ]);
  await allReady(it, 3);
  // within the tolerance of a tenth
  await setLoad(it, '10500m');
  const even = await it.settled(`${autoscalers}/web`, { status: { currentReplicas: 3, desiredReplicas: 3 } });
  expect(conditionsOf(even)[0]).toBe('AbleToScale=True ReadyForNewScale');
  await setLoad(it, '3');
  await it.settled(`${autoscalers}/web`, {
    status: { desiredReplicas: 3, conditions: [{ reason: 'ScaleDownStabilized' }, {}, {}] },
  });
  it.clock.advance(301 * second);
  await it.settled(`${deployments}/web`, { spec: { replicas: 1 } });
  expect(await it.eventsOf('HorizontalPodAutoscaler')).toContain(
    'SuccessfulRescale New size: 1; reason: All metrics below target',
  );
});

test('autoscalers: keep the target within its limits', async () => {
  await using it = await startWorkloads();
  await createDeployment(it, 1);
  await createAutoscaler(it, { minReplicas: 2, maxReplicas: 3, metrics: [perPod] }, annotated('load', '50'));
  await it.settled(`${deployments}/web`, { spec: { replicas: 2 } });
  expect(await it.eventsOf('HorizontalPodAutoscaler')).toEqual([
    'SuccessfulRescale New size: 2; reason: Current number of replicas below Spec.MinReplicas',
  ]);
  await allReady(it, 2);
  it.clock.advance(15 * second);
  await it.settled(`${deployments}/web`, { spec: { replicas: 3 } });
  await it.settled(`${autoscalers}/web`, {
    status: { conditions: [{}, {}, { type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }] },
  });
  await it.api.patch('merge', `${deployments}/web`, { spec: { replicas: 9 } });
  it.clock.advance(15 * second);
  await it.settled(`${deployments}/web`, { spec: { replicas: 3 } });
  await it.api.patch('merge', `${deployments}/web`, { spec: { replicas: 0 } });
  it.clock.advance(15 * second);
  await it.settled(`${autoscalers}/web`, {
    status: { desiredReplicas: 0, conditions: [{}, { reason: 'ScalingDisabled' }, {}] },
  });
});

test('autoscalers: rules limit how fast the target changes', async () => {
  await using it = await startWorkloads();
  await createDeployment(it, 2);
  await allReady(it, 2);
  const rule = { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] };
  const behavior = { scaleUp: rule, scaleDown: { ...rule, stabilizationWindowSeconds: 0 } };
  await createAutoscaler(it, { metrics: [perPod], behavior }, annotated('load', '100'));
  await it.settled(`${deployments}/web`, { spec: { replicas: 3 } });
  await it.settled(`${autoscalers}/web`, { status: { conditions: [{}, {}, { reason: 'ScaleUpLimit' }] } });
  await allReady(it, 3);
  it.clock.advance(15 * second);
  await pause();
  expect((await it.api.get(`${deployments}/web`)).body.spec.replicas).toBe(3);
  for (let i = 0; i < 4; i++) {
    it.clock.advance(15 * second);
    await pause();
  }
  await it.settled(`${deployments}/web`, { spec: { replicas: 4 } });
  await setLoad(it, '1');
  // one less than at the beginning of the last minute, when there were three
  await it.settled(`${deployments}/web`, { spec: { replicas: 2 } });
  await it.settled(`${autoscalers}/web`, { status: { conditions: [{}, {}, { reason: 'ScaleDownLimit' }] } });
});

test('autoscalers: the largest of all metrics wins, and a missing one keeps the target from shrinking', async () => {
  await using it = await startWorkloads();
  await createDeployment(it, 2);
  await allReady(it, 2);
  const queue = { type: 'External', external: { metric: { name: 'queue' }, target: { type: 'Value', value: '30' } } };
  const described = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'front' };
  const hits = {
    type: 'Object',
    object: {
      describedObject: described,
      metric: { name: 'hits' },
      target: { type: 'AverageValue', averageValue: '5' },
    },
  };
  const annotations = { ...annotated('load', '10'), ...annotated('queue', '60'), ...annotated('hits', '15') };
  await createAutoscaler(it, { metrics: [perPod, queue, hits] }, annotations);
  const { status } = await it.settled(`${autoscalers}/web`, { status: { desiredReplicas: 4 } });
  expect(status.currentMetrics).toMatchObject([
    { pods: { current: { averageValue: '10' } } },
    { external: { current: { value: '60' } } },
    { object: { current: { averageValue: '7500m' } } },
  ]);
  await allReady(it, 4);
  await it.api.patch('merge', `${autoscalers}/web`, {
    metadata: { annotations: { ...annotated('load', '1'), 'metrics.simulation.keelson.dev/queue': null } },
  });
  const failed = await it.settled(`${autoscalers}/web`, {
    status: { conditions: [{}, { status: 'False', reason: 'FailedGetExternalMetric' }, {}] },
  });
  expect(failed.status.currentMetrics[1]).toEqual({ type: '' });
  expect(failed.status.conditions[1].message).toBe(
    'the HPA was unable to compute the replica count: unable to get external metric queue: unable to fetch metrics from external metrics API: the server could not find the requested resource',
  );
  it.clock.advance(400 * second);
  await pause();
  expect((await it.api.get(`${deployments}/web`)).body.spec.replicas).toBe(4);
});

test('autoscalers: report a target that does not exist, and one that two of them select', async () => {
  await using it = await startWorkloads();
  await createAutoscaler(it, { metrics: [perPod] }, annotated('load', '1'));
  const { status } = await it.settled(`${autoscalers}/web`, {
    status: { conditions: [{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }] },
  });
  expect(status.conditions[0].message).toBe(
    'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
  );
  await createDeployment(it, 1);
  await allReady(it, 1);
  it.clock.advance(15 * second);
  await it.settled(`${autoscalers}/web`, { status: { conditions: [{ status: 'True' }, {}, {}] } });
  await it.create(autoscalers, {
    metadata: { name: 'again' },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
  });
  await it.settled(`${autoscalers}/again`, {
    status: { conditions: [{}, { type: 'ScalingActive', status: 'False', reason: 'AmbiguousSelector' }] },
  });
});

test('autoscalers: follow what simulated pods use of their requests', async () => {
  await using it = await startWorkloads({ simulate: ['workloads', 'nodes'] });
  const container = { resources: { requests: { cpu: '100m', memory: '64Mi' } } };
  await createDeployment(it, 1, container, { annotations: { 'simulation.keelson.dev/cpu': '160m' } });
  await it.settled(`${deployments}/web`, { status: { readyReplicas: 1 } });
  // what a pod uses right after its start is not counted
  it.clock.advance(20 * second);
  await pause();
  await createAutoscaler(it, { maxReplicas: 4 });
  await it.settled(`${autoscalers}/web`, {
    status: {
      desiredReplicas: 2,
      currentMetrics: [
        { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 160, averageValue: '160m' } } },
      ],
    },
  });
  expect(await it.eventsOf('HorizontalPodAutoscaler')).toEqual([
    'SuccessfulRescale New size: 2; reason: cpu resource utilization (percentage of request) above target',
  ]);
  await it.settled(`${deployments}/web`, { status: { readyReplicas: 2 } });
});
