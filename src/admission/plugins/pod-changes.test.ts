// Changes of pods that are on a node, and of what pods are scheduled with.

import { describe, expect, test } from 'vitest';
import { kubernetes as dialect } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ApiError } from '../../meta/status.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { AdmissionPlugin } from '../plugin.ts';
import { defaultGates, lookupOf, requestFor } from '../testing.ts';
import { nodeDeclaredFeatureValidator } from './node-declared-features.ts';
import { jobValidation, podGroupProtection, podGroupWorkloadExists } from './pod-groups.ts';
import { podResizeValidator } from './pod-resize-validator.ts';

const definition = (group: string, plural: string) =>
  ({ group, plural, version: 'v1', namespaced: true }) as ResourceDefinition;
const object = (metadata: object, spec: object = {}, more: object = {}): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'v1', metadata: { name: 'x', namespace: 'n', ...metadata }, spec },
  ...more,
});
const node = (name: string, os: string, status: object) =>
  object({ name, namespace: undefined, labels: { 'kubernetes.io/os': os } }, {}, { status });
const objects = lookupOf({
  nodes: [
    node('small', 'linux', { allocatable: { cpu: '2', memory: '1Gi' }, declaredFeatures: [] }),
    node('able', 'linux', { declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling'] }),
    node('other', 'windows', {}),
  ],
  workloads: [
    object({ name: 'w' }, { podGroupTemplates: [{ name: 't' }] }),
    object({ name: 'going', deletionTimestamp: '2026-01-01T00:00:00Z' }),
  ],
  podgroups: [
    object({ name: 'gang' }, { schedulingPolicy: { gang: { minCount: 2 } } }),
    object({ name: 'loose' }, { schedulingPolicy: { basic: {} } }),
    object(
      { name: 'owned', namespace: 'm', ownerReferences: [{ uid: 'job', controller: true }] },
      { schedulingPolicy: { gang: { minCount: 2 } } },
    ),
  ],
});
const gates = { ...defaultGates, GenericWorkload: true, WorkloadWithJob: true };
const pods = definition('', 'pods');

function change(plugin: AdmissionPlugin, old: object, next: object, generation = 2, subresource = 'resize') {
  const parts = { definition: pods, operation: 'UPDATE', subresource, verb: 'update' } as const;
  return plugin.validate?.(
    requestFor({ ...parts, oldObject: object({ generation: 1 }, old), object: object({ generation }, next) }),
  );
}

describe('a resize', () => {
  const plugin = podResizeValidator({ dialect, objects });
  const pod = (nodeName: string, cpu: string, memory = '1') => ({
    nodeName,
    overhead: { cpu: '500m' },
    containers: [{ resources: { requests: { cpu, memory } } }],
  });

  test('is held to what the node can give, with the overhead of the pod', () => {
    expect(() => change(plugin, pod('small', '1'), pod('small', '1500m', '1Gi'))).not.toThrow();
    expect(() => change(plugin, pod('small', '1'), pod('small', '2', '2Gi'))).toThrow(
      'pods "x" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 2500, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824',
    );
  });

  test('counts what the pod states for itself before what its containers do', () => {
    const stated = { ...pod('small', '9'), resources: { requests: { cpu: '1' } } };
    expect(() => change(plugin, pod('small', '1'), stated)).not.toThrow();
  });

  test('tells clients the reason', () => {
    const reasonOf = (nodeName: string) => {
      try {
        void change(plugin, pod(nodeName, '1'), pod(nodeName, '3'));
      } catch (error) {
        return (error as ApiError).details?.causes;
      }
      return undefined;
    };
    expect(reasonOf('small')).toEqual([{ reason: 'NodeCapacity' }]);
    expect(reasonOf('other')).toEqual([{ reason: 'UnsupportedPlatform' }]);
  });

  test('needs a node that is there, and that runs Linux', () => {
    expect(() => change(plugin, pod('gone', '1'), pod('gone', '2'))).toThrow('node "gone" not found');
    expect(() => change(plugin, pod('other', '1'), pod('other', '2'))).toThrow(
      'pod resize is only supported on linux nodes, node "other" is "windows"',
    );
    expect(() => change(plugin, pod('', '1'), pod('', '99'))).not.toThrow();
    expect(() => change(plugin, pod('gone', '1'), pod('gone', '2'), 1)).not.toThrow();
  });
});

describe('what a node has to declare for a change', () => {
  const plugin = nodeDeclaredFeatureValidator({ objects, gates });
  const resized = (nodeName: string, cpu: string) => ({ nodeName, resources: { requests: { cpu } } });
  const started = (cpu: string, more: object = {}) => ({
    nodeName: 'able',
    initContainers: [{ resources: { requests: { cpu } }, ...more }],
  });

  test('is needed for resources of the pod as a whole', () => {
    expect(() => change(plugin, resized('able', '1'), resized('able', '2'), 2, '')).not.toThrow();
    expect(() => change(plugin, resized('small', '1'), resized('small', '2'))).toThrow(
      'pod update requires features InPlacePodLevelResourcesVerticalScaling which are not available on node "small"',
    );
    expect(() => change(plugin, resized('gone', '1'), resized('gone', '2'))).toThrow('node "gone" not found');
    expect(() => change(plugin, resized('gone', '1'), resized('gone', '1'))).not.toThrow();
  });

  test('is needed for containers that run before the others, unless they go on running', () => {
    expect(() => change(plugin, started('1'), started('2'))).toThrow('InPlacePodVerticalScalingInitContainers');
    const sidecar = { restartPolicy: 'Always' };
    expect(() => change(plugin, started('1', sidecar), started('2', sidecar))).not.toThrow();
  });

  test('is not looked at with the gate off', () => {
    const off = nodeDeclaredFeatureValidator({ objects, gates: { ...gates, NodeDeclaredFeatures: false } });
    expect([plugin.covers(pods, 'resize', 'UPDATE'), off.covers(pods, 'resize', 'UPDATE')]).toEqual([true, false]);
  });
});

describe('groups of pods', () => {
  const groups = definition('scheduling.k8s.io', 'podgroups');
  const jobs = definition('batch', 'jobs');
  const engines = { dialect, objects, gates };

  test('get the finalizer that holds them, once', () => {
    const { mutate } = podGroupProtection(engines);
    const once = mutate?.(requestFor({ definition: groups, object: object({}) })) as ApiObject;
    expect(once.metadata.finalizers).toEqual(['scheduling.k8s.io/podgroup-protection']);
    expect(mutate?.(requestFor({ definition: groups, object: once }))).toBe(once);
  });

  test.each([
    [{ workloadName: 'w', podGroupTemplateName: 't' }, undefined],
    [{ workloadName: 'w', podGroupTemplateName: 'u' }, 'PodGroupTemplate "u" not found in Workload "w"'],
    [{ workloadName: 'going', podGroupTemplateName: 't' }, 'Workload "going" is being deleted'],
    [{ workloadName: 'gone', podGroupTemplateName: 't' }, 'Workload "gone" not found'],
  ])('name a template that there is: %j', (workload, why) => {
    const { validate } = podGroupWorkloadExists(engines);
    const create = () =>
      validate?.(
        requestFor({ definition: groups, object: object({}, { podGroupTemplateRef: { workload } }), name: 'g' }),
      );
    if (why === undefined) expect(create).not.toThrow();
    else expect(create).toThrow(`podgroups.scheduling.k8s.io "g" is forbidden: PodGroup rejected: ${why}`);
  });

  test.each([
    ['gang', 'n', 'cannot change parallelism for a Job referencing gang-scheduled PodGroup "gang"'],
    ['loose', 'n', undefined],
    ['gone', 'n', undefined],
    [undefined, 'm', 'cannot change parallelism for a Job referencing gang-scheduled PodGroup "owned"'],
    [undefined, 'n', undefined],
  ])('keep the number of pods of a job whose group is %s in %s', (podGroupName, namespace, why) => {
    const { validate } = jobValidation(engines);
    const template = podGroupName === undefined ? {} : { spec: { schedulingGroup: { podGroupName } } };
    const job = (parallelism: number) => object({ namespace, uid: 'job' }, { parallelism, template });
    const update = (next: number) => () =>
      validate?.(requestFor({ definition: jobs, operation: 'UPDATE', object: job(next), oldObject: job(2) }));
    expect(update(2)).not.toThrow();
    if (why === undefined) expect(update(3)).not.toThrow();
    else expect(update(3)).toThrow(why);
  });

  test('are not looked at with the gates off', () => {
    const off = { dialect, objects, gates: { ...gates, GenericWorkload: false, WorkloadWithJob: false } };
    expect(podGroupProtection(off).covers(groups, '', 'CREATE')).toBe(false);
    expect(podGroupWorkloadExists(off).covers(groups, '', 'CREATE')).toBe(false);
    expect(jobValidation(off).covers(jobs, '', 'UPDATE')).toBe(false);
  });
});
