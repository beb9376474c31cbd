import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { newErrors, rulesOf } from '../../../testing/kind-rules.ts';
import { cronJob } from '../../batch/v1/cron-job.ts';
import { controllerRevision } from './controller-revision.ts';
import { daemonSet } from './daemon-set.ts';
import { deployment } from './deployment.ts';
import { replicaSet } from './replica-set.ts';
import { statefulSet } from './stateful-set.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };
const labels = { app: 'a' };
const podSpec = { containers: [{ name: 'c', image: 'i' }] };

function made({ kind, strategy }: KindDefinition, spec: object = {}): ApiObject {
  const base = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
  const object = { kind, apiVersion: 'apps/v1', metadata: { name: 'n' }, spec: { ...base, ...spec } };
  return strategy?.defaults?.(object, context) ?? object;
}

const problems = (kind: KindDefinition, spec: object) => lines(newErrors(kind, made(kind, spec), context));

const owners: readonly [string, KindDefinition, string, string][] = [
  ['Deployment', deployment, 'ReplicaSet', 'deployment'],
  ['ReplicaSet', replicaSet, 'ReplicaSet', 'deployment'],
  ['StatefulSet', statefulSet, 'StatefulSet', 'statefulset'],
  ['DaemonSet', daemonSet, 'DaemonSet', 'daemonset'],
];

describe.each(owners)('%s', (_, kind, word, selectorWord) => {
  test('is in order with a selector that finds its pods', () => {
    expect(problems(kind, {})).toEqual([]);
  });

  test.each<[string, object, readonly string[]]>([
    [
      'without a selector',
      { selector: null },
      [
        ...(word === 'DaemonSet' ? [] : ['spec.selector: Required value']),
        'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      ],
    ],
    [
      'that selects everything',
      { selector: {} },
      [`spec.selector: Invalid value: {}: empty selector is invalid for ${selectorWord}`],
    ],
    [
      'that selects other pods',
      { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['a'] }] } },
      ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
    ],
    [
      'whose pods end',
      {
        template: { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'OnFailure', activeDeadlineSeconds: 5 } },
      },
      [
        'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
        `spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ${word} is not Supported`,
      ],
    ],
    [
      'with negative patience',
      { minReadySeconds: -1 },
      ['spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('is refused %s', (_title, spec, expected) => {
    const found = problems(kind, spec);
    expect(found).toEqual(expect.arrayContaining([...expected]));
    expect(found).toHaveLength(expected.length);
  });
});

describe('rolling updates', () => {
  test.each<[KindDefinition, object, readonly string[]]>([
    [deployment, { strategy: { rollingUpdate: { maxUnavailable: 1 } } }, []],
    [
      deployment,
      { strategy: { rollingUpdate: { maxUnavailable: '0%', maxSurge: 0 } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    ],
    [
      deployment,
      { strategy: { type: 'Odd' } },
      [
        'spec.strategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      deployment,
      { minReadySeconds: 600 },
      ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ],
    [daemonSet, { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } }, []],
    [
      daemonSet,
      { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    ],
    [
      daemonSet,
      { updateStrategy: { rollingUpdate: { maxSurge: '10%' } } },
      [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero',
      ],
    ],
    [statefulSet, { updateStrategy: { type: 'OnDelete' } }, []],
    [
      statefulSet,
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: -1 } } },
      ['spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      statefulSet,
      { podManagementPolicy: 'Odd', persistentVolumeClaimRetentionPolicy: { whenScaled: 'Burn' } },
      [
        "spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'",
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Burn": supported values: "Retain", "Delete"',
      ],
    ],
  ])('%#: %j', (kind, spec, expected) => {
    expect(problems(kind, spec)).toEqual(expected);
  });

  test('get limits only where they roll', () => {
    expect(made(deployment, { strategy: { type: 'Recreate' } })['spec']).toMatchObject({
      strategy: { type: 'Recreate' },
    });
    expect(JSON.stringify(made(daemonSet, { updateStrategy: { type: 'OnDelete' } }))).not.toContain('maxSurge');
  });
});

describe('reports', () => {
  const report = (kind: KindDefinition, status: object, old: object = {}) => {
    const part = kind.subresources?.find(({ name }) => name === 'status') as PartSubresource;
    return lines(part.validateUpdate?.({ ...made(kind), status }, { ...made(kind), status: old }, context));
  };

  test.each<[KindDefinition, object, object, readonly string[]]>([
    [replicaSet, { replicas: 2, fullyLabeledReplicas: 2, readyReplicas: 2, availableReplicas: 1 }, {}, []],
    [
      replicaSet,
      { replicas: 1, fullyLabeledReplicas: 2 },
      {},
      ['status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    ],
    [
      statefulSet,
      { replicas: 1, readyReplicas: 0, availableReplicas: 1 },
      {},
      ['status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas'],
    ],
    [daemonSet, { numberReady: -1 }, {}, ['status.numberReady: Invalid value: -1: must be greater than or equal to 0']],
    [
      deployment,
      { collisionCount: 1 },
      { collisionCount: 2 },
      ['status.collisionCount: Invalid value: 1: cannot be decremented'],
    ],
    [daemonSet, {}, { collisionCount: 2 }, ['status.collisionCount: Invalid value: 0: cannot be decremented']],
  ])('%#: %j after %j', (kind, status, old, expected) => {
    expect(report(kind, status, old)).toEqual(expected);
  });
});

describe('tables', () => {
  const columnsOf = ({ columns = [] }: KindDefinition) =>
    columns.map(({ name, type, format = '', priority }) => [name, type, format, priority].join('|'));
  const wide = ['Containers|string||1', 'Images|string||1'];

  test.each<[KindDefinition, readonly string[]]>([
    [
      replicaSet,
      [
        'Name|string|name|0',
        'Desired|integer||0',
        'Current|integer||0',
        'Ready|integer||0',
        'Age|string||0',
        ...wide,
        'Selector|string||1',
      ],
    ],
    [statefulSet, ['Name|string|name|0', 'Ready|string||0', 'Age|string||0', ...wide]],
    [
      daemonSet,
      [
        'Name|string|name|0',
        'Desired|integer||0',
        'Current|integer||0',
        'Ready|integer||0',
        'Up-to-date|integer||0',
        'Available|integer||0',
        'Node Selector|string||0',
        'Age|string||0',
        ...wide,
        'Selector|string||1',
      ],
    ],
    [controllerRevision, ['Name|string|name|0', 'Controller|string||0', 'Revision|string||0', 'Age|string||0']],
  ])('%#', (kind, expected) => {
    expect(columnsOf(kind)).toEqual(expected);
  });

  test('a revision names its controller', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true };
    const object = { ...made(controllerRevision), metadata: { name: 'r', ownerReferences: [owner] }, revision: 3 };
    expect(controllerRevision.columns?.map(({ cell }) => cell(object, context))).toEqual([
      'r',
      'daemonset.apps/d',
      3,
      '<unknown>',
    ]);
  });
});

test.each<[object, readonly string[]]>([
  [{ data: {}, revision: 0 }, []],
  [{ data: null, revision: 0 }, ['data: Required value: data is mandatory']],
  [{ data: [], revision: 0 }, ['data: Required value: data must be a valid JSON object']],
  [{ data: {}, revision: -1 }, ['revision: Invalid value: -1: must be greater than or equal to 0']],
])('a revision %j: %j', (fields, expected) => {
  const object = { kind: 'ControllerRevision', apiVersion: 'apps/v1', metadata: {}, ...fields };
  const { validate, validateCreate } = controllerRevision.strategy ?? {};
  expect(lines([...(validateCreate?.(object, context) ?? []), ...(validate?.(object, context) ?? [])])).toEqual(
    expected,
  );
});

describe('what a cluster refuses', () => {
  const refusing = { dialect: kubernetes, clock: new FakeClock(), refusesPrivileged: true };
  const privileged = { name: 'c', image: 'i', securityContext: { privileged: true } };
  const runs = (restartPolicy: string) => ({ containers: [privileged], restartPolicy });
  const forever = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: runs('Always') },
  };
  const toTheEnd = { template: { spec: runs('Never') } };

  test.each<[KindDefinition, object, string]>([
    [deployment, forever, 'spec.template'],
    [statefulSet, forever, 'spec.template'],
    [daemonSet, forever, 'spec.template'],
    [replicaSet, forever, 'spec.template'],
    [cronJob, { schedule: '@daily', jobTemplate: { spec: toTheEnd } }, 'spec.jobTemplate.spec.template'],
  ])('it refuses in the template of a $kind', (kind, spec, at) => {
    const object = rulesOf(kind).defaulted({ spec });
    const places = (context: StrategyContext) => lines(newErrors(kind, object, context));
    expect(places(refusing)).toEqual([
      `${at}.spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy`,
    ]);
    expect(places({ ...refusing, refusesPrivileged: false })).toEqual([]);
  });
});

test('claims of every pod are claims', () => {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = (...volumeClaimTemplates: object[]) => ({
    spec: { selector: { matchLabels: labels }, template, revisionHistoryLimit: -1, volumeClaimTemplates },
  });
  const good = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claim = { metadata: { name: 'a' }, spec: good };
  const bare = { metadata: { name: 'b' }, spec: {} };
  expect(rulesOf(statefulSet).create(made(claim))).toEqual([]);
  expect(rulesOf(statefulSet).create(made({ spec: good }))).toEqual([
    'Required spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
    'Required spec.template.spec.volumes[0].name',
  ]);
  expect(rulesOf(statefulSet).create(made(claim, bare))).toEqual([
    'Required spec.volumeClaimTemplates[1].spec.accessModes',
    'Required spec.volumeClaimTemplates[1].spec.resources[storage]',
  ]);
  expect(rulesOf(statefulSet).update(made(bare), made(bare))).toEqual([]);
});

describe('a StatefulSet', () => {
  const rules = rulesOf(statefulSet, 'apps/v1');
  const mounting = {
    metadata: { labels },
    spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
  };
  const base = { selector: { matchLabels: labels }, template: mounting };
  const claim = {
    metadata: { name: 'v' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };

  test('has pods that mount its claims', () => {
    expect(rules.create({ spec: { ...base, volumeClaimTemplates: [claim] } })).toEqual([]);
    expect(rules.create({ spec: base })).toEqual(['NotFound spec.template.spec.containers[0].volumeMounts[0].name']);
  });

  test('is named as a host is, and so is its service', () => {
    expect(statefulSet.checkName('a.b')).not.toEqual([]);
    const spec = { ...base, volumeClaimTemplates: [claim], serviceName: 'A_b' };
    expect(rules.create({ spec })).toEqual(['Invalid spec.serviceName']);
    expect(rules.update({ spec }, { spec })).toEqual([]);
  });
});

test('a selector that means nothing hides what is wrong with the template', () => {
  const spec = { selector: { matchExpressions: [{ key: 'a', operator: 'Odd' }] }, template: { spec: {} } };
  expect(rulesOf(deployment, 'apps/v1').create({ spec })).toEqual([
    'Invalid spec.selector.matchExpressions[0].operator',
    'Invalid spec.selector',
  ]);
});
