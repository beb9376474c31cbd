import { expect, test } from 'vitest';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.ts';
import { mutatingAdmissionPolicyBinding } from './mutating-admission-policy-binding.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts';

const validating = rulesOf(validatingAdmissionPolicy);
const mutating = rulesOf(mutatingAdmissionPolicy);
const validatingBinding = rulesOf(validatingAdmissionPolicyBinding);
const mutatingBinding = rulesOf(mutatingAdmissionPolicyBinding);

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const matchConstraints = { resourceRules: [rule] };
const policy = { matchConstraints, validations: [{ expression: 'true' }] };
const change = {
  matchConstraints,
  mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{}]' } }],
  reinvocationPolicy: 'Never',
};
const binding = { policyName: 'p', validationActions: ['Deny'] };

test('defaults of a policy and a binding', () => {
  const match = { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} };
  expect(validating.defaulted({ spec: policy })).toMatchObject({
    spec: { failurePolicy: 'Fail', matchConstraints: { ...match, resourceRules: [{ scope: '*' }] } },
  });
  expect(validatingBinding.defaulted({ spec: { ...binding, matchResources: {} } })).toMatchObject({
    spec: { matchResources: match },
  });
});

const nothing = 'validations or auditAnnotations must contain at least one item';

test.each<[string, object, string[]]>([
  ['in order', {}, []],
  [
    'of nothing',
    { matchConstraints: undefined, validations: [] },
    [
      'spec.matchConstraints: Required value',
      `spec.validations: Required value: ${nothing}`,
      `spec.auditAnnotations: Required value: ${nothing}`,
    ],
  ],
  ['without rules', { matchConstraints: {} }, ['spec.matchConstraints.resourceRules: Required value']],
  [
    'with an odd policy',
    { failurePolicy: 'Odd' },
    ['spec.failurePolicy: Unsupported value: "Odd": supported values: "Fail", "Ignore"'],
  ],
  ['with parameters', { paramKind: { apiVersion: 'rules.example.com/v1', kind: 'Limit' } }, []],
  [
    'with parameters of no kind',
    { paramKind: {} },
    ['spec.paramKind.apiVersion: Required value', 'spec.paramKind.kind: Required value'],
  ],
  [
    'with parameters of three parts',
    { paramKind: { apiVersion: 'a/b/c', kind: 'Limit' } },
    ['spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ],
  [
    'with parameters of no version',
    { paramKind: { apiVersion: 'a/', kind: 'Limit' } },
    ['spec.paramKind.apiVersion: Invalid value: "a/": version must be specified'],
  ],
  [
    'with nameless variables',
    { variables: [{ name: ' ', expression: '' }] },
    [
      'spec.variables[0].name: Required value: name is not specified',
      'spec.variables[0].expression: Required value: expression is not specified',
    ],
  ],
  [
    'with variables of reserved names',
    { variables: [{ name: 'package', expression: '1' }] },
    ['spec.variables[0].name: Invalid value: "package": must be a valid CEL identifier'],
  ],
  [
    'with a blank check',
    { validations: [{ expression: ' ', message: ' ', messageExpression: ' ', reason: 'Odd' }] },
    [
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].reason: Unsupported value: "Odd": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    'with a message of two lines',
    { validations: [{ expression: 'true', message: 'a\nb' }] },
    ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [
    'with annotations twice',
    { auditAnnotations: ['k', 'k'].map((key) => ({ key, valueExpression: "'v'" })) },
    ['spec.auditAnnotations[1].key: Duplicate value: "k"'],
  ],
  [
    'with annotations of no value',
    { auditAnnotations: [{ key: 'k', valueExpression: '' }] },
    ['spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified'],
  ],
  [
    'with names twice',
    { matchConstraints: { resourceRules: [{ ...rule, resourceNames: ['a', 'a', '..'] }] } },
    [
      'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
      `spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "..": may not be '..'`,
    ],
  ],
])('a validating policy %s', (_, spec, expected) => {
  expect(validating.complaints({ spec: { ...policy, ...spec } })).toEqual(expected);
});

test.each<[string, object, string[]]>([
  ['in order', {}, []],
  [
    'of nothing',
    { mutations: [], reinvocationPolicy: '' },
    [
      'spec.mutations: Required value: mutations must contain at least one item',
      'spec.reinvocationPolicy: Required value',
    ],
  ],
  [
    'of deletes',
    { matchConstraints: { resourceRules: [{ ...rule, operations: ['DELETE'] }] } },
    [
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
  [
    'of no patch',
    { mutations: [{ patchType: '' }, { patchType: 'Odd' }] },
    [
      'spec.mutations[0].patchType: Required value',
      'spec.mutations[1].patchType: Unsupported value: "Odd": supported values: "ApplyConfiguration", "JSONPatch"',
    ],
  ],
  [
    'of the other patch',
    { mutations: [{ patchType: 'JSONPatch', applyConfiguration: { expression: 'Object{}' } }] },
    [
      'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
      'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    ],
  ],
  [
    'of a blank patch',
    { mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: ' ' } }] },
    ['spec.mutations[0].applyConfiguration.expression: Required value'],
  ],
])('a mutating policy %s', (_, spec, expected) => {
  expect(mutating.complaints({ spec: { ...change, ...spec } })).toEqual(expected);
});

test.each<[string, object, string[]]>([
  ['in order', { paramRef: { name: 'p', parameterNotFoundAction: 'Deny' } }, []],
  ['of nothing', { policyName: '' }, ['spec.policyName: Required value']],
  [
    'with parameters twice',
    { paramRef: { name: 'p', selector: {}, parameterNotFoundAction: 'Odd' } },
    [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "Odd": supported values: "Deny", "Allow"',
    ],
  ],
  [
    'with parameters nowhere',
    { paramRef: {} },
    [
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  ],
])('a binding %s', (_, spec, expected) => {
  expect(validatingBinding.complaints({ spec: { ...binding, ...spec } })).toEqual(expected);
  expect(mutatingBinding.complaints({ spec: { policyName: 'p', ...spec } })).toEqual(expected);
});

test.each<[string[], string[]]>([
  [['Warn', 'Audit'], []],
  [[], ['Required spec.validationActions']],
  [['Deny', 'Deny'], ['Duplicate spec.validationActions[1]']],
  [['Odd'], ['NotSupported spec.validationActions[0]']],
  [['Deny', 'Warn'], ['Invalid spec.validationActions']],
])('actions %j', (validationActions, expected) => {
  expect(validatingBinding.create({ spec: { policyName: 'p', validationActions } })).toEqual(expected);
});

test('tables', () => {
  const paramKind = { apiVersion: 'a.example/v1', kind: 'Limit' };
  expect(validating.cells({ spec: { ...policy, paramKind } })).toMatchObject({
    Validations: 1,
    ParamKind: 'a.example/v1/Limit',
  });
  expect(mutating.cells({ spec: change })).toMatchObject({ Mutations: 1, ParamKind: '<unset>' });
  expect(validatingBinding.cells({ spec: { ...binding, paramRef: { name: 'x' } } })).toMatchObject({
    PolicyName: 'p',
    ParamRef: '*/x',
  });
  expect(mutatingBinding.cells({ spec: { policyName: 'p' } })).toMatchObject({ ParamRef: '<unset>' });
});
