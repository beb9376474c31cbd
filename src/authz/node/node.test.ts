import { describe, expect, test } from 'vitest';
import { PendingParts } from '../../base/pending-parts.ts';
import { type AccessAttributes, resourceAccess } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { usualGates } from '../rbac/roles/components.ts';
import { NodeGraph } from './node-graph.ts';
import { nodeModule } from './node-module.ts';

const user = { name: 'system:node:a', groups: ['system:nodes', 'system:authenticated'] };
const mirror = 'kubernetes.io/config.mirror';

function object(name: string, fields: object, metadata: object = { namespace: 'n' }): ApiObject {
  return { kind: 'X', apiVersion: 'v1', metadata: { name, ...metadata }, ...fields };
}

const spec = {
  nodeName: 'a',
  serviceAccountName: 'robot',
  imagePullSecrets: [{ name: 'pull' }],
  containers: [
    {
      env: [
        { valueFrom: { secretKeyRef: { name: 'env-secret' } } },
        { valueFrom: { configMapKeyRef: { name: 'env-map' } } },
      ],
      envFrom: [{ configMapRef: { name: 'all-map' } }],
    },
  ],
  initContainers: [{ envFrom: [{ secretRef: { name: 'init-secret' } }] }],
  volumes: [
    { name: 'v1', secret: { secretName: 'volume-secret' } },
    { name: 'v2', configMap: { name: 'volume-map' } },
    {
      name: 'v3',
      projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected-map' } }] },
    },
    { name: 'v4', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'v5', ephemeral: {} },
    { name: 'v6', csi: { nodePublishSecretRef: { name: 'csi-secret' } } },
  ],
  resourceClaims: [{ resourceClaimName: 'device' }],
};

function setUp(gates = usualGates) {
  const graph = new NodeGraph(mirror);
  const pod = object('p', { spec });
  graph.put('pods', pod);
  graph.put(
    'persistentvolumes',
    object(
      'pv',
      {
        spec: {
          claimRef: { namespace: 'n', name: 'claim' },
          csi: { nodeStageSecretRef: { name: 'stage', namespace: 'system' } },
        },
      },
      {},
    ),
  );
  graph.put('volumeattachments', object('va', { spec: { nodeName: 'a' } }, {}));
  const { authorize } = nodeModule(graph, kubernetes, gates);
  const may = (verb: string, resource: string, more: Partial<AccessAttributes> = {}) =>
    (authorize(resourceAccess({ user, verb, resource, namespace: 'n', ...more })) as { kind: string }).kind === 'allow';
  const why = (verb: string, resource: string, more: Partial<AccessAttributes> = {}) =>
    (authorize(resourceAccess({ user, verb, resource, namespace: 'n', ...more })) as { reason?: string }).reason;
  return { graph, pod, may, why };
}

describe('the program on a node', () => {
  test.each(['pull', 'env-secret', 'init-secret', 'volume-secret', 'projected', 'csi-secret'])(
    'reads secret %s of its pod',
    (name) => {
      const { may } = setUp();
      expect([
        may('get', 'secrets', { name }),
        may('watch', 'secrets', { name }),
        may('delete', 'secrets', { name }),
      ]).toEqual([true, true, false]);
      expect(may('get', 'secrets', { name, namespace: 'other' })).toBe(false);
      expect(may('get', 'secrets', { name, user: { ...user, name: 'system:node:b' } })).toBe(false);
    },
  );

  test('reads what else the pod needs, and nothing besides', () => {
    const { may } = setUp();
    for (const name of ['env-map', 'all-map', 'volume-map', 'projected-map'])
      expect(may('get', 'configmaps', { name })).toBe(true);
    for (const name of ['claim', 'p-v5']) expect(may('get', 'persistentvolumeclaims', { name })).toBe(true);
    expect(may('patch', 'persistentvolumeclaims', { name: 'claim', subresource: 'status' })).toBe(true);
    expect(may('get', 'persistentvolumes', { name: 'pv', namespace: '' })).toBe(true);
    expect(may('get', 'secrets', { name: 'stage', namespace: 'system' })).toBe(true);
    expect(may('get', 'volumeattachments', { group: 'storage.k8s.io', name: 'va', namespace: '' })).toBe(true);
    expect(may('get', 'resourceclaims', { group: 'resource.k8s.io', name: 'device' })).toBe(true);
    expect(may('create', 'serviceaccounts', { name: 'robot', subresource: 'token' })).toBe(true);
    expect(may('create', 'serviceaccounts', { name: 'admin', subresource: 'token' })).toBe(false);
    expect([
      may('get', 'serviceaccounts', { name: 'robot' }),
      may('get', 'serviceaccounts', { name: 'admin' }),
    ]).toEqual([true, false]);
    expect([may('list', 'secrets'), may('get', 'secrets', { name: 'other' })]).toEqual([false, false]);
  });

  test('waits for parts that are still being read where they may change the decision', async () => {
    const graph = new NodeGraph(mirror);
    const parts = new PendingParts();
    parts.begin('pods');
    parts.begin('persistentvolumes');
    graph.put('pods', object('first', { spec: { nodeName: 'a', imagePullSecrets: [{ name: 'first' }] } }));
    const { authorize } = nodeModule(graph, kubernetes, usualGates, parts);
    const ask = (name: string) =>
      authorize(resourceAccess({ user, verb: 'get', resource: 'secrets', namespace: 'n', name }));
    expect(ask('first')).toEqual({ kind: 'allow' });
    const [second, third] = [ask('second'), ask('third')];
    expect(second).toBeInstanceOf(Promise);
    parts.end('persistentvolumes');
    graph.put('pods', object('second', { spec: { nodeName: 'a', imagePullSecrets: [{ name: 'second' }] } }));
    parts.end('pods');
    expect(await second).toEqual({ kind: 'allow' });
    expect(await third).toMatchObject({ kind: 'noOpinion' });
    expect(ask('third')).toMatchObject({ kind: 'noOpinion' });
  });

  test('a node loses access when the pod is deleted or moves', () => {
    const { graph, pod, may } = setUp();
    graph.put('pods', object('second', { spec: { nodeName: 'a', imagePullSecrets: [{ name: 'pull' }] } }));
    graph.remove('pods', pod);
    expect([may('get', 'secrets', { name: 'pull' }), may('get', 'secrets', { name: 'env-secret' })]).toEqual([
      true,
      false,
    ]);
    graph.put('pods', object('second', { spec: { nodeName: 'b', imagePullSecrets: [{ name: 'pull' }] } }));
    expect(may('get', 'secrets', { name: 'pull' })).toBe(false);
  });

  test('gains nothing by mirror pods it makes itself', () => {
    const { graph, may } = setUp();
    graph.put(
      'pods',
      object(
        'm',
        { spec: { nodeName: 'a', imagePullSecrets: [{ name: 'loot' }] } },
        { namespace: 'n', annotations: { [mirror]: 'x' } },
      ),
    );
    expect([may('get', 'secrets', { name: 'loot' }), may('get', 'pods', { name: 'm' })]).toEqual([false, true]);
  });

  test('writes about itself', () => {
    const { may } = setUp();
    const everywhere = { namespace: '' };
    expect([
      may('get', 'nodes', { ...everywhere, name: 'a' }),
      may('get', 'nodes', { ...everywhere, name: 'b' }),
      may('list', 'nodes', everywhere),
    ]).toEqual([true, false, false]);
    expect(may('patch', 'nodes', { ...everywhere, name: 'a', subresource: 'status' })).toBe(true);
    expect(may('delete', 'nodes', { ...everywhere, name: 'a' })).toBe(false);
    const lease = { group: 'coordination.k8s.io', namespace: 'kube-node-lease' };
    expect([
      may('update', 'leases', { ...lease, name: 'a' }),
      may('update', 'leases', { ...lease, name: 'b' }),
    ]).toEqual([true, false]);
    expect(may('update', 'leases', { ...lease, namespace: 'kube-system', name: 'a' })).toBe(false);
    const mine = { fieldSelector: [{ field: 'spec.nodeName', operator: '=', value: 'a' } as const], namespace: '' };
    expect([may('list', 'pods', mine), may('list', 'pods', everywhere)]).toEqual([true, false]);
    expect([may('create', 'events'), may('create', 'deployments', { group: 'apps' })]).toEqual([true, false]);
  });

  test('asks for certificates of pods and reads its own requests, where there are such', () => {
    const { graph, may } = setUp({ ...usualGates, PodCertificateRequest: true });
    graph.put('podcertificaterequests', object('mine', { spec: { nodeName: 'a' } }));
    graph.put('podcertificaterequests', object('other', { spec: { nodeName: 'b' } }));
    const group = 'certificates.k8s.io';
    const ask = (verb: string, more: Partial<AccessAttributes> = {}) =>
      may(verb, 'podcertificaterequests', { group, ...more });
    const here = { fieldSelector: [{ field: 'spec.nodeName', operator: '=', value: 'a' } as const], namespace: '' };
    expect([ask('create'), ask('get', { name: 'mine' }), ask('list', here), ask('watch', here)]).not.toContain(false);
    expect([
      ...[ask('get', { name: 'other' }), ask('get', { name: 'mine', namespace: 'elsewhere' }), ask('get')],
      ...[ask('list'), ask('update', { name: 'mine' }), ask('get', { name: 'mine', subresource: 'status' })],
    ]).not.toContain(true);
    graph.remove('podcertificaterequests', object('mine', {}));
    expect(ask('get', { name: 'mine' })).toBe(false);
    const { may: usually } = setUp();
    expect(usually('create', 'podcertificaterequests', { group })).toBe(false);
  });

  test('hears why it may not, in the words of kube-apiserver', () => {
    const { why } = setUp();
    const inGroup = (group: string, more: Partial<AccessAttributes> = {}) => ({ group, namespace: '', ...more });
    const leases = { group: 'coordination.k8s.io', namespace: 'kube-node-lease' };
    expect([
      why('get', 'persistentvolumeclaims', { name: 'claim', subresource: 'status' }),
      why('list', 'persistentvolumes', { namespace: '' }),
      why('list', 'secrets', { namespace: '' }),
      why('delete', 'configmaps', { name: 'env-map' }),
      why('create', 'serviceaccounts', { name: 'robot' }),
      why('list', 'leases', leases),
      why('patch', 'leases', { ...leases, name: 'b' }),
      why('create', 'leases', { ...leases, namespace: 'n' }),
      why('patch', 'csinodes', inGroup('storage.k8s.io', { name: 'b' })),
      why('list', 'csinodes', inGroup('storage.k8s.io')),
      why('deletecollection', 'resourceslices', inGroup('resource.k8s.io')),
    ]).toEqual([
      'can only get/update/patch this type',
      'can only get individual resources of this type',
      'can only read namespaced object of this type',
      'can only read resources of this type',
      'can only create token subresource of serviceaccount',
      'can only get, create, update, patch, or delete a node lease',
      'can only access node lease with the same name as the requesting node',
      'can only access leases in the "kube-node-lease" system namespace',
      'can only access CSINode with the same name as the requesting node',
      'can only get, create, update, patch, or delete a CSINode',
      'can only list/watch/deletecollection resourceslices with nodeName field selector',
    ]);
  });

  test('is a user of the right name and group', () => {
    const { may } = setUp();
    expect(may('get', 'secrets', { name: 'pull', user: { ...user, groups: [] } })).toBe(false);
    expect(may('create', 'events', { user: { ...user, name: 'system:node:' } })).toBe(false);
  });
});

describe('texts of objects that matter to the graph', () => {
  const matters = (part: 'pods' | 'persistentvolumes', value: unknown) =>
    new NodeGraph(mirror).concerns(part, Buffer.from(JSON.stringify(value)));

  test('a pod matters from when it has a node', () => {
    expect(matters('pods', object('p', { spec: { containers: [] } }))).toBe(false);
    expect(matters('pods', object('p', { spec }))).toBe(true);
  });

  test('a volume always matters', () => {
    expect(matters('persistentvolumes', object('pv', {}))).toBe(true);
  });
});
