// Versions that are gone: each is known, and what goes through one comes back as it was.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { builtInGroups } from './catalog.ts';

const resources = builtInGroups(kubernetes).flatMap((group) => group.resources);
const find = (apiVersion: string, kind: string) =>
  resources.find((one) => `${one.group}/${one.version}` === apiVersion && one.kind === kind);
const served = (apiVersion: string, kind: string) => find(apiVersion, kind) as ResourceDefinition;

/** The table of the specification, without policy/v1beta1 PodSecurityPolicy, which has no successor to be converted to. */
const table: readonly (readonly [string, readonly string[]])[] = [
  ['storage.k8s.io/v1beta1', ['CSIStorageCapacity', 'CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment']],
  ['flowcontrol.apiserver.k8s.io/v1beta1', ['FlowSchema', 'PriorityLevelConfiguration']],
  ['autoscaling/v2beta2', ['HorizontalPodAutoscaler']],
  ['autoscaling/v2beta1', ['HorizontalPodAutoscaler']],
  ['batch/v1beta1', ['CronJob']],
  ['discovery.k8s.io/v1beta1', ['EndpointSlice']],
  ['events.k8s.io/v1beta1', ['Event']],
  ['policy/v1beta1', ['PodDisruptionBudget']],
  ['node.k8s.io/v1beta1', ['RuntimeClass']],
  ['admissionregistration.k8s.io/v1beta1', ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']],
  ['apiextensions.k8s.io/v1beta1', ['CustomResourceDefinition']],
  ['apiregistration.k8s.io/v1beta1', ['APIService']],
  ['authentication.k8s.io/v1beta1', ['TokenReview']],
  [
    'authorization.k8s.io/v1beta1',
    ['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SubjectAccessReview', 'SelfSubjectRulesReview'],
  ],
  ['certificates.k8s.io/v1beta1', ['CertificateSigningRequest']],
  ['coordination.k8s.io/v1beta1', ['Lease']],
  ['networking.k8s.io/v1beta1', ['Ingress', 'IngressClass']],
  ['rbac.authorization.k8s.io/v1beta1', ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']],
  ['scheduling.k8s.io/v1beta1', ['PriorityClass']],
  ['extensions/v1beta1', ['Ingress', 'NetworkPolicy', 'DaemonSet', 'Deployment', 'ReplicaSet', 'PodSecurityPolicy']],
  ['apps/v1beta2', ['DaemonSet', 'Deployment', 'StatefulSet', 'ReplicaSet']],
  ['apps/v1beta1', ['Deployment', 'StatefulSet']],
];

test.each(table.flatMap(([apiVersion, kinds]) => kinds.map((kind) => [apiVersion, kind] as const)))(
  '%s %s can be converted, and says that it is gone',
  (apiVersion, kind) => {
    const definition = find(apiVersion, kind);
    expect(definition?.conversion).toBeDefined();
    expect(definition?.deprecated?.removed).toBeLessThan(36);
  },
);

/** The same table where the dialect keeps to it: it has a kind and a group that Kubernetes never had there. */
test('the cluster dialect has every row of the table', () => {
  const dialect = cluster();
  const known = builtInGroups(dialect).flatMap(({ resources: all }) => all);
  const domain = (text: string) => text.replace('k8s.io', dialect.apiDomain);
  const rows = [
    ...table,
    ['apps/v1beta1', ['ReplicaSet']],
    ['apiregistration/v1beta1', ['APIService']],
  ] as typeof table;
  for (const [apiVersion, kinds] of rows)
    for (const kind of kinds) {
      const found = known.find((one) => `${one.group}/${one.version}` === domain(apiVersion) && one.kind === kind);
      expect(found?.conversion, `${apiVersion} ${kind}`).toBeDefined();
    }
});

test('the kinds of a version that is on its way out are all deprecated', () => {
  const beta = resources.filter(({ group, version }) => group === 'resource.k8s.io' && version === 'v1beta1');
  expect(beta.map(({ kind, deprecated }) => [kind, deprecated])).toEqual(
    ['DeviceClass', 'ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice'].map((kind) => [
      kind,
      { since: 35, removed: 38 },
    ]),
  );
});

test('no version is deprecated in favour of a less stable one', () => {
  const stability = (version: string) => ['alpha', 'beta'].findIndex((level) => version.includes(level)) + 1 || 3;
  const advised = [kubernetes, cluster()].flatMap((dialect) =>
    builtInGroups(dialect).flatMap(({ resources: all }) =>
      all.flatMap(({ kind, version, deprecated: { replacement, listedReplacement } = { since: 0 } }) =>
        [replacement, listedReplacement].flatMap((to) =>
          typeof to === 'object' ? [{ kind, version, to: to.version }] : [],
        ),
      ),
    ),
  );
  expect(advised.length).toBeGreaterThan(80);
  expect(advised.filter(({ version, to }) => stability(to) < stability(version))).toEqual([]);
});

const name = fc.stringMatching(/^[a-z]([a-z0-9]{0,8})$/);
const percent = fc.integer({ min: 1, max: 100 });
const amount = fc.constantFrom('1', '250m', '3k', '10Gi');
const labels = fc.dictionary(name, name, { maxKeys: 2 });
const metric = fc.record({ name, selector: fc.record({ matchLabels: labels }) }, { requiredKeys: ['name'] });
const average = amount.map((averageValue) => ({ type: 'AverageValue', averageValue }));
const total = amount.map((value) => ({ type: 'Value', value }));
const utilization = percent.map((averageUtilization) => ({ type: 'Utilization', averageUtilization }));
const totalOrAverage = fc.oneof(total, average);
const ofResource = fc.oneof(utilization, average);
const typed = <T>(type: string, field: string, source: fc.Arbitrary<T>) =>
  source.map((one) => ({ type, [field]: one }));

const metrics = fc.array(
  fc.oneof(
    typed('Pods', 'pods', fc.record({ metric, target: average })),
    typed('External', 'external', fc.record({ metric, target: totalOrAverage })),
    typed('Resource', 'resource', fc.record({ name, target: ofResource })),
    typed('ContainerResource', 'containerResource', fc.record({ name, target: ofResource, container: name })),
    typed(
      'Object',
      'object',
      fc.record({ describedObject: fc.record({ kind: name, name }), metric, target: totalOrAverage }),
    ),
  ),
  { minLength: 1, maxLength: 4 },
);

const policy = fc.record({ type: fc.constantFrom('Pods', 'Percent'), value: percent, periodSeconds: percent });
const direction = fc.record(
  {
    stabilizationWindowSeconds: percent,
    selectPolicy: fc.constantFrom('Max', 'Min'),
    policies: fc.array(policy, { minLength: 1 }),
  },
  { requiredKeys: [] },
);
// one that says nothing is none, and defaults leave none of those
const behavior = fc.record({ scaleUp: direction, scaleDown: direction }, { requiredKeys: ['scaleUp'] });
const autoscaler = fc.record({
  spec: fc.record(
    { scaleTargetRef: fc.record({ kind: name, name }), minReplicas: percent, maxReplicas: percent, metrics, behavior },
    { requiredKeys: ['scaleTargetRef', 'maxReplicas', 'metrics'] },
  ),
  status: fc.record({ currentReplicas: percent, desiredReplicas: percent }),
});

const time = fc.constantFrom('2030-01-01T00:00:00Z', '2031-02-03T04:05:06Z');
const event = fc.record(
  {
    involvedObject: fc.record({ kind: name, name, namespace: fc.constant('n') }),
    message: name,
    reason: name,
    type: fc.constantFrom('Normal', 'Warning'),
    source: fc.record({ component: name, host: name }),
    firstTimestamp: time,
    lastTimestamp: time,
    count: percent,
    reportingComponent: name,
    reportingInstance: name,
    action: name,
  },
  { requiredKeys: ['involvedObject'] },
);

const review = fc.record({
  spec: fc.record(
    { user: name, groups: fc.array(name, { minLength: 1 }), uid: name, resourceAttributes: fc.record({ verb: name }) },
    { requiredKeys: ['user'] },
  ),
  status: fc.record({ allowed: fc.boolean() }),
});

/** As the version's type has it. */
const settled = ({ type }: ResourceDefinition, object: object) =>
  decoderOf(type)(JSON.parse(JSON.stringify(object)), new DecodeContext()) as ApiObject;

describe('there and back', () => {
  test.each<[string, string, string, fc.Arbitrary<object>]>([
    ['autoscaling/v2beta1', 'autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler],
    ['autoscaling/v2beta2', 'autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler],
    ['autoscaling/v1', 'autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler],
    ['events.k8s.io/v1beta1', '/v1', 'Event', event],
    ['authorization.k8s.io/v1beta1', 'authorization.k8s.io/v1', 'SubjectAccessReview', review],
    ['authorization.k8s.io/v1beta1', 'authorization.k8s.io/v1', 'LocalSubjectAccessReview', review],
  ])('%s loses nothing of %s %s', (older, stored, kind, given) => {
    const [old, current] = [served(older, kind), served(stored, kind)];
    fc.assert(
      fc.property(given, labels, (fields, annotations) => {
        const object = settled(current, { metadata: { name: 'a', annotations }, ...fields });
        const there = settled(old, old.conversion?.fromStorage(object, kubernetes) ?? {});
        expect(settled(current, old.conversion?.toStorage(there, kubernetes) ?? {})).toEqual(settled(current, object));
      }),
      { numRuns: 50 },
    );
  });
});

const storedOf = ({ storagePrefix }: ResourceDefinition) =>
  resources.find((one) => one.storagePrefix === storagePrefix && !one.conversion) as ResourceDefinition;

test.each(
  resources
    .filter(({ conversion, action }) => conversion && !action)
    .map((one) => [`${one.group}/${one.version} ${one.kind}`, one] as const),
)('%s writes what it always writes', (_, version) => {
  const empty = settled(storedOf(version), { metadata: { name: 'a' } });
  const shown = JSON.parse(JSON.stringify(version.conversion?.fromStorage(empty, kubernetes))) as object;
  expect(settled(version, shown)).toEqual(shown);
});
