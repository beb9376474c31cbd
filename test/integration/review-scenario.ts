// Requests of every sort, and what an API server asks its webhooks about each: recorded from kube-apiserver 1.36.4 and compared
// with what this server asks.

import { type AdmissionHooks, allow, configurations, type Review } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';

interface Step {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** What each webhook was asked during a step, and how the request ended. */
export interface RecordedStep {
  readonly name: string;
  readonly status: number;
  readonly reviews: readonly { readonly hook: string; readonly request: Review }[];
}

const ns = '/api/v1/namespaces/reviews';
const maps = `${ns}/configmaps`;
const pods = `${ns}/pods`;
const deployments = '/apis/apps/v1/namespaces/reviews/deployments';
const widgets = '/apis/reviews.example.com/v1/namespaces/reviews/widgets';
const autoscalers = '/apis/autoscaling/v1/namespaces/reviews/horizontalpodautoscalers';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';

const configMap = (name: string, data: object = { a: 'b' }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { kept: 'yes' } },
  data,
});
const podSpec = {
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 0,
  containers: [{ name: 'c', image: 'example.com/c:1', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
};
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: podSpec };
const selected = { matchLabels: { app: 'd' } };
const template = { metadata: selected.matchLabels ? { labels: selected.matchLabels } : {}, spec: podSpec };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: { replicas: 1, selector: selected, template },
};
const widget = { apiVersion: 'reviews.example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { replicas: 1 } };
const autoscaler = {
  apiVersion: 'autoscaling/v1',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    targetCPUUtilizationPercentage: 50,
  },
};

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.reviews.example.com' },
  spec: {
    group: 'reviews.example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ],
  },
};

const scaled = (apiVersion: string, name: string, replicas: number) => ({
  apiVersion,
  kind: 'Scale',
  metadata: { name, namespace: 'reviews' },
  spec: { replicas },
});

/** In this order: later ones need what earlier ones made. */
const steps: readonly Step[] = [
  { name: 'create', method: 'POST', path: maps, body: configMap('c') },
  { name: 'create with a manager', method: 'POST', path: `${maps}?fieldManager=me`, body: configMap('m') },
  { name: 'create in a dry run', method: 'POST', path: `${maps}?dryRun=All`, body: configMap('dry') },
  {
    name: 'create with a generated name',
    method: 'POST',
    path: maps,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'g-' } },
  },
  { name: 'update', method: 'PUT', path: `${maps}/c`, body: configMap('c', { a: 'c' }) },
  { name: 'patch', method: 'PATCH', path: `${maps}/c`, type: merge, body: { data: { b: 'd' } } },
  {
    name: 'apply a new object',
    method: 'PATCH',
    path: `${maps}/applied?fieldManager=me&force=true`,
    type: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { x: 'y' } },
  },
  {
    name: 'delete with options',
    method: 'DELETE',
    path: `${maps}/m`,
    body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
  },
  { name: 'delete in a dry run', method: 'DELETE', path: `${maps}/c?dryRun=All` },
  { name: 'delete a collection', method: 'DELETE', path: `${maps}?labelSelector=kept%3Dyes` },

  { name: 'create a pod', method: 'POST', path: pods, body: pod },
  {
    name: 'status',
    method: 'PATCH',
    path: `${pods}/p/status`,
    type: merge,
    body: { status: { phase: 'Running' } },
  },
  {
    name: 'ephemeral containers',
    method: 'PATCH',
    path: `${pods}/p/ephemeralcontainers`,
    type: strategic,
    body: { spec: { ephemeralContainers: [{ name: 'e', image: 'example.com/e:1' }] } },
  },
  {
    name: 'bind',
    method: 'POST',
    path: `${pods}/p/binding`,
    body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'gone' } },
  },
  { name: 'exec', method: 'POST', path: `${pods}/p/exec?command=ls&command=-l&container=c&stdout=true&stderr=true` },
  { name: 'attach', method: 'POST', path: `${pods}/p/attach?stdin=true&tty=true` },
  { name: 'port-forward', method: 'POST', path: `${pods}/p/portforward?ports=80` },
  { name: 'proxy', method: 'GET', path: `${pods}/p/proxy/some/path?a=b` },
  {
    name: 'evict in a dry run',
    method: 'POST',
    path: `${pods}/p/eviction`,
    body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, deleteOptions: { dryRun: ['All'] } },
  },
  { name: 'delete a pod at once', method: 'DELETE', path: `${pods}/p?gracePeriodSeconds=0` },

  { name: 'create a deployment', method: 'POST', path: deployments, body: deployment },
  { name: 'scale', method: 'PUT', path: `${deployments}/d/scale`, body: scaled('autoscaling/v1', 'd', 3) },
  {
    name: 'scale by a patch',
    method: 'PATCH',
    path: `${deployments}/d/scale`,
    type: merge,
    body: { spec: { replicas: 2 } },
  },
  {
    name: 'status of a deployment',
    method: 'PATCH',
    path: `${deployments}/d/status`,
    type: merge,
    body: { status: { replicas: 2 } },
  },

  { name: 'create a custom object', method: 'POST', path: widgets, body: widget },
  {
    name: 'create a custom object in a dry run',
    method: 'POST',
    path: `${widgets}?dryRun=All`,
    body: { ...widget, metadata: { name: 'dry' } },
  },
  {
    name: 'patch a custom object',
    method: 'PATCH',
    path: `${widgets}/w`,
    type: merge,
    body: { spec: { color: 'red' } },
  },
  {
    name: 'status of a custom object',
    method: 'PATCH',
    path: `${widgets}/w/status`,
    type: merge,
    body: { status: { replicas: 1 } },
  },
  { name: 'scale a custom object', method: 'PUT', path: `${widgets}/w/scale`, body: scaled('autoscaling/v1', 'w', 2) },
  { name: 'delete a custom object', method: 'DELETE', path: `${widgets}/w` },
  { name: 'create another custom object', method: 'POST', path: widgets, body: { ...widget, metadata: { name: 'v' } } },
  { name: 'delete a collection of custom objects', method: 'DELETE', path: widgets },

  { name: 'create in another version', method: 'POST', path: autoscalers, body: autoscaler },
  {
    name: 'update in another version',
    method: 'PATCH',
    path: `${autoscalers}/h`,
    type: merge,
    body: { spec: { maxReplicas: 4 } },
  },
  { name: 'delete in another version', method: 'DELETE', path: `${autoscalers}/h` },

  {
    name: 'a token of an account',
    method: 'POST',
    path: `${ns}/serviceaccounts/default/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: ['a'] } },
  },
  {
    name: 'label the namespace',
    method: 'PATCH',
    path: ns,
    type: merge,
    body: { metadata: { labels: { more: 'y' } } },
  },
];

const everything = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
const newestScaler = [
  { operations: ['*'], apiGroups: ['autoscaling'], apiVersions: ['v2'], resources: ['horizontalpodautoscalers'] },
];

/** Sets everything up, makes the requests one after the other, and tells what the webhooks were asked. */
export async function runReviewScenario(
  server: Parameters<typeof apiOf>[0],
  hooks: AdmissionHooks,
): Promise<readonly RecordedStep[]> {
  const api = apiOf(server);
  await prepare(api, hooks);
  const recorded: RecordedStep[] = [];
  for (const { name, method, path, body, type } of steps) {
    const before = hooks.reviews.length;
    const { status } = await api.call(method, path, body, type === undefined ? {} : { 'content-type': type });
    // both sorts of webhooks; those that are asked at the same time, in any order
    const reviews = hooks.reviews.slice(before).map((one) => ({ hook: one.path, request: steady(one.review.request) }));
    recorded.push({ name, status, reviews: reviews.sort((a, b) => (key(a) < key(b) ? -1 : 1)) });
  }
  return recorded;
}

const key = ({ hook, request }: RecordedStep['reviews'][number]) => `${hook} ${request.name ?? ''}`;

async function prepare(api: Api, hooks: AdmissionHooks): Promise<void> {
  const labels = { reviewed: 'yes' };
  await api.post('/api/v1/namespaces', { metadata: { name: 'reviews', labels } });
  await api.post(`${ns}/serviceaccounts`, { metadata: { name: 'default' } });
  await api.post(definitions, definition);
  const hook = (path: string, more: object) =>
    hooks.hook(path, () => allow, { namespaceSelector: { matchLabels: labels }, ...more });
  const older = { admissionReviewVersions: ['v1beta1'], rules: newestScaler, matchPolicy: 'Equivalent' };
  await api.post(configurations.mutating, {
    metadata: { name: 'reviews' },
    webhooks: [hook('/mutate', { rules: everything })],
  });
  await api.post(configurations.validating, {
    metadata: { name: 'reviews' },
    webhooks: [hook('/validate', { rules: everything, matchPolicy: 'Exact' }), hook('/newest', older)],
  });
  await untilCalled(api, hooks);
}

/** Configurations and definitions take effect a moment after they are stored. */
async function untilCalled(api: Api, hooks: AdmissionHooks): Promise<void> {
  const wanted = ['/mutate', '/validate', '/newest'];
  for (let attempt = 0; attempt < 200; attempt++) {
    await api.post(`${autoscalers}?dryRun=All`, { ...autoscaler, metadata: { name: 'probe' } });
    const served = await api.get(widgets);
    const isCalled = wanted.every((path) => hooks.asked(path).length > 0);
    if (served.status === 200 && isCalled && (await isEstablished(api))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the webhooks were never called');
}

/** The controller's last write: webhooks are asked about it too. */
async function isEstablished(api: Api): Promise<boolean> {
  const { body } = await api.get(`${definitions}/${definition.metadata.name}`);
  const conditions: readonly { readonly type: string; readonly status: string }[] = body.status?.conditions ?? [];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

const changing = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'startTime',
  'lastTransitionTime',
]);

/** Without what differs in every run: identities, times, the order that times decide, generated names. */
export function steady(value: unknown): Review {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value === 'string') return value.replace(/^g-[a-z0-9]{5}$/, 'g-<name>');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      changing.has(name) && typeof inner === 'string' && inner !== '' ? `<${name}>` : inOrder(name, steady(inner)),
    ]),
  );
}

/** Managers are listed by the second of their write: two runs may list them differently. */
const inOrder = (name: string, value: unknown) =>
  name === 'managedFields' && Array.isArray(value) ? value.sort(compareManagers) : value;

const managerText = (entry: Record<string, unknown>) =>
  ['operation', 'manager', 'subresource', 'apiVersion'].map((name) => String(entry[name])).join(' ');
const compareManagers = (a: Record<string, unknown>, b: Record<string, unknown>) =>
  managerText(a) < managerText(b) ? -1 : 1;
