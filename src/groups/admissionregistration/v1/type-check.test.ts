// What the status of a policy says about its expressions: the cases of Kubernetes' own tests, and what a live one says.

import { describe, expect, test } from 'vitest';
import type { ObjectType } from '../../../schema/object-type.ts';
import type { StructuralType } from '../../../schema/structural/structural-type.ts';
import { anyJson, field, int64, mapOf, quantity, type StructType, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checkPolicyTypes, type KindTypes } from './type-check.ts';
import type { ValidatingAdmissionPolicy } from './validating-admission-policy.ts';

type Spec = NonNullable<ValidatingAdmissionPolicy['spec']>;

const kindWith = (fields: Parameters<typeof struct>[3]): StructType =>
  struct('apps/v1', 'Deployment', 'A thing.', fields);
const withText = kindWith({ foo: field(1, string) });
const withNumber = kindWith({ foo: field(1, int64) });

interface Served {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

const served: readonly Served[] = [
  { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
  { group: '', version: 'v1', kind: 'Pod', plural: 'pods' },
  { group: '', version: 'v1', kind: 'Event', plural: 'events' },
  { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events' },
  ...Array.from({ length: 12 }, (_, i) => ({ group: 'many', version: 'v1', kind: `Kind${i}`, plural: `kinds${i}` })),
];

const typesOf = (type: ObjectType | undefined): KindTypes => ({
  all: () => (type === undefined ? [] : served.map((one) => ({ ...one, type }))),
  byKind: (_, kind) => (type === undefined ? undefined : { group: '', version: 'v1', plural: '', kind, type }),
});

const texts = (prefix: string, known: string) => [...Array.from({ length: 20_000 }, (_, i) => `${prefix}${i}`), known];
const rule = (group: string, version: string, ...resources: string[]) => ({
  ...{ apiGroups: [group], apiVersions: [version], resources },
});
const deployments = { matchConstraints: { resourceRules: [rule('apps', 'v1', 'deployments')] } };
const policy = (...expressions: string[]): Spec => ({
  ...deployments,
  validations: expressions.map((expression) => ({ expression })),
});

const check = (spec: Spec, type?: ObjectType) =>
  checkPolicyTypes({ kind: 'ValidatingAdmissionPolicy', apiVersion: 'v1', metadata: {}, spec }, typesOf(type));

describe('kinds that are looked at', () => {
  test.each<[string, readonly object[], readonly string[]]>([
    ['none', [], []],
    ['one', [rule('apps', 'v1', 'deployments')], ['apps/v1, Kind=Deployment']],
    [
      'several, in order',
      [rule('apps', 'v1', 'deployments'), rule('', 'v1', 'pods')],
      ['/v1, Kind=Pod', 'apps/v1, Kind=Deployment'],
    ],
    ['all resources', [rule('apps', 'v1', '*')], []],
    ['parts', [rule('', 'v1', 'pods/*', 'pods/status')], []],
    ['any group', [rule('*', 'v1', 'deployments')], []],
    ['a mixture', [rule('apps', 'v1', 'deployments'), rule('apps', '*', 'deployments')], ['apps/v1, Kind=Deployment']],
    ['of other groups too', [rule('', 'v1', 'events')], ['/v1, Kind=Event', 'events.k8s.io/v1, Kind=Event']],
    [
      'named twice',
      [{ apiGroups: ['apps', '', 'apps'], apiVersions: ['v1', 'v1'], resources: ['pods', 'deployments', 'pods'] }],
      ['/v1, Kind=Pod', 'apps/v1, Kind=Deployment'],
    ],
    [
      'among trillions of combinations',
      [{ apiGroups: texts('g', 'apps'), apiVersions: texts('v', 'v1'), resources: texts('r', 'deployments') }],
      ['apps/v1, Kind=Deployment'],
    ],
    ['unknown', [rule('apps', 'v1', 'nothings')], []],
    [
      'ten, and no further rule',
      [rule('many', 'v1', ...Array.from({ length: 12 }, (_, i) => `kinds${i}`)), rule('', 'v1', 'pods')],
      [0, 1, 10, 11, 2, 3, 4, 5, 6, 7].map((i) => `many/v1, Kind=Kind${i}`),
    ],
  ])('%s', async (_, resourceRules, expected) => {
    const spec = { ...policy('object.none'), matchConstraints: { resourceRules } } as Spec;
    const [{ warning = '' } = {}] = await check(spec, withText);
    const kinds = warning.split('\n').filter((line) => line.includes('Kind='));
    expect(kinds.map((line) => line.replace(/: ERROR.*/, ''))).toEqual(expected);
  });
});

const first = 'spec.validations[0].expression';
const authorized = "authorizer.group('').resource('endpoints').check('create').allowed()";
const variable = (expression: string, validation: string): Spec => ({
  ...policy(validation),
  variables: [{ name: 'name', expression }],
});
const custom = {
  ...{ is: 'structural', name: 'Repro', home: 'example.com/v1' },
  schema: { type: 'object', properties: { spec: { type: 'object', properties: { text: { type: 'string' } } } } },
} as unknown as StructuralType;

describe('a warning', () => {
  test.each<[string, Spec, ObjectType | undefined, readonly (readonly [place: string, words: string])[]]>([
    ['without rules', { validations: [{ expression: "object.foo == 'bar'" }] }, withText, []],
    ['without a type', policy("object.foo == 'bar'"), undefined, []],
    ['of what is right', policy("object.foo == 'bar'"), withText, []],
    ['of an unknown field', policy("object.bar == 'foo'"), withText, [[first, "undefined field 'bar'"]]],
    ['of another type', policy("object.foo == 'bar'"), withNumber, [[first, 'found no matching overload']]],
    [
      'of parameters',
      { ...policy('object.foo == params.bar'), paramKind: { apiVersion: 'v1', kind: 'Any' } },
      withText,
      [[first, "undefined field 'bar'"]],
    ],
    ['of parameters without a type', { ...policy('params != null'), paramKind: {} }, undefined, []],
    [
      'of the second expression',
      policy("object.foo == 'bar'", "object.bar == 'foo'"),
      withText,
      [['spec.validations[1].expression', "undefined field 'bar'"]],
    ],
    [
      'of a message',
      { ...deployments, validations: [{ expression: 'true', messageExpression: 'object.foo + 114514' }] },
      withText,
      [['spec.validations[0].messageExpression', "no matching overload for '_+_' applied to '(string, int)'"]],
    ],
    ['of rights', policy(authorized), withText, []],
    [
      'of rights of nothing',
      policy('authorizer.allowed()'),
      withText,
      [[first, "found no matching overload for 'allowed' applied to 'kubernetes.authorization.Authorizer.()'"]],
    ],
    [
      'of the rights to the request itself',
      policy("authorizer.requestResource.check('get').allowed()"),
      withText,
      [[first, "unexpected failed resolution of 'kubernetes.authorization.Authorizer'"]],
    ],
    ['of what may be anything', policy('object.foo.a.b == 1'), kindWith({ foo: field(1, mapOf(anyJson)) }), []],
    ['of variables that are right', variable('true', 'variables.name'), withText, []],
    [
      'of a variable that is not there',
      variable('true', 'variables.other'),
      withText,
      [[first, "undefined field 'other'"]],
    ],
    [
      'of a variable of another type',
      variable("'something'", 'variables.name == object.foo'),
      withNumber,
      [[first, "found no matching overload for '_==_' applied to '(string, int)'"]],
    ],
    ['of what is wrong with a variable', variable("object.foo == 'x'", 'variables.name == object.foo'), withNumber, []],
    [
      'of amounts',
      policy('object.foo.cpu == 1'),
      kindWith({ foo: field(1, mapOf(quantity)) }),
      [[first, "undefined field 'foo'"]],
    ],
    ['of metadata', policy("object.metadata.name == ''"), kindWith({ metadata: field(1, objectMeta) }), []],
    [
      'of the metadata of a custom resource',
      policy("'a' in object.metadata.labels && has(object.spec.text)"),
      custom,
      [],
    ],
    [
      'of a custom resource',
      policy('object.metadata.labels.a == 1 || object.spec.n == 1'),
      custom,
      [[first, "applied to '(string, int)'"]],
    ],
  ])('%s', async (_, spec, type, expected) => {
    const found = await check(spec, type);
    expect(found.map(({ fieldRef }) => fieldRef)).toEqual(expected.map(([place]) => place));
    for (const [index, [, words]] of expected.entries()) expect(found[index]?.warning).toContain(words);
  });
});
