import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../../meta/dialect.ts';
import { FakeClock } from '../../../../testing/fake-clock.ts';
import { rulesOf } from '../../../../testing/kind-rules.ts';
import { pod } from './pod.ts';
import type { Pod } from './pod-type.ts';

const rules = rulesOf(pod);
const context = { dialect: kubernetes, clock: new FakeClock() };
const base = { name: 'c', image: 'i' };
const spec = (more: object = {}) => ({ spec: { containers: [base], ...more } });

function through(name: string, next: object, old: object): string[] {
  const part = pod.subresources?.find((one) => one.name === name);
  if (part?.is !== 'part') throw new Error(`${name} is no part`);
  const before = rules.defaulted(old);
  const merged = part.merge(rules.defaulted(next), before, context);
  const found = part.validateUpdate?.(merged, before, context) ?? [];
  return found.map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);
}

describe('a change of a pod', () => {
  test.each<[string, object, object, string[]]>([
    ['an image', spec({ containers: [{ ...base, image: 'j' }] }), spec(), []],
    [
      'no image',
      spec({ containers: [{ name: 'c', imagePullPolicy: 'Always' }] }),
      spec(),
      ['Required spec.containers[0].image', 'Required spec.containers[0].image'],
    ],
    ['a command', spec({ containers: [{ ...base, command: ['x'] }] }), spec(), ['Forbidden spec']],
    ['another container', spec({ containers: [base, { ...base, name: 'd' }] }), spec(), ['Forbidden spec.containers']],
    [
      'a later deadline, and nothing else is looked at',
      spec({ activeDeadlineSeconds: 9, hostname: 'h' }),
      spec({ activeDeadlineSeconds: 3 }),
      ['Invalid spec.activeDeadlineSeconds'],
    ],
    ['no deadline any more', spec(), spec({ activeDeadlineSeconds: 3 }), ['Invalid spec.activeDeadlineSeconds']],
    [
      'an amount in another unit',
      spec({ containers: [{ ...base, resources: { limits: { memory: '1073741824', cpu: '1e3' } } }] }),
      spec({ containers: [{ ...base, resources: { limits: { memory: '1Gi', cpu: '1k' } } }] }),
      [],
    ],
    [
      'another amount',
      spec({ containers: [{ ...base, resources: { limits: { memory: '1G' } } }] }),
      spec({ containers: [{ ...base, resources: { limits: { memory: '1Gi' } } }] }),
      ['Forbidden spec'],
    ],
    [
      'a wrong toleration',
      spec({ tolerations: [{ key: 'a', effect: 'Odd' }] }),
      spec(),
      ['NotSupported spec.tolerations[0].effect', 'NotSupported spec.tolerations[0].effect'],
    ],
  ])('%s', (_, next, old, expected) => expect(rules.update(next, old)).toEqual(expected));
});

describe('annotations', () => {
  const named = (key: string, value: string, more: object = {}) => ({
    metadata: { name: 'x', namespace: 'n', annotations: { [key]: value } },
    ...spec(more),
  });
  const mirror = 'kubernetes.io/config.mirror';
  const cost = 'controller.kubernetes.io/pod-deletion-cost';
  const armor = 'container.apparmor.security.beta.kubernetes.io/d';
  test.each<[string, object, string[]]>([
    ['a mirror of nothing', named(mirror, 'x'), [`Invalid metadata.annotations[${mirror}]`]],
    ['a mirror on a node', named(mirror, 'x', { nodeName: 'n' }), []],
    ['a cost', named(cost, '-10'), []],
    ['no cost', named(cost, '+1'), [`Invalid metadata.annotations[${cost}]`]],
    ['armour of no container', named(armor, 'unconfined'), [`Invalid metadata.annotations[${armor}]`]],
    [
      'a strange profile',
      named('seccomp.security.alpha.kubernetes.io/pod', 'x'),
      ['Invalid metadata.annotations.seccomp.security.alpha.kubernetes.io/pod'],
    ],
  ])('%s', (_, object, expected) => expect(rules.create(object)).toEqual(expected));

  test('that bind a pod to its node stay', () => {
    const was = named(mirror, 'a', { nodeName: 'n' });
    expect(rules.update(named(mirror, 'b', { nodeName: 'n' }), was)).toEqual([
      `Forbidden metadata.annotations[${mirror}]`,
    ]);
  });
});

describe('the status', () => {
  const status = (more: NonNullable<Pod['status']>, of: object = {}) => ({ ...spec(of), status: more });
  test.each<[string, object, object, string[]]>([
    [
      'a condition with a strange name',
      status({ conditions: [{ type: 'a b' }] }),
      status({}),
      ['Invalid status.conditions[0].Type'],
    ],
    [
      'two addresses of a family',
      status({ podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] }),
      status({}),
      ['Invalid status.podIPs'],
    ],
    [
      'addresses of the node that differ',
      status({ hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] }),
      status({}),
      ['Invalid status.hostIPs[0].ip'],
    ],
    [
      'the dead alive again',
      status({ containerStatuses: [{ name: 'c', state: { running: {} } }] }, { restartPolicy: 'Never' }),
      status(
        { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0 } } }] },
        { restartPolicy: 'Never' },
      ),
      ['Forbidden status.containerStatuses[0].state'],
    ],
    [
      'claims that the pod does not have',
      status({ resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'A' }, { name: 'a' }] }),
      status({}),
      [
        'Invalid status.resourceClaimStatuses[0].name',
        'Invalid status.resourceClaimStatuses[0].resourceClaimName',
        'Invalid status.resourceClaimStatuses[1].name',
        'Duplicate status.resourceClaimStatuses[1].name',
      ],
    ],
    [
      'no user',
      status({ containerStatuses: [{ name: 'c', user: { linux: { uid: -1, gid: 0 } } }] }),
      status({}),
      ['Invalid status.containerStatuses[0].user.linux.uid'],
    ],
    [
      'a user on Windows',
      status({ initContainerStatuses: [{ name: 'c', user: { linux: { uid: 1, gid: 0 } } }] }),
      status({}, { os: { name: 'windows' } }),
      ['Forbidden status.initContainerStatuses[0].user.linux'],
    ],
    [
      'the health of what was not asked for',
      status({
        containerStatuses: [
          {
            name: 'c',
            allocatedResourcesStatus: [
              {
                name: 'example.com/gpu',
                resources: [
                  { resourceID: '1', health: 'Odd' },
                  { resourceID: '1', health: 'Healthy' },
                ],
              },
              { name: 'claim:a' },
            ],
          },
        ],
        ephemeralContainerStatuses: [{ name: 'e', allocatedResourcesStatus: [{ name: 'cpu' }] }],
      }),
      status({}),
      [
        'Invalid status.containerStatuses[0].allocatedResourcesStatus[0].name',
        'NotSupported status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health',
        'Duplicate status.containerStatuses[0].allocatedResourcesStatus[0].resources[1].resourceID',
        'Invalid status.containerStatuses[0].allocatedResourcesStatus[1].name',
        'Forbidden status.ephemeralContainerStatuses[0].allocatedResourcesStatus',
      ],
    ],
  ])('%s', (_, next, old, expected) => expect(through('status', next, old)).toEqual(expected));
});

test('a status that says nothing of generations leaves what was said of them', () => {
  const part = pod.subresources?.find(({ name }) => name === 'status');
  const reported = (status: NonNullable<Pod['status']>) => rules.defaulted({ ...spec(), status });
  const merged = (next: NonNullable<Pod['status']>) =>
    part?.is === 'part'
      ? (part.merge(
          reported(next),
          reported({
            observedGeneration: 3,
            conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2 }, { type: 'A' }],
          }),
          context,
        ) as Pod)
      : undefined;
  const after = merged({ conditions: [{ type: 'Ready', status: 'False' }, { type: 'Ready' }, { type: 'A' }] })?.status;
  expect(after?.observedGeneration).toBe(3);
  expect(after?.conditions?.map((one) => one.observedGeneration)).toEqual([2, undefined, undefined]);
  expect(merged({ observedGeneration: 4 })?.status?.observedGeneration).toBe(4);
});

describe('a resize', () => {
  const sized = (requests: object, limits: object = {}) =>
    spec({ containers: [{ ...base, resources: { requests, limits } }] });
  test.each<[string, object, object, string[]]>([
    ['more', sized({ cpu: '2' }), sized({ cpu: '1' }), []],
    ['another class of service', sized({ cpu: '1' }), spec(), ['Invalid spec']],
    [
      'nothing any more',
      sized({ cpu: '1' }),
      sized({ cpu: '1', memory: '1' }),
      ['Forbidden spec.containers[0].resources.requests'],
    ],
    [
      'on Windows',
      sized({ cpu: '2' }),
      { spec: { ...sized({ cpu: '1' }).spec, os: { name: 'windows' } } },
      ['Forbidden []'],
    ],
    [
      'on a node that cannot',
      sized({ cpu: '2' }),
      { ...sized({ cpu: '1' }), status: { containerStatuses: [{ name: 'c', state: { running: {} } }] } },
      ['Forbidden spec'],
    ],
  ])('%s', (_, next, old, expected) => expect(through('resize', next, old)).toEqual(expected));
});

describe('while gates hold a pod', () => {
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms`;
  const a = { key: 'a', operator: 'Exists' };
  const b = { key: 'b', operator: 'Exists' };
  const gated = (more: object) => spec({ schedulingGates: [{ name: 'example.com/g' }], ...more });
  const near = (...all: object[][]) => ({
    affinity: { nodeAffinity: { [required]: { nodeSelectorTerms: all.map((m) => ({ matchExpressions: m })) } } },
  });
  test.each<[string, object, object, string[]]>([
    ['labels of nodes are added', { nodeSelector: { x: '1', y: '2' } }, { nodeSelector: { x: '1' } }, []],
    ['none goes', { nodeSelector: { y: '2' } }, { nodeSelector: { x: '1' } }, ['Invalid spec.nodeSelector']],
    ['an affinity comes', near([a]), {}, []],
    ['a requirement comes', near([a, b]), near([a]), []],
    ['no requirement changes', near([b, a]), near([a]), [`Invalid ${terms}[0]`]],
    ['no term comes', near([a], [b]), near([a]), [`Invalid ${terms}`]],
    ['no term goes', {}, near([a]), [`Invalid ${terms}`]],
    ['a term that selects nothing stays so', near([a]), near([]), [`Invalid ${terms}[0]`]],
    ['other fields stay', { hostname: 'h' }, {}, ['Forbidden spec']],
    [
      'affinity to pods stays',
      { affinity: { podAffinity: { [required]: [{ topologyKey: 'z', labelSelector: {} }] } } },
      {},
      ['Forbidden spec'],
    ],
  ])('%s', (_, next, old, expected) => expect(rules.update(gated(next), gated(old))).toEqual(expected));

  test('afterwards the choice of nodes stays', () => {
    expect(rules.update(spec({ nodeSelector: { x: '1' } }), spec())).toEqual(['Forbidden spec']);
  });
});

describe('profiles that are annotated and said by fields', () => {
  const seccomp = 'seccomp.security.alpha.kubernetes.io/pod';
  const ofContainer = 'container.seccomp.security.alpha.kubernetes.io/c';
  const armor = 'container.apparmor.security.beta.kubernetes.io/c';
  const made = (key: string, value: string, profile: object, name = 'seccompProfile', where = 'pod') => ({
    metadata: { name: 'x', namespace: 'n', annotations: { [key]: value } },
    ...(where === 'pod'
      ? spec({ securityContext: { [name]: profile } })
      : spec({ containers: [{ ...base, securityContext: { [name]: profile } }] })),
  });
  const local = { type: 'Localhost', localhostProfile: 'a' };
  test.each<[string, object, string[]]>([
    ['agree', made(seccomp, 'docker/default', { type: 'RuntimeDefault' }), []],
    [
      'differ',
      made(seccomp, 'unconfined', { type: 'RuntimeDefault' }),
      ['Forbidden spec.securityContext.seccompProfile.type'],
    ],
    [
      'differ in name',
      made(ofContainer, 'localhost/b', local, 'seccompProfile', 'container'),
      ['Forbidden spec.containers[0].securityContext.seccompProfile.localhostProfile'],
    ],
    [
      'differ for armour',
      made(armor, 'unconfined', local, 'appArmorProfile', 'container'),
      ['Forbidden spec.containers[0].securityContext.appArmorProfile.type'],
    ],
    ['agree for armour', made(armor, 'localhost/a', local, 'appArmorProfile', 'container'), []],
  ])('%s', (_, object, expected) => expect(rules.create(object)).toEqual(expected));
});

test('what a node runs of its own accord is not debugged', () => {
  const static_ = {
    metadata: { name: 'x', namespace: 'n', annotations: { 'kubernetes.io/config.mirror': 'm' } },
    ...spec({ nodeName: 'n' }),
  };
  expect(through('ephemeralcontainers', spec({ ephemeralContainers: [{ ...base, name: 'd' }] }), static_)).toEqual([
    'Forbidden []',
  ]);
});

test('a pod is not on a node while gates hold it', () => {
  expect(rules.create(spec({ nodeName: 'n', schedulingGates: [{ name: 'g' }] }))).toEqual(['Forbidden spec.nodeName']);
});
