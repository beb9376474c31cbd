// Plugins that are off by default.

import { describe, expect, test } from 'vitest';
import type { AccessAttributes } from '../../meta/access.ts';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { loopbackUser } from '../../meta/user.ts';
import type { ObjectAccess } from '../../schema/object-access.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { defaultGates, lookupOf, requestFor } from '../testing.ts';
import { alwaysDeny } from './always.ts';
import { limitPodHardAntiAffinityTopology } from './anti-affinity-topology.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { denyServiceExternalIPs } from './external-addresses.ts';
import { alwaysPullImages } from './image-pulls.ts';
import { namespaceAutoProvision, namespaceExists } from './namespace-existence.ts';
import { ownerReferencesPermissionEnforcement } from './owner-permissions.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { securityContextDeny } from './security-context-deny.ts';
import { mergedTolerations } from './tolerations.ts';

const dialect = kubernetes;
const pods = { group: '', plural: 'pods', version: 'v1', namespaced: true } as ResourceDefinition;
const object = (spec: object, metadata: object = {}): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { name: 'x', namespace: 'n', ...metadata }, spec },
});

describe('namespaces that are missing', () => {
  const objects = lookupOf({ namespaces: [object({}, { name: 'there', namespace: undefined })] });
  const request = (namespace: string, dryRun = false) =>
    requestFor({ definition: pods, object: object({}, { namespace }), dryRun });

  test('are reported', () => {
    const { validate } = namespaceExists({ objects });
    expect(() => validate?.(request('there'))).not.toThrow();
    expect(() => validate?.(request('missing'))).toThrow('namespaces "missing" not found');
  });

  test('are made, and planned in a dry run', async () => {
    const made: unknown[] = [];
    const create: ObjectAccess['create'] = async (_, namespace, options) => {
      made.push([namespace.metadata.name, options?.dryRun]);
      return namespace;
    };
    const { mutate } = namespaceAutoProvision({ objects, create });
    const ask = async (namespace: string, dryRun: boolean) => {
      const admitted = request(namespace, dryRun);
      await mutate?.(admitted);
      return admitted.plannedNamespace?.metadata.name;
    };
    expect([await ask('there', true), await ask('missing', true), await ask('missing', false)]).toEqual([
      undefined,
      'missing',
      undefined,
    ]);
    expect(made).toEqual([
      ['missing', true],
      ['missing', false],
    ]);
  });

  test('that cannot be made refuse the request', async () => {
    const create = async () => {
      throw badRequest('no such name');
    };
    const { mutate } = namespaceAutoProvision({ objects, create });
    await expect(mutate?.(request('missing'))).rejects.toThrow('pods "x" is forbidden: no such name');
  });
});

test('images are pulled for every pod, in every container', () => {
  const plugin = alwaysPullImages();
  const spec = {
    initContainers: [{ image: 'a' }],
    containers: [{ image: 'b', imagePullPolicy: 'Never' }],
    ephemeralContainers: [{ image: 'c' }],
    volumes: [{ name: 'v', image: { reference: 'd' } }],
  };
  const pulled = plugin.mutate?.(requestFor({ definition: pods, object: object(spec) }));
  expect(pulled).toMatchObject({
    spec: {
      initContainers: [{ imagePullPolicy: 'Always' }],
      containers: [{ imagePullPolicy: 'Always' }],
      ephemeralContainers: [{ imagePullPolicy: 'Always' }],
      volumes: [{ image: { pullPolicy: 'Always' } }],
    },
  });
  expect(() => plugin.validate?.(requestFor({ definition: pods, object: object(spec) }))).toThrow(
    'spec.initContainers[0].imagePullPolicy: Unsupported value: "": supported values: "Always"',
  );
  expect(() => plugin.validate?.(requestFor({ definition: pods, object: object(spec) }))).toThrow(
    'pods "x" is forbidden: spec.volumes[0].image.pullPolicy: Unsupported value: "": supported values: "Always"]',
  );
  const same = { definition: pods, operation: 'UPDATE', object: object(spec), oldObject: object(spec) } as const;
  expect(plugin.mutate?.(requestFor(same))).toBe(same.object);
});

test('pods keep others off their node only', () => {
  const plugin = limitPodHardAntiAffinityTopology({ dialect });
  const validate = (topologyKey: string) => () => {
    const required = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] };
    return plugin.validate?.(
      requestFor({ definition: pods, object: object({ affinity: { podAntiAffinity: required } }) }),
    );
  };
  expect(validate('kubernetes.io/hostname')).not.toThrow();
  expect(validate('zone')).toThrow('has TopologyKey zone but only key kubernetes.io/hostname is allowed');
});

test('special resources are tolerated by those who ask for them, once', () => {
  const plugin = extendedResourceToleration({ dialect });
  const gpu = { key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' };
  const containers = [{ resources: { requests: { 'example.com/gpu': '1', cpu: '1' } } }];
  const admit = (tolerations?: object[]) =>
    plugin.mutate?.(requestFor({ definition: pods, object: object({ containers, tolerations }) }));
  expect(admit()).toMatchObject({ spec: { tolerations: [gpu] } });
  expect(admit([gpu])).toMatchObject({ spec: { tolerations: [gpu] } });
  expect(admit([{ key: 'x' }])).toMatchObject({ spec: { tolerations: [{ key: 'x' }, gpu] } });
});

test('external addresses may go, and not come', () => {
  const plugin = denyServiceExternalIPs();
  const definition = { group: '', plural: 'services' } as ResourceDefinition;
  const change = (next: string[], old?: string[]) => () =>
    plugin.validate?.(
      requestFor({
        definition,
        object: object({ externalIPs: next }),
        ...(old && { operation: 'UPDATE', oldObject: object({ externalIPs: old }) }),
      }),
    );
  expect(change([])).not.toThrow();
  expect(change(['1.2.3.4'])).toThrow('Use of external IPs is denied by admission control');
  expect(change(['1.2.3.4'], ['1.2.3.4', '1.2.3.5'])).not.toThrow();
  expect(change(['1.2.3.4', '1.2.3.6'], ['1.2.3.4'])).toThrow();
});

test.each([
  [{ securityContext: { fsGroup: 0 } }, 'pod.Spec.SecurityContext.FSGroup is forbidden'],
  [{ initContainers: [{ securityContext: { runAsUser: 0 } }] }, 'SecurityContext.RunAsUser is forbidden'],
  [
    { ephemeralContainers: [{ securityContext: { seLinuxOptions: {} } }] },
    'SecurityContext.SELinuxOptions is forbidden',
  ],
  [{ containers: [{ securityContext: { privileged: false } }] }, undefined],
])('pods do not choose the user they run as: %j', (spec, why) => {
  const validate = () => securityContextDeny().validate?.(requestFor({ definition: pods, object: object(spec) }));
  if (why === undefined) expect(validate).not.toThrow();
  else expect(validate).toThrow(why);
});

test('nothing is let in but what the server needs itself', () => {
  const { mutate } = alwaysDeny();
  expect(() => mutate?.(requestFor({ definition: pods, object: object({}) }))).toThrow(
    'pods "x" is forbidden: admission control is denying all modifications',
  );
  expect(() => mutate?.(requestFor({ definition: pods, user: loopbackUser }))).not.toThrow();
});

describe('owners', () => {
  const owner = (uid: string, blockOwnerDeletion?: boolean) => ({
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid },
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  });
  const asked: string[] = [];
  const plugin = (...allowed: string[]) =>
    ownerReferencesPermissionEnforcement({
      access: {
        decide({ verb, resource, subresource }: AccessAttributes) {
          const what = `${verb} ${resource}/${subresource}`;
          asked.push(what);
          return allowed.includes(what) ? { kind: 'allow' } : { kind: 'noOpinion', reason: 'no rule' };
        },
      },
      resourceOf: (_, __, kind) =>
        kind === 'ReplicaSet' ? ({ plural: 'replicasets', namespaced: true } as ResourceDefinition) : undefined,
    });
  const change = (next: object[], old?: object[]) =>
    requestFor({
      definition: pods,
      object: object({}, { ownerReferences: next }),
      ...(old && { operation: 'UPDATE', oldObject: object({}, { ownerReferences: old }) }),
    });

  test('change only with the right to delete', () => {
    expect(() => plugin().validate?.(change([owner('a')], []))).toThrow(
      "cannot set an ownerRef on a resource you can't delete: no rule, <nil>",
    );
    expect(() => plugin('delete pods/').validate?.(change([owner('a')], []))).not.toThrow();
    expect(() => plugin().validate?.(change([owner('a')]))).not.toThrow();
    expect(() => plugin().validate?.(change([owner('a')], [owner('a')]))).not.toThrow();
  });

  test('are held up only with a right on their finalizers', async () => {
    const validate = async (allowed: string[], one: object) => plugin(...allowed).validate?.(change([one]));
    const blocking = owner('a', true);
    await expect(validate([], blocking)).rejects.toThrow("a resource you can't set finalizers on");
    await expect(validate(['update replicasets/finalizers'], blocking)).resolves.toBeUndefined();
    await expect(validate([], { ...blocking, kind: 'Tree' })).rejects.toThrow(
      'cannot find RESTMapping for APIVersion apps/v1 Kind Tree',
    );
  });

  test('that are many make the request long', async () => {
    const owners = Array.from({ length: 1000 }, (_, i) => owner(`${i}`, true));
    const long = {
      ...change(owners),
      moveIfPossible: () => {
        throw new Error('moved');
      },
    };
    await expect((async () => plugin('update replicasets/finalizers').validate?.(long))()).rejects.toThrow('moved');
  });

  test('that were held up before need no new right for it', () => {
    const next = [owner('a', true), owner('b')];
    expect(() => plugin('delete pods/').validate?.(change(next, [owner('a', true)]))).not.toThrow();
  });
});

test('a pod says where its node is', () => {
  const labels = { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', other: 'o' };
  const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'w', labels } };
  const plugin = podTopologyLabels({ dialect, objects: lookupOf({ nodes: [node] }), gates: defaultGates });
  const { other: _, ...wanted } = labels;
  const labelsOf = (sent: ApiObject, subresource = '') => {
    const made = plugin.mutate?.(requestFor({ definition: pods, subresource, object: sent })) as ApiObject | undefined;
    return made?.metadata.labels;
  };
  expect(labelsOf({ ...object({}), target: { kind: 'Node', name: 'w' } }, 'binding')).toEqual(wanted);
  expect(labelsOf(object({ nodeName: 'w' }, { labels: { app: 'a' } }))).toEqual({ app: 'a', ...wanted });
  // what says nothing about the kind of its target gets none
  expect(labelsOf({ ...object({}), target: { name: 'w' } }, 'binding')).toBeUndefined();
  expect(plugin.covers({ group: '', plural: 'bindings' } as ResourceDefinition, '', 'CREATE')).toBe(false);
  const free = object({});
  expect(plugin.mutate?.(requestFor({ definition: pods, object: free }))).toBe(free);
});

test.each([
  [[{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'Equal', value: 'v' }], [0]],
  [[{ key: 'a', operator: 'Equal', value: 'v' }], [{ operator: 'Exists' }], [1]],
  [[{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'Exists' }], [0]],
  [
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }],
    [0, 1],
  ],
  [
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 9 }],
    [1],
  ],
])('of %j and %j those that matter stay', (first, second, kept) => {
  const all = [...first, ...second];
  expect(mergedTolerations(first, second)).toEqual(kept.map((index) => all[index]));
});
