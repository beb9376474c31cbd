// Expressions of webhooks and policies: what is found, and where.

import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.ts';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';
import { validatingWebhookConfiguration } from './validating-webhook-configuration.ts';

const validating = rulesOf(validatingAdmissionPolicy);
const mutating = rulesOf(mutatingAdmissionPolicy);

/** The validation error without the value, which is the expression, and without the picture under the message. */
const short = (found: readonly string[]) =>
  found.map((line) => {
    const [, at, detail] = /^(\S+): Invalid value: "(?:[^"\\]|\\.)*": ([^\n]*)/.exec(line) ?? ['', line, ''];
    return `${at}: ${detail.replace('compilation failed: ERROR: <input>:', '@')}`;
  });

const undeclared = (name: string) => `undeclared reference to '${name}' (in container '')`;

describe.each([
  ['validating', rulesOf(validatingWebhookConfiguration)],
  ['mutating', rulesOf(mutatingWebhookConfiguration)],
])('a condition of a %s webhook', (_, rules) => {
  const webhooks = (...expressions: string[]) => ({
    webhooks: [{ name: 'a.b.example', matchConditions: expressions.map((expression) => ({ name: 'c', expression })) }],
  });
  const at = 'webhooks[0].matchConditions[0].expression';

  test.each<[string, string[]]>([
    ["object.metadata.name == 'x' && oldObject == null", []],
    ["request.operation == 'CREATE' && request.namespace != 'x' && 'devs' in request.userInfo.groups", []],
    ["request.kind.group == '' && request.requestResource.resource == 'pods' && !request.dryRun", []],
    ["authorizer.group('apps').resource('deployments').check('get').allowed()", []],
    ["authorizer.requestResource.check('breakglass').allowed()", []],
    ["namespaceObject.metadata.labels['env'] == 'prod'", []],
    ["  request.name == 'x' ", []],
    ['', []],
    ['params.x == 1', [`${at}: @1:1: ${undeclared('params')}`]],
    ['variables.x == 1', [`${at}: @1:1: ${undeclared('variables')}`]],
    ["request.uid == ''", [`${at}: @1:8: undefined field 'uid'`]],
    ['request.name == 1', [`${at}: @1:14: found no matching overload for '_==_' applied to '(string, int)'`]],
    ['object.spec.paused', [`${at}: must evaluate to bool but got dyn`]],
    ["request.kind.kind + 'x'", [`${at}: must evaluate to bool but got string`]],
    ['Object{} == object', [`${at}: @1:7: ${undeclared('Object')}`]],
    ['true true', [`${at}: @1:6: Syntax error: extraneous input 'true' expecting <EOF>`]],
    [
      "int('x') == 1",
      [`${at}: Internal error: program instantiation failed: type conversion error from 'string' to 'int': `],
    ],
    ["int('x')", [`${at}: must evaluate to bool but got int`]],
  ])('%s', async (expression, expected) => {
    expect(short(await rules.expressionComplaints(webhooks(expression)))).toEqual(expected);
  });

  test('is shown as it is read, with the place of what is wrong', async () => {
    expect(await rules.expressionComplaints(webhooks(' 1 == x '))).toEqual([
      `${at}: Invalid value: "1 == x": compilation failed: ERROR: <input>:1:6: ${undeclared('x')}\n | 1 == x\n | .....^`,
    ]);
  });

  test('that was stored stays until conditions change', async () => {
    const old = webhooks('params.x');
    expect(await rules.expressionComplaints(old, old)).toEqual([]);
    expect(await rules.expressionComplaints(webhooks('params.x', 'true'), old)).toHaveLength(1);
  });
});

const check = (expression: string) => ({ validations: [{ expression }] });
const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };

describe('a validating policy', () => {
  const at = 'spec.validations[0].expression';

  test.each<[string, object, string[]]>([
    ['in order', check("object.metadata.name.startsWith('a') && authorizer.path('/x').check('get').allowed()"), []],
    ['with parameters', { paramKind, ...check('object.spec.replicas <= params.max') }, []],
    ['that has none', check('object.spec.replicas <= params.max'), [`${at}: @1:25: ${undeclared('params')}`]],
    ['of no truth', check(' object.spec '), [`${at}: must evaluate to bool but got dyn`]],
    [
      'with conditions',
      {
        ...check('true'),
        paramKind,
        variables: [{ name: 'a', expression: '1' }],
        matchConditions: [
          { name: 'a', expression: 'params.x == 1' },
          { name: 'b', expression: 'variables.a == 1' },
        ],
      },
      [`spec.matchConditions[1].expression: @1:1: ${undeclared('variables')}`],
    ],
    [
      'with variables',
      {
        variables: [
          { name: 'names', expression: 'object.spec.containers.map(c, string(c.name))' },
          { name: 'first', expression: 'variables.names[0]' },
          { name: 'amount', expression: "quantity('1Gi')" },
        ],
        ...check("variables.first.startsWith('a') && variables.amount.isGreaterThan(quantity('1'))"),
      },
      [],
    ],
    [
      'with variables of other types',
      { variables: [{ name: 'n', expression: '[1, 2]' }], ...check("variables.n[0] == 'a'") },
      [`${at}: @1:16: found no matching overload for '_==_' applied to '(int, string)'`],
    ],
    [
      'with variables too early',
      {
        variables: [
          { name: 'a', expression: 'variables.b' },
          { name: 'b', expression: '1' },
        ],
        ...check('variables.a == variables.b && variables.a.c'),
      },
      ["spec.variables[0].expression: @1:10: undefined field 'b'"],
    ],
    ['with unknown variables', check('variables.a'), [`${at}: @1:1: ${undeclared('variables')}`]],
    [
      'that writes changes',
      { variables: [{ name: 'a', expression: 'Object{}' }], ...check('true') },
      [`spec.variables[0].expression: @1:7: ${undeclared('Object')}`],
    ],
    [
      'with messages',
      {
        paramKind,
        validations: [
          { expression: 'true', messageExpression: "'at most ' + string(params.max)" },
          { expression: 'true', messageExpression: '1' },
          { expression: 'true', messageExpression: "string(authorizer.path('/x').check('get').allowed())" },
        ],
      },
      [
        'spec.validations[1].messageExpression: must evaluate to string but got int',
        `spec.validations[2].messageExpression: @1:8: ${undeclared('authorizer')}`,
      ],
    ],
    [
      'with annotations',
      {
        auditAnnotations: [
          { key: 'a', valueExpression: "has(object.x) ? 'x' : 'y'" },
          { key: 'b', valueExpression: ' null ' },
          { key: 'c', valueExpression: ' 1 + 1 ' },
          { key: 'd', valueExpression: '' },
          { key: 'e', valueExpression: `'${'x'.repeat(5200)}' + 1` },
        ],
      },
      ['spec.auditAnnotations[2].valueExpression: must evaluate to one of [string null_type] but got int'],
    ],
  ])('%s', async (_, spec, expected) => {
    expect(short(await validating.expressionComplaints({ spec }))).toEqual(expected);
  });

  test('that was stored stays until its expressions or what they use change', async () => {
    const old = { spec: { ...check('params.x'), matchConditions: [{ name: 'a', expression: 'params.x' }] } };
    const found = async (change: object) =>
      short(await validating.expressionComplaints({ spec: { ...old.spec, ...change } }, old)).map(
        (line) => line.split(':')[0],
      );
    expect(await found({ failurePolicy: 'Ignore' })).toEqual([]);
    expect(await found({ variables: [{ name: 'v', expression: '1' }] })).toEqual([at]);
    expect(await found({ paramKind })).toEqual(['spec.matchConditions[0].expression', at]);
  });
});

describe('a mutating policy', () => {
  const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
  const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
  const at = (field: string) => `spec.mutations[0].${field}.expression`;

  test.each<[object, string[]]>([
    [apply("Object{metadata: Object.metadata{labels: {'a': object.metadata.name}}}"), []],
    [apply('has(object.spec) ? Object{} : Object{spec: Object.spec{n: 1}}'), []],
    [apply('Object{spec: Object.spec{n: variables.n}}'), []],
    [apply('object'), [`${at('applyConfiguration')}: must evaluate to Object but got dyn`]],
    [apply('Object.spec{}'), [`${at('applyConfiguration')}: must evaluate to Object but got Object.spec`]],
    [apply('Thing{}'), [`${at('applyConfiguration')}: @1:6: ${undeclared('Thing')}`]],
    [apply(' '), []],
    [patch("[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c'), value: Object.a{}}]"), []],
    [patch("has(object.a) ? [JSONPatch{op: 'remove', path: '/a'}] : []"), []],
    [patch('[]'), [`${at('jsonPatch')}: must evaluate to list(JSONPatch) but got list(dyn)`]],
    [patch('JSONPatch{}'), [`${at('jsonPatch')}: must evaluate to list(JSONPatch) but got JSONPatch`]],
    [
      patch('[JSONPatch{op: 1}]'),
      [`${at('jsonPatch')}: @1:14: expected type of field 'op' is 'string' but provided type is 'int'`],
    ],
    [patch('[JSONPatch{op: params.op}]'), [`${at('jsonPatch')}: @1:16: ${undeclared('params')}`]],
    [patch('[JSONPatch{op: variables.m}]'), [`${at('jsonPatch')}: @1:25: undefined field 'm'`]],
    [{ patchType: 'Odd', jsonPatch: { expression: '?' } }, []],
  ])('%j', async (mutation, expected) => {
    const spec = { variables: [{ name: 'n', expression: '1' }], mutations: [mutation] };
    expect(short(await mutating.expressionComplaints({ spec }))).toEqual(expected);
  });

  test('knows no changes in its variables and conditions', async () => {
    const spec = {
      matchConditions: [{ name: 'a', expression: 'Object{} == object' }],
      variables: [{ name: 'n', expression: 'Object{}' }],
      mutations: [apply('Object{}')],
    };
    const found = short(await mutating.expressionComplaints({ spec }));
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'spec.matchConditions[0].expression',
      'spec.variables[0].expression',
    ]);
    expect(await mutating.expressionComplaints({ spec }, { spec })).toEqual([]);
  });
});

test('nothing is found in what is not given', async () => {
  const webhooks = [{ name: 'a.b.example', matchConditions: null }, null];
  for (const kind of [validatingWebhookConfiguration, mutatingWebhookConfiguration])
    for (const given of [{}, { webhooks: null }, { webhooks }])
      expect(await rulesOf(kind).expressionComplaints(given, {})).toEqual([]);
  const none = { matchConditions: null, variables: null, validations: null, auditAnnotations: null, mutations: null };
  const blank = {
    matchConditions: [null],
    variables: [null],
    validations: [null],
    auditAnnotations: [null],
    mutations: [null, { patchType: 'JSONPatch', jsonPatch: null }],
  };
  for (const rules of [validating, mutating])
    for (const given of [{}, { spec: null }, { spec: none }, { spec: blank }])
      expect(await rules.expressionComplaints(given, { spec: { failurePolicy: 'Fail' } })).toEqual([]);
});
