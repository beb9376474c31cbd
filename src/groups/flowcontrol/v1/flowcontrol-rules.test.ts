import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { decoderOf } from '../../../schema/decode.ts';
import { DecodeContext } from '../../../schema/decode-context.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { flowControlObjects } from './bootstrap.ts';
import { flowSchema } from './flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };

function problems(kind: KindDefinition, name: string, spec: object): readonly string[] {
  const fields = decoderOf(kind.type)({ metadata: { name }, spec }, new DecodeContext()) as { metadata: object };
  const object: ApiObject = { kind: kind.kind, apiVersion: 'v1', ...fields };
  return lines(kind.strategy?.validate?.(kind.strategy.defaults?.(object, context) ?? object, context));
}

describe.each([['kubernetes', kubernetes] as const, ['cluster', cluster()] as const])(
  'in the dialect %s',
  (_, dialect) => {
    test.each(
      flowControlObjects(dialect).map(
        ({ resource, object }) => [resource, object.metadata.name ?? '', object] as const,
      ),
    )('the %s %s that clusters start with is in order', (resource, name, object) => {
      const kind = resource === 'flowschemas' ? flowSchema : priorityLevelConfiguration;
      expect(problems(kind, name, object['spec'] as object)).toEqual([]);
    });
  },
);

const level = { priorityLevelConfiguration: { name: 'l' } };
const rules = (rule: object) => ({ ...level, rules: [{ subjects: [{ kind: 'User', user: { name: 'u' } }], ...rule }] });
const resourceRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] };

describe('flow schemas', () => {
  test.each<[string, object, readonly string[]]>([
    ['a', level, []],
    ['a', rules({ resourceRules: [resourceRule] }), []],
    ['a', {}, ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
    [
      'a',
      { ...level, matchingPrecedence: 10001 },
      ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000'],
    ],
    [
      'a',
      { ...level, matchingPrecedence: 1 },
      ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
    ],
    [
      'a',
      { ...level, distinguisherMethod: { type: 'Odd' } },
      ['spec.distinguisherMethod.type: Unsupported value: {"Type":"Odd"}: supported values: "ByNamespace", "ByUser"'],
    ],
    [
      'a',
      rules({}),
      ['spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty'],
    ],
    [
      'a',
      rules({ resourceRules: [{ ...resourceRule, verbs: ['get', '*'] }] }),
      [
        'spec.rules[0].resourceRules[0].verbs: Invalid value: ["get","*"]: if \'*\' is present, must not specify other verbs',
      ],
    ],
    [
      'a',
      rules({ resourceRules: [{ ...resourceRule, namespaces: [] }] }),
      [
        'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
      ],
    ],
    [
      'a',
      rules({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*/b', 'x'] }] }),
      [
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a/*/b": wildcard can only do suffix matching',
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "x": must start with slash',
      ],
    ],
    [
      'a',
      { ...level, rules: [{ subjects: [{ kind: 'Group', user: { name: 'u' } }], resourceRules: [resourceRule] }] },
      [
        "spec.rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
        "spec.rules[0].subjects[0].user: Forbidden: user is forbidden when subject kind is not 'User'",
      ],
    ],
  ])('%s %j: %j', (name, spec, expected) => {
    expect(problems(flowSchema, name, spec)).toEqual(expected);
  });
});

const queuing = (sizes: object) => ({ type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: sizes } } });

describe('priority levels', () => {
  test.each<[string, object, readonly string[]]>([
    ['a', queuing({}), []],
    ['a', { type: 'Limited' }, ['spec.limited: Required value: must not be empty when type is Limited']],
    [
      'a',
      { type: 'Exempt' },
      ["spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
    ],
    [
      'a',
      queuing({ queues: 4 }),
      ['spec.limited.limitResponse.queuing.handSize: Invalid value: 8: should not be greater than queues (4)'],
    ],
    [
      'a',
      queuing({ queues: 512, handSize: 7 }),
      [
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 7: required entropy bits of deckSize 512 and handSize 7 should not be greater than 60',
      ],
    ],
    [
      'a',
      queuing({ queues: -1, queueLengthLimit: -1 }),
      [
        'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
        'spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive',
        'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: should not be greater than queues (-1)',
      ],
    ],
    [
      'a',
      { type: 'Limited', limited: { lendablePercent: 101, limitResponse: { type: 'Reject' } } },
      ['spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive'],
    ],
    ['exempt', { type: 'Exempt', exempt: { lendablePercent: 9 } }, []],
  ])('%s %j: %j', (name, spec, expected) => {
    expect(problems(priorityLevelConfiguration, name, spec)).toEqual(expected);
  });
});
