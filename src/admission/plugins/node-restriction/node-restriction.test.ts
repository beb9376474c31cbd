// What nodes may write.

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { AccessAttributes } from '../../../meta/access.ts';
import { cluster, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import type { AdmissionRequest } from '../../plugin.ts';
import { defaultGates, lookupOf, requestFor } from '../../testing.ts';
import { nodeRestriction } from './node-restriction.ts';

const object = (metadata: object, more: object = {}): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { namespace: 'n', ...metadata } },
  ...more,
});
const token = (audience?: string) => ({
  serviceAccountToken: { path: 'token', ...(audience === undefined ? {} : { audience }) },
});
const volumes = [
  { name: 'api', projected: { sources: [{ configMap: { name: 'c' } }, token()] } },
  { name: 'vault', projected: { sources: [token('vault')] } },
  { name: 'inline', csi: { driver: 'inline.csi' } },
  { name: 'claimed', persistentVolumeClaim: { claimName: 'claim' } },
  { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
  { name: 'disk', awsElasticBlockStore: { volumeID: 'v' } },
];
const own = object({ name: 'own', uid: 'u1' }, { spec: { nodeName: 'me', volumes } });
const bare = object({ name: 'bare', uid: 'u3' }, { spec: { nodeName: 'me' } });
const broken = object(
  { name: 'broken', uid: 'u4' },
  {
    spec: {
      nodeName: 'me',
      volumes: [
        { name: 'a', csi: { driver: 'gone.csi' } },
        { name: 'b', persistentVolumeClaim: { claimName: 'gone' } },
        { name: 'c', persistentVolumeClaim: { claimName: 'unbound' } },
        { name: 'd', csi: { driver: 'inline.csi' } },
      ],
    },
  },
);
const ofCluster = (name: string, spec: object) => object({ name, namespace: undefined }, { spec });
const driver = (name: string, ...audiences: string[]) =>
  ofCluster(name, { tokenRequests: audiences.map((audience) => ({ audience })) });
/** What RBAC grants: an audience of tokens of one account. */
const granted = { verb: 'request-serviceaccounts-token-audience', resource: 'granted', name: 'robot', namespace: 'n' };
const access = {
  decide: (asked: AccessAttributes) => ({
    kind: isDeepStrictEqual({ ...asked, ...granted }, asked) ? ('allow' as const) : ('noOpinion' as const),
    ...(asked.resource === 'failing' ? { error: 'the authorizer failed' } : {}),
  }),
};
const foreign = object({ name: 'foreign', uid: 'u2' }, { spec: { nodeName: 'you' } });
const engines = {
  dialect: kubernetes,
  access,
  gates: defaultGates,
  objects: lookupOf({
    pods: [own, foreign, bare, broken],
    nodes: [object({ name: 'me', uid: 'node-uid', namespace: undefined })],
    persistentvolumeclaims: [
      object({ name: 'claim' }, { spec: { volumeName: 'volume' } }),
      object({ name: 'own-scratch' }, { spec: { volumeName: 'old-volume' } }),
      object({ name: 'unbound' }, { spec: {} }),
    ],
    persistentvolumes: [
      ofCluster('volume', { csi: { driver: 'claimed.csi' } }),
      ofCluster('old-volume', { gcePersistentDisk: { pdName: 'x' } }),
    ],
    csidrivers: [
      driver('inline.csi', 'inline', ''),
      driver('claimed.csi', 'claimed'),
      driver('pd.csi.storage.gke.io', 'ephemeral'),
      driver('ebs.csi.aws.com', 'disk'),
      driver('unrelated.csi', 'unrelated'),
    ],
  }),
};
const plugin = nodeRestriction(engines);
const resource = (plural: string, group = '') => ({ plural, group }) as ResourceDefinition;
const me = { name: 'system:node:me', groups: ['system:nodes'] };
const write =
  (plural: string, parts: Partial<AdmissionRequest>, group = '') =>
  () =>
    plugin.mutate?.(requestFor({ definition: resource(plural, group), user: me, namespace: 'n', ...parts }));

test('others are not looked at, and who is no node in particular is refused', () => {
  expect(write('nodes', { user: { name: 'alice', groups: [] }, name: 'you' })).not.toThrow();
  expect(write('nodes', { user: { name: 'system:node:', groups: ['system:nodes'] } })).toThrow(
    'could not determine node from user "system:node:"',
  );
});

describe('pods', () => {
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'me', uid: 'node-uid', controller: true };
  const mirror = (spec: object = {}, metadata: object = {}) =>
    object(
      {
        name: 'm',
        annotations: { 'kubernetes.io/config.mirror': 'x' },
        ownerReferences: [owner],
        ...metadata,
      },
      { spec: { nodeName: 'me', ...spec } },
    );

  test.each([
    [mirror(), undefined],
    [mirror({}, { annotations: {} }), 'node "me" can only create mirror pods'],
    [mirror({ nodeName: 'you' }), 'can only create pods with spec.nodeName set to itself'],
    [mirror({}, { ownerReferences: [] }), 'can only create pods with an owner reference set to itself'],
    [mirror({}, { ownerReferences: [{ ...owner, controller: false }] }), 'a controller owner reference set to itself'],
    [mirror({}, { ownerReferences: [{ ...owner, uid: 'x' }] }), 'node me UID mismatch: expected x got node-uid'],
    [mirror({ serviceAccountName: 'a' }), 'can not create pods that reference serviceaccounts'],
    [mirror({ volumes: [{ name: 'v', configMap: { name: 'c' } }] }), 'can not create pods that reference configmaps'],
  ])('are mirrors of what runs there (%#)', (pod, why) => {
    const create = write('pods', { object: pod });
    if (why === undefined) expect(create).not.toThrow();
    else expect(create).toThrow(why);
  });

  test('go, are evicted and are reported on where they run', () => {
    for (const [parts, what] of [
      [{ operation: 'DELETE' }, 'delete'],
      [{ subresource: 'eviction' }, 'evict'],
    ] as const) {
      expect(write('pods', { ...parts, name: 'own' })).not.toThrow();
      expect(write('pods', { ...parts, name: 'foreign' })).toThrow(
        `can only ${what} pods with spec.nodeName set to itself`,
      );
    }
    const status = { operation: 'UPDATE', subresource: 'status' } as const;
    expect(write('pods', { ...status, object: own, oldObject: own })).not.toThrow();
    expect(write('pods', { ...status, object: foreign, oldObject: foreign })).toThrow('can only update pod status');
    const labelled = { ...own, metadata: { ...own.metadata, labels: { a: 'b' } } };
    expect(write('pods', { ...status, object: labelled, oldObject: own })).toThrow('cannot update labels');
    expect(write('pods', { subresource: 'binding' })).toThrow('unexpected pod subresource "binding"');
    expect(write('pods', { operation: 'UPDATE', object: own, oldObject: own })).toThrow(
      'unexpected operation "UPDATE"',
    );
  });

  test.each([
    [undefined, 'node requested token not bound to a pod'],
    [{ apiVersion: 'v1', kind: 'Pod', name: 'own' }, 'without a uid'],
    [{ apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'x' }, 'does not match the UID in record'],
    [{ apiVersion: 'v1', kind: 'Pod', name: 'foreign', uid: 'u2' }, 'scheduled on a different node'],
    [{ apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'u1' }, undefined],
  ])('get tokens through it: %j', (boundObjectRef, why) => {
    const request = write('serviceaccounts', {
      subresource: 'token',
      object: object({}, { spec: { boundObjectRef } }),
    });
    if (why === undefined) expect(request).not.toThrow();
    else expect(request).toThrow(why);
  });
});

describe('audiences of tokens', () => {
  const request = (audiences: string[] | undefined, name = 'own', uid = 'u1') => {
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    const parts = { subresource: 'token', name: 'robot', object: object({}, { spec: { boundObjectRef, audiences } }) };
    return (async () => void (await write('serviceaccounts', parts)()))();
  };
  const unknown = (audience: string) =>
    `serviceaccounts "robot" is forbidden: audience "${audience}" not found in pod spec volume, system:node:me is not authorized to request tokens for this audience`;

  test.each(['', 'vault', 'inline', 'claimed', 'ephemeral', 'disk', 'granted'])(
    'may be %j, which volumes, their drivers or an authorizer name',
    async (audience) => {
      await expect(request([audience])).resolves.toBeUndefined();
    },
  );

  test('are that of this server where none is said, if the pod has such a volume', async () => {
    await expect(request(undefined)).resolves.toBeUndefined();
    await expect(request([])).resolves.toBeUndefined();
    await expect(request([], 'bare', 'u3')).rejects.toThrow(unknown(''));
  });

  test.each(['unrelated', 'https://kubernetes.default.svc', '*', 'Vault', 'vault '])(
    'may not be %j',
    async (audience) => {
      await expect(request([audience])).rejects.toThrow(unknown(audience));
    },
  );

  test('are not looked at with the gate off', () => {
    const gates = { ...defaultGates, ServiceAccountNodeAudienceRestriction: false };
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'broken', uid: 'u4' };
    const asked = object({}, { spec: { boundObjectRef, audiences: ['unrelated', 'vault'] } });
    const parts = { user: me, namespace: 'n', subresource: 'token', name: 'robot', object: asked };
    const create = requestFor({ definition: resource('serviceaccounts'), ...parts });
    expect(nodeRestriction({ ...engines, gates }).mutate?.(create)).toBe(asked);
  });

  test('are one at most', async () => {
    await expect(request(['vault', 'inline'])).rejects.toThrow('node may only request 0 or 1 audiences');
  });

  test('that cannot be looked up are refused with the reason, unless another volume names them', async () => {
    await expect(request(['inline'], 'broken', 'u4')).resolves.toBeUndefined();
    await expect(request(['granted'], 'broken', 'u4')).rejects.toThrow(
      'error validating audience "granted": [csidriver.storage.k8s.io "gone.csi" not found, persistentvolumeclaim "gone" not found, persistentvolume "" not found]',
    );
    await expect(request(['failing'], 'bare', 'u3')).rejects.toThrow(
      'audience "failing" not found in pod spec volume, error authorizing system:node:me to request tokens for this audience: the authorizer failed',
    );
  });
});

describe('nodes', () => {
  const node = (labels: object = {}, spec: object = {}, name = 'me') => object({ name, labels }, { spec });
  const update = (next: ApiObject) =>
    write('nodes', { operation: 'UPDATE', name: 'me', object: next, oldObject: node() });

  test.each([
    ['node-restriction.kubernetes.io/x', false],
    ['sub.node-restriction.kubernetes.io/x', false],
    ['kubernetes.io/hostname', true],
    ['topology.kubernetes.io/zone', true],
    ['failure-domain.beta.kubernetes.io/region', true],
    ['beta.kubernetes.io/instance-type', true],
    ['kubelet.kubernetes.io/x', true],
    ['a.node.kubernetes.io/x', true],
    ['other.kubernetes.io/x', false],
    ['node-role.kubernetes.io/control-plane', false],
    ['x.k8s.io/y', false],
    ['example.com/x', true],
    ['plain', true],
  ])('label %s may be set by the node: %s', (label, isAllowed) => {
    const create = write('nodes', { object: node({ [label]: '' }) });
    const change = update(node({ [label]: '' }));
    if (isAllowed) {
      expect(create).not.toThrow();
      expect(change).not.toThrow();
    } else {
      expect(create).toThrow(`node "me" is not allowed to set the following labels: ${label}`);
      expect(change).toThrow(`nodes "me" is forbidden: is not allowed to modify labels: ${label}`);
    }
  });

  test('write themselves only, and not their taints', () => {
    expect(write('nodes', { object: node({}, {}, 'you') })).toThrow('node "me" is not allowed to modify node "you"');
    expect(update(node({}, { taints: [{ key: 'x' }] }))).toThrow('not allowed to modify taints');
    expect(write('nodes', { operation: 'DELETE', name: 'you' })).toThrow(
      'node "me" is not allowed to modify node "you"',
    );
  });

  test('may delete themselves, but not in the dialect of the specification', () => {
    const gone = requestFor({ definition: resource('nodes'), user: me, operation: 'DELETE', name: 'me' });
    expect(() => plugin.mutate?.(gone)).not.toThrow();
    const strict = nodeRestriction({ ...engines, dialect: cluster() });
    expect(() => strict.mutate?.(gone)).toThrow('node "me" is not allowed to delete node "me"');
  });
});

test('leases, CSI nodes and claims are their own, or only their status', () => {
  const group = 'coordination.k8s.io';
  const home = { namespace: 'kube-node-lease' };
  expect(write('leases', { name: 'me', ...home }, group)).not.toThrow();
  expect(write('leases', { name: 'you', ...home }, group)).toThrow('can only access node lease with the same name');
  expect(write('leases', { name: 'me' }, group)).toThrow('leases in the "kube-node-lease" system namespace');
  expect(write('csinodes', { name: 'you' }, 'storage.k8s.io')).toThrow('can only access CSINode with the same name');
  expect(write('persistentvolumeclaims', { operation: 'UPDATE' })).toThrow('may only update PVC status');
  const claim = (status: object) => object({ name: 'c' }, { status });
  const report = (status: object) =>
    write('persistentvolumeclaims', {
      ...{ operation: 'UPDATE', subresource: 'status', object: claim(status), oldObject: claim({}) },
    });
  expect(report({ capacity: { storage: '1Gi' } })).not.toThrow();
  const why = 'node "me" is not allowed to update fields other than status.quantity and status.conditions: @@ -';
  expect(report({ phase: 'Bound' })).toThrow(why);
  expect(report({ phase: 'Bound' })).toThrow(
    '"Status": {\n-  "Phase": "",\n+  "Phase": "Bound",\n   "AccessModes": null,\n   "Capacity": null,\n   "Conditions": null,\n',
  );
});

test('what cannot be read of a request for a certificate of a node is refused, unless the gate lets all of them pass', () => {
  const signerName = 'kubernetes.io/kube-apiserver-client-kubelet';
  const definition = resource('certificatesigningrequests', 'certificates.k8s.io');
  const asked = object({ name: 'r' }, { spec: { signerName, request: 'AAAA' } });
  const create = requestFor({ definition, user: me, object: asked });
  expect(() => plugin.mutate?.(create)).toThrow('unable to parse csr');
  const gates = { ...defaultGates, AllowInsecureKubeletCertificateSigningRequests: true };
  expect(nodeRestriction({ ...engines, gates }).mutate?.(create)).toBe(asked);
});

describe('certificates of pods', () => {
  const subject = {
    ...{ nodeName: 'me', nodeUID: 'node-uid', podName: 'own', podUID: 'u1' },
    ...{ serviceAccountName: 'robot', serviceAccountUID: 'sa-uid' },
  };
  const mirrored = object(
    { name: 'mirrored', uid: 'u5', annotations: { 'kubernetes.io/config.mirror': 'x' } },
    { spec: { nodeName: 'me', serviceAccountName: 'robot' } },
  );
  const running = object({ name: 'own', uid: 'u1' }, { spec: { nodeName: 'me', serviceAccountName: 'robot' } });
  const guarded = nodeRestriction({
    ...engines,
    objects: lookupOf({
      pods: [running, foreign, mirrored],
      nodes: [object({ name: 'me', uid: 'node-uid', namespace: undefined })],
      serviceaccounts: [object({ name: 'robot', uid: 'sa-uid' })],
    }),
  });
  const ask = (more: object, parts: Partial<AdmissionRequest> = {}) => {
    const definition = resource('podcertificaterequests', 'certificates.k8s.io');
    const request = { namespace: 'n', object: object({ name: 'r' }, { spec: { ...subject, ...more } }), ...parts };
    return (async () => void (await guarded.mutate?.(requestFor({ definition, user: me, ...request }))))();
  };

  test('are for pods that run there, as the account they run as', async () => {
    await expect(ask({})).resolves.toBeUndefined();
  });

  test.each([
    [{ nodeName: 'you' }, 403, 'PodCertificateRequest.Spec.NodeName="you", which is not the requesting node "me"'],
    [{ nodeUID: 'x' }, 500, 'names node UID "x", inconsistent with the running node ("node-uid")'],
    [
      { podName: 'gone' },
      500,
      'while retrieving pod "n/gone" named in the PodCertificateRequest: pod "gone" not found',
    ],
    [{ podUID: 'x' }, 500, 'contains pod UID ("x") which differs from running pod "u1"'],
    [{ podName: 'foreign', podUID: 'u2' }, 403, 'pod "n/foreign" is not running on node "me"'],
    [{ podName: 'mirrored', podUID: 'u5' }, 403, 'pod "n/mirrored" is a mirror pod'],
    [{ serviceAccountName: 'x' }, 403, 'contains serviceAccountName ("x") that differs from running pod ("robot")'],
    [{ serviceAccountUID: 'x' }, 500, 'which differs from the running service account ("sa-uid")'],
  ])('%j: %i', async (more, code, why) => {
    await expect(ask(more)).rejects.toMatchObject({ code, message: expect.stringContaining(why) as string });
  });

  test('are asked for, and nothing else is done to the requests', async () => {
    await expect(ask({}, { operation: 'UPDATE' })).rejects.toThrow('unexpected operation UPDATE');
    await expect(ask({}, { subresource: 'status' })).rejects.toThrow('unexpected subresource status');
  });
});
