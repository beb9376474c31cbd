// Plugins that do what their configuration says.

import { describe, expect, test } from 'vitest';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { cluster, type Dialect, kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { decodeSettings } from '../plugin-settings.ts';
import { lookupOf, requestFor } from '../testing.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { podNodeSelector } from './pod-node-selector.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';

const dialect = kubernetes;
const pods = { group: '', plural: 'pods' } as ResourceDefinition;
const pod = (spec: object, namespace = 'n'): ApiObject => ({
  ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', namespace }, spec },
});
const namespace = (name: string, annotations = {}): ApiObject => ({
  ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name, annotations } },
});

test('pods select what their namespace selects, and no more than is allowed', () => {
  const plugin = podNodeSelector({
    dialect,
    objects: lookupOf({
      namespaces: [
        namespace('n'),
        namespace('own', { 'scheduler.alpha.kubernetes.io/node-selector': 'disk=ssd, zone=a' }),
        namespace('odd', { 'scheduler.alpha.kubernetes.io/node-selector': 'constructor=c' }),
      ],
    }),
    settings: {
      podNodeSelector: { clusterDefault: 'env=test', allowed: new Map([['own', 'disk=ssd,zone=a,size=big']]) },
    },
  });
  const admit = (nodeSelector: object, home: string) =>
    plugin.mutate?.(requestFor({ definition: pods, object: pod({ nodeSelector }, home) }));
  expect(admit({ a: 'b' }, 'n')).toMatchObject({ spec: { nodeSelector: { env: 'test', a: 'b' } } });
  expect(admit({ size: 'big' }, 'own')).toMatchObject({
    spec: { nodeSelector: { disk: 'ssd', zone: 'a', size: 'big' } },
  });
  expect(admit({}, 'odd')).toMatchObject({ spec: { nodeSelector: { constructor: 'c' } } });
  expect(() => admit({ zone: 'b' }, 'own')).toThrow('conflicts with its namespace node label selector');
  const unnamed = {
    ...pod({ nodeSelector: { zone: 'b' } }, 'own'),
    metadata: { namespace: 'own', generateName: 'g-' },
  };
  expect(() => plugin.mutate?.(requestFor({ definition: pods, object: unnamed }))).toThrow(
    /^pods is forbidden: pod node label selector conflicts/,
  );
  expect(() => admit({ size: 'small' }, 'own')).toThrow('labels conflict with its namespace whitelist');
  const validate = (nodeSelector: object, home: string) => () =>
    plugin.validate?.(requestFor({ definition: pods, object: pod({ nodeSelector }, home) }));
  expect(validate({ disk: 'ssd', zone: 'a' }, 'own')).not.toThrow();
  expect(validate({ zone: 'b' }, 'own')).toThrow('conflicts with its namespace node label selector');
  expect(validate({ zone: 'a', other: 'x' }, 'own')).toThrow('labels conflict with its namespace whitelist');
});

test.each([
  ['a=b=c', 'invalid selector: [a b c]'],
  ['a=b,', 'invalid selector: []'],
  ['a/b/c=d', '<nil>: Invalid value: "a/b/c": a valid label key must consist of'],
  ['a=b c', '[a]: Invalid value: "b c": a valid label must be'],
])('a selector of a namespace that is none is reported: %s', (text, why) => {
  const annotations = { 'scheduler.alpha.kubernetes.io/node-selector': text };
  const objects = lookupOf({ namespaces: [namespace('n', annotations)] });
  const settings = { podNodeSelector: { clusterDefault: '', allowed: new Map<string, string>() } };
  const { mutate } = podNodeSelector({ dialect, objects, settings });
  expect(() => mutate?.(requestFor({ definition: pods, object: pod({}) }))).toThrow(why);
});

test('pods tolerate what their namespace adds, and nothing that is not allowed', () => {
  const prefix = 'scheduler.alpha.kubernetes.io/';
  const plugin = podTolerationRestriction({
    dialect,
    objects: lookupOf({
      namespaces: [
        namespace('n'),
        namespace('own', {
          [`${prefix}defaultTolerations`]: '[{"key":"a","operator":"Exists"}]',
          [`${prefix}tolerationsWhitelist`]: '[{"key":"a","operator":"Exists"}]',
        }),
        ...['{', '{}', '[1]', '[{"key":{}}]', '[{"key":"a","tolerationSeconds":"soon"}]', '[{}]x'].map((text, index) =>
          namespace(`broken${index}`, { [`${prefix}tolerationsWhitelist`]: text }),
        ),
        namespace('strange', { [`${prefix}defaultTolerations`]: '[{"key":"a","operator":"Exists","more":1}]' }),
      ],
    }),
    settings: { podTolerations: { defaults: [{ key: 'all', operator: 'Exists' }], allowed: [] } },
  });
  const admit = (home: string, more: object = {}) =>
    plugin.mutate?.(requestFor({ definition: pods, object: pod(more, home) }));
  expect(admit('n')).toMatchObject({ spec: { tolerations: [{ key: 'all' }] } });
  expect(admit('own')).toMatchObject({ spec: { tolerations: [{ key: 'a' }] } });
  const asking = { containers: [{ resources: { requests: { cpu: '1' } } }] };
  expect(admit('n', asking)).toMatchObject({
    spec: { tolerations: [{ key: 'all' }, { key: 'node.kubernetes.io/memory-pressure' }] },
  });
  const validate = (home: string, key: string) => () =>
    plugin.validate?.(
      requestFor({ definition: pods, object: pod({ tolerations: [{ key, operator: 'Exists' }] }, home) }),
    );
  expect(validate('own', 'a')).not.toThrow();
  expect(validate('own', 'b')).toThrow('conflict with its namespace whitelist');
  expect(validate('n', 'b')).not.toThrow();
  const why = [
    'unexpected end of JSON input',
    'json: cannot unmarshal object into Go value of type []v1.Toleration',
    'json: cannot unmarshal number into',
    'json: cannot unmarshal object into Go struct field Toleration.key of type string',
    'json: cannot unmarshal string into Go struct field Toleration.tolerationSeconds of type int64',
    "invalid character 'x' after top-level value",
  ];
  for (const [at, text] of why.entries()) expect(validate(`broken${at}`, 'a')).toThrow(text);
  expect(admit('strange')).toMatchObject({ spec: { tolerations: [{ key: 'a', operator: 'Exists' }] } });
  expect(JSON.stringify(admit('strange'))).not.toContain('more');
});

describe('events', () => {
  const events = { group: '', plural: 'events' } as ResourceDefinition;

  test('are refused beyond what a bucket holds, until it fills again', () => {
    let now = 0;
    const clock = { now: () => now, after: () => ({ cancel() {} }) };
    const limit = { type: 'Namespace', qps: 1, burst: 2, cacheSize: 10 } as const;
    const plugin = eventRateLimit({ clock, settings: { eventLimits: [limit] } });
    const send =
      (home: string, dryRun = false) =>
      () =>
        plugin.validate?.(requestFor({ definition: events, namespace: home, dryRun }));
    for (const home of ['a', 'a', 'b', 'b']) expect(send(home)).not.toThrow();
    expect(send('a')).toThrow('Too many requests: limit reached on type Namespace for key a');
    expect(send('a', true)).not.toThrow();
    now += 1000;
    expect(send('a')).not.toThrow();
    expect(send('a')).toThrow();
  });

  test('of the other group are not counted', () => {
    const clock = { now: () => 0, after: () => ({ cancel() {} }) };
    const { covers } = eventRateLimit({ clock, settings: { eventLimits: [] } });
    const others = { ...events, group: 'events.k8s.io' };
    expect([covers(events, '', 'CREATE'), covers(others, '', 'CREATE')]).toEqual([true, false]);
  });

  test.each([
    ['Server', 'limit reached on type Server'],
    ['User', 'limit reached on type User for key ann'],
  ] as const)('of one %s share a bucket', (type, why) => {
    const clock = { now: () => 0, after: () => ({ cancel() {} }) };
    const plugin = eventRateLimit({ clock, settings: { eventLimits: [{ type, qps: 1, burst: 1, cacheSize: 10 }] } });
    const send = (name: string) => () =>
      plugin.validate?.(requestFor({ definition: events, user: { name, groups: [] } }));
    expect(send('ann')).not.toThrow();
    if (type === 'User') expect(send('bob')).not.toThrow();
    expect(send('ann')).toThrow(why);
    expect(send('bob')).toThrow();
  });

  test('of one source about one object share a bucket', () => {
    const clock = { now: () => 0, after: () => ({ cancel() {} }) };
    const limit = { type: 'SourceAndObject', qps: 1, burst: 1, cacheSize: 10 } as const;
    const plugin = eventRateLimit({ clock, settings: { eventLimits: [limit] } });
    const send = (component: string, name: string) => () => {
      const object = { ...pod({}), source: { component }, involvedObject: { name } };
      return plugin.validate?.(requestFor({ definition: events, object }));
    };
    expect(send('a', 'x')).not.toThrow();
    expect(send('a', 'y')).not.toThrow();
    expect(send('a', 'x')).toThrow('limit reached on type SourceAndObject for key ax');
  });
});

describe('configurations', () => {
  const decode = (plugin: string, value: unknown) =>
    decodeSettings(plugin, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), dialect, () => {});

  test('are understood', async () => {
    const security = {
      apiVersion: 'pod-security.admission.config.k8s.io/v1',
      kind: 'PodSecurityConfiguration',
      defaults: { enforce: 'baseline', 'enforce-version': 'v1.30' },
      exemptions: { namespaces: ['kube-system'] },
    };
    const { podSecurity } = await decode('PodSecurity', security);
    expect(podSecurity?.defaults.enforce).toEqual({ level: 'baseline', version: 'v1.30' });
    expect([...(podSecurity?.exemptions.namespaces ?? [])]).toEqual(['kube-system']);
    const selectors = 'podNodeSelectorPluginConfig:\n  clusterDefaultNodeSelector: a=b\n  home: c=d\n';
    const { podNodeSelector: settings } = await decode('PodNodeSelector', selectors);
    expect(settings).toEqual({ clusterDefault: 'a=b', allowed: new Map([['home', 'c=d']]) });
  });

  const limits = (...all: object[]) => ({
    apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
    kind: 'Configuration',
    limits: all,
  });

  test.each([
    ['EventRateLimit', limits(), 'limits: must not be empty'],
    ['EventRateLimit', limits({ type: 'Tree', qps: 1, burst: 1 }), 'limits[0].type: "Tree" is none of Server'],
    ['EventRateLimit', limits({ type: 'Server', qps: 1 }), 'limits[0].burst: must be positive'],
    ['PodSecurity', { apiVersion: 'x/v1', kind: 'PodSecurityConfiguration' }, 'is known in version "x/v1"'],
    [
      'PodSecurity',
      {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { warn: 'loud' },
      },
      'defaults.warn: "loud" must be one of',
    ],
    ['Priority', {}, 'has no configuration here'],
  ])('of %s that are wrong are refused (%#)', async (plugin, value, why) => {
    await expect(decode(plugin, value)).rejects.toThrow(why);
  });
});

describe('tolerations of a pod and its namespace', () => {
  const prefix = (dialect: Dialect) => `scheduler.alpha.${dialect.labelDomain}/`;
  const ofNamespace = [
    { key: 'a', operator: 'Exists', effect: 'NoSchedule' },
    { key: 'b', operator: 'Equal', value: '1' },
  ];
  const create = (dialect: Dialect, tolerations: object[], more: object = {}) => {
    const annotations = { [`${prefix(dialect)}defaultTolerations`]: JSON.stringify(ofNamespace) };
    const objects = lookupOf({ namespaces: [namespace('own', annotations)] });
    const settings = { podTolerations: { defaults: [], allowed: [] } };
    const made = podTolerationRestriction({ dialect, objects, settings }).mutate?.(
      requestFor({ definition: pods, object: pod({ tolerations, ...more }, 'own') }),
    ) as Pod;
    return (made.spec?.tolerations ?? []).map(({ key, value = '' }) => `${key}${value}`);
  };
  const requesting = { containers: [{ resources: { requests: { cpu: '1' } } }] };

  test('stand in the order of Kubernetes: of the pod, of the namespace, of the server', () => {
    expect(create(kubernetes, [{ key: 'z', operator: 'Exists' }], requesting)).toEqual([
      ...['z', 'a', 'b1', 'node.kubernetes.io/memory-pressure'],
    ]);
    expect(create(kubernetes, [{ key: 'a', operator: 'Exists' }])).toEqual(['a', 'b1']);
  });

  test('may differ in Kubernetes, and not in the cluster dialect', () => {
    const other = [{ key: 'b', operator: 'Equal', value: '2' }];
    expect(create(kubernetes, other)).toEqual(['b2', 'a', 'b1']);
    expect(() => create(cluster(), other)).toThrow('namespace tolerations and pod tolerations conflict');
    expect(
      create(cluster(), [
        { key: 'b', value: '1' },
        { key: 'b', effect: 'NoExecute', operator: 'Exists' },
      ]),
    ).toEqual([...['b1', 'b', 'a']]);
  });
});
