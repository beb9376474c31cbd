// What is wrong with groups of pods and workloads: compared with kube-apiserver 1.36.4 where its gates are on.

import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { podGroup } from './pod-group.ts';
import { workload } from './workload.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };
const object = (spec: object, more: object = {}): ApiObject => ({
  ...{ kind: 'X', apiVersion: 'scheduling.k8s.io/v1alpha2', metadata: { name: 'g' }, spec },
  ...more,
});
const basic = { schedulingPolicy: { basic: {} } };
const gang = { schedulingPolicy: { gang: { minCount: 2 } } };
const subdomain = /a lowercase RFC 1123 subdomain must consist of/;
const label = /a lowercase RFC 1123 label must consist of/;
const named = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `c${i}`, resourceClaimName: 'claim' }));

/** What holds for groups as well as for templates; each begins with the path of the spec. */
const shared: readonly (readonly [object, readonly (string | RegExp)[]])[] = [
  [basic, []],
  [gang, []],
  [{}, ['.schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`']],
  [
    { schedulingPolicy: { basic: {}, gang: { minCount: 1 } } },
    ['.schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`'],
  ],
  [{ schedulingPolicy: { gang: {} } }, ['.schedulingPolicy.gang.minCount: Required value']],
  [
    { schedulingPolicy: { gang: { minCount: -1 } } },
    ['.schedulingPolicy.gang.minCount: Invalid value: -1: must be greater than or equal to 1'],
  ],
  [{ ...basic, disruptionMode: 'PodGroup' }, []],
  [{ ...basic, disruptionMode: 'x' }, ['.disruptionMode: Unsupported value: "x": supported values: "Pod", "PodGroup"']],
  [{ ...basic, priorityClassName: 'No_' }, [subdomain]],
  [{ ...basic, priority: -5 }, []],
  [
    { ...basic, priority: 1_000_000_001 },
    ['.priority: Invalid value: 1000000001: must be less than or equal to 1000000000'],
  ],
  [{ ...basic, schedulingConstraints: { topology: [{ key: 'a/b' }] } }, []],
  [{ ...basic, schedulingConstraints: { topology: [{}] } }, ['.schedulingConstraints.topology[0].key: Required value']],
  [{ ...basic, schedulingConstraints: { topology: [{ key: '-' }] } }, [/name part must consist of/]],
  [
    { ...basic, schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] } },
    ['.schedulingConstraints.topology: Too many: 2: must have at most 1 item'],
  ],
  [{ ...basic, resourceClaims: named(4) }, []],
  [{ ...basic, resourceClaims: named(5) }, ['.resourceClaims: Too many: 5: must have at most 4 items']],
  [
    { ...basic, resourceClaims: [{ name: 'a' }] },
    ['.resourceClaims[0]: Invalid value: "": must specify one of: `resourceClaimName`, `resourceClaimTemplateName`'],
  ],
  [
    { ...basic, resourceClaims: [{ name: 'A_', resourceClaimName: 'X_', resourceClaimTemplateName: 'Y_' }] },
    [/must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`/, label, subdomain, subdomain],
  ],
  [
    { ...basic, resourceClaims: [...named(1), ...named(1)] },
    ['.resourceClaims[1]: Duplicate value: {"name":"c0","resourceClaimName":"claim"}'],
  ],
];

const expectLines = (found: readonly string[], at: string, expected: readonly (string | RegExp)[]) =>
  expect(found).toEqual(
    expected.map((one) => (typeof one === 'string' ? `${at}${one}` : (expect.stringMatching(one) as string))),
  );

describe('a group of pods', () => {
  test.each(shared)('%j', (spec, expected) => {
    expectLines(lines(podGroup.strategy?.validateCreate?.(object(spec), context)), 'spec', expected);
  });

  test.each<[object, readonly (string | RegExp)[]]>([
    [{}, [': Invalid value: "": must specify one of: `workload`']],
    [{ workload: {} }, ['.workload.workloadName: Required value', '.workload.podGroupTemplateName: Required value']],
    [{ workload: { workloadName: 'A_', podGroupTemplateName: 'A_' } }, [subdomain, label]],
    [{ workload: { workloadName: 'a.b', podGroupTemplateName: 'a' } }, []],
  ])('names a template: %j', (podGroupTemplateRef, expected) => {
    const found = podGroup.strategy?.validateCreate?.(object({ ...basic, podGroupTemplateRef }), context);
    expectLines(lines(found), 'spec.podGroupTemplateRef', expected);
  });

  test('stays as it is, field by field', () => {
    const change = (spec: object) =>
      lines(podGroup.strategy?.validateUpdate?.(object(spec), object({ ...gang, priority: 7 }), context));
    expect(change({ ...gang, priority: 7 })).toEqual([]);
    expect(change({ ...basic, disruptionMode: 'x' })).toEqual([
      'spec.schedulingPolicy: Invalid value: null: field is immutable',
      'spec.disruptionMode: Invalid value: null: field is immutable',
      'spec.priority: Invalid value: null: field is immutable',
    ]);
  });

  test.each<[readonly object[], readonly (string | RegExp)[]]>([
    [[{ name: 'c0', resourceClaimName: 'x' }], []],
    [[{ name: 'c0', resourceClaimName: 'X_' }], [subdomain]],
    [[{ name: 'b' }], ['[0].name: Invalid value: "b": must match the name of an entry in `spec.resourceClaims`']],
    [[{ name: 'c0' }, { name: 'c0' }], ['[1]: Duplicate value: {"name":"c0"}']],
    [Array.from({ length: 5 }, () => ({ name: 'c0' })), [': Too many: 5: must have at most 4 items']],
  ])('tells of its claims: %j', (resourceClaimStatuses, expected) => {
    const status = podGroup.subresources?.find(({ name }) => name === 'status') as PartSubresource;
    const next = object({ ...basic, resourceClaims: named(1) }, { status: { resourceClaimStatuses } });
    expectLines(lines(status.validateUpdate?.(next, next, context)), 'status.resourceClaimStatuses', expected);
  });
});

describe('a workload', () => {
  const create = (spec: object) => lines(workload.strategy?.validateCreate?.(object(spec), context));
  const at = 'spec.podGroupTemplates';

  test.each(shared)('has templates: %j', (spec, expected) => {
    expectLines(create({ podGroupTemplates: [{ name: 't', ...spec }] }), `${at}[0]`, expected);
  });

  test('has one to eight of them, with their own names', () => {
    const templates = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `t${i}`, ...basic }));
    expect(create({})).toEqual([`${at}: Required value`]);
    expect(create({ podGroupTemplates: templates(8) })).toEqual([]);
    expect(create({ podGroupTemplates: templates(9) })).toEqual([`${at}: Too many: 9: must have at most 8 items`]);
    const twice = [
      { name: 't', ...basic },
      { name: 't', ...basic },
    ];
    expect(create({ podGroupTemplates: twice })).toEqual([
      `${at}[1]: Duplicate value: {"name":"t","schedulingPolicy":{"basic":{}}}`,
    ]);
  });

  test('keeps its controller and its templates', () => {
    const old = object({ podGroupTemplates: [{ name: 't', ...basic }] });
    const change = (spec: object) => lines(workload.strategy?.validateUpdate?.(object(spec), old, context));
    const controller = 'spec.controllerRef: Invalid value: null: field is immutable';
    const templates = `${at}: Invalid value: null: field is immutable`;
    expect(change({ ...(old['spec'] as object), controllerRef: { kind: 'a/b' } })).toEqual([controller]);
    expect(change({ podGroupTemplates: [{ name: 't', ...gang }] })).toEqual([templates]);
    expect(change({})).toEqual([templates, `${at}: Required value`]);
  });
});
