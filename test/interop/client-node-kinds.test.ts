// @kubernetes/client-node with a dozen kinds: each is made, read back and shown in its list.

import {
  AdmissionregistrationV1Api,
  ApiException,
  AppsV1Api,
  AutoscalingV2Api,
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  NetworkingV1Api,
  PolicyV1Api,
  RbacAuthorizationV1Api,
  StorageV1Api,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';

const namespace = 'default';
const labels = { app: 'web' };
const metadata = { name: 'made', labels };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } };
const selector = { matchLabels: labels };
const job = { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx:1' }] } } };

describe('client-node, kind by kind', () => {
  let server: Server;
  const config = new KubeConfig();
  beforeAll(async () => {
    server = await startTestServer();
    config.loadFromString(server.kubeconfig);
  });
  afterAll(() => server.close());

  const api = () => ({
    core: config.makeApiClient(CoreV1Api),
    apps: config.makeApiClient(AppsV1Api),
    batch: config.makeApiClient(BatchV1Api),
    networking: config.makeApiClient(NetworkingV1Api),
    autoscaling: config.makeApiClient(AutoscalingV2Api),
    policy: config.makeApiClient(PolicyV1Api),
    rbac: config.makeApiClient(RbacAuthorizationV1Api),
    storage: config.makeApiClient(StorageV1Api),
    admission: config.makeApiClient(AdmissionregistrationV1Api),
  });

  type Apis = ReturnType<typeof api>;

  test.each<[string, (apis: Apis) => Promise<object>, (apis: Apis) => Promise<{ items: object[] }>, object]>([
    [
      'Service',
      ({ core }) => core.createNamespacedService({ namespace, body: { metadata, spec: { ports: [{ port: 80 }] } } }),
      ({ core }) => core.listNamespacedService({ namespace, labelSelector: 'app=web' }),
      { spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] } },
    ],
    [
      'Secret',
      ({ core }) => core.createNamespacedSecret({ namespace, body: { metadata, stringData: { a: 'b' } } }),
      ({ core }) => core.listNamespacedSecret({ namespace, labelSelector: 'app=web' }),
      { type: 'Opaque', data: { a: 'Yg==' } },
    ],
    [
      'Pod',
      ({ core }) => core.createNamespacedPod({ namespace, body: { metadata, spec: template.spec } }),
      ({ core }) => core.listNamespacedPod({ namespace, labelSelector: 'app=web' }),
      { spec: { restartPolicy: 'Always' }, status: { phase: 'Pending', qosClass: 'BestEffort' } },
    ],
    [
      'Deployment',
      ({ apps }) => apps.createNamespacedDeployment({ namespace, body: { metadata, spec: { selector, template } } }),
      ({ apps }) => apps.listNamespacedDeployment({ namespace }),
      { spec: { replicas: 1, strategy: { rollingUpdate: { maxSurge: '25%' } } } },
    ],
    [
      'StatefulSet',
      ({ apps }) =>
        apps.createNamespacedStatefulSet({
          namespace,
          body: { metadata, spec: { serviceName: 's', selector, template } },
        }),
      ({ apps }) => apps.listNamespacedStatefulSet({ namespace }),
      { spec: { podManagementPolicy: 'OrderedReady' } },
    ],
    [
      'Job',
      ({ batch }) => batch.createNamespacedJob({ namespace, body: { metadata, spec: job } }),
      ({ batch }) => batch.listNamespacedJob({ namespace }),
      { spec: { backoffLimit: 6, completions: 1 } },
    ],
    [
      'CronJob',
      ({ batch }) =>
        batch.createNamespacedCronJob({
          namespace,
          body: { metadata, spec: { schedule: '@daily', jobTemplate: { spec: job } } },
        }),
      ({ batch }) => batch.listNamespacedCronJob({ namespace }),
      { spec: { concurrencyPolicy: 'Allow', suspend: false } },
    ],
    [
      'NetworkPolicy',
      ({ networking }) =>
        networking.createNamespacedNetworkPolicy({ namespace, body: { metadata, spec: { podSelector: {} } } }),
      ({ networking }) => networking.listNamespacedNetworkPolicy({ namespace }),
      { spec: { policyTypes: ['Ingress'] } },
    ],
    [
      'HorizontalPodAutoscaler',
      ({ autoscaling }) =>
        autoscaling.createNamespacedHorizontalPodAutoscaler({
          namespace,
          body: {
            metadata,
            spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'made' } },
          },
        }),
      ({ autoscaling }) => autoscaling.listNamespacedHorizontalPodAutoscaler({ namespace }),
      { spec: { minReplicas: 1, metrics: [{ type: 'Resource' }] } },
    ],
    [
      'PodDisruptionBudget',
      ({ policy }) =>
        policy.createNamespacedPodDisruptionBudget({
          namespace,
          body: { metadata, spec: { selector, minAvailable: 1 } },
        }),
      ({ policy }) => policy.listNamespacedPodDisruptionBudget({ namespace }),
      { spec: { minAvailable: 1 } },
    ],
    [
      'RoleBinding',
      ({ rbac }) =>
        rbac.createNamespacedRoleBinding({
          namespace,
          body: {
            metadata,
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
            subjects: [{ kind: 'User', name: 'u' }],
          },
        }),
      ({ rbac }) => rbac.listNamespacedRoleBinding({ namespace }),
      { subjects: [{ apiGroup: 'rbac.authorization.k8s.io' }] },
    ],
    [
      'StorageClass',
      ({ storage }) => storage.createStorageClass({ body: { metadata, provisioner: 'p.example' } }),
      ({ storage }) => storage.listStorageClass(),
      { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' },
    ],
    [
      'MutatingWebhookConfiguration',
      ({ admission }) =>
        admission.createMutatingWebhookConfiguration({
          body: {
            metadata,
            webhooks: [
              {
                name: 'a.b.example',
                clientConfig: { url: 'https://a.example' },
                sideEffects: 'None',
                admissionReviewVersions: ['v1'],
              },
            ],
          },
        }),
      ({ admission }) => admission.listMutatingWebhookConfiguration(),
      { webhooks: [{ failurePolicy: 'Fail', matchPolicy: 'Equivalent', reinvocationPolicy: 'Never' }] },
    ],
  ])('%s', async (_, create, list, filledIn) => {
    const created = await create(api());
    expect(created).toMatchObject({
      metadata: { name: 'made', creationTimestamp: expect.any(Date) as Date },
      ...filledIn,
    });
    const listed = (await list(api())).items as { metadata?: { name?: string; uid?: string } }[];
    const { uid } = (created as { metadata: { uid: string } }).metadata;
    expect(listed.find(({ metadata: one }) => one?.uid === uid)).toMatchObject(filledIn);
  });

  test('what is wrong comes as a Status', async () => {
    const body = { metadata: { name: 'bad' }, spec: { selector: { matchLabels: { app: 'other' } }, template } };
    const error = await api()
      .apps.createNamespacedDeployment({ namespace, body })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiException);
    expect(JSON.parse((error as ApiException<string>).body)).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { causes: [{ field: 'spec.template.metadata.labels', reason: 'FieldValueInvalid' }] },
    });
  });
});
