import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { validatingWebhookConfigurationV1beta1 } from '../v1beta1/webhooks.ts';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration.ts';
import { validatingWebhookConfiguration } from './validating-webhook-configuration.ts';

const validating = rulesOf(validatingWebhookConfiguration);
const mutating = rulesOf(mutatingWebhookConfiguration);
const older = rulesOf(validatingWebhookConfigurationV1beta1);

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const hook = {
  name: 'a.b.example',
  clientConfig: { url: 'https://hooks.example/path' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
};
const withRule = (change: object) => ({ rules: [{ ...rule, ...change }] });
const called = (clientConfig: object) => ({ clientConfig });
const service = (change: object) => called({ service: { namespace: 'n', name: 's', ...change } });
const wanted = 'desired format: https://host[/path]';

test('defaults of a webhook', () => {
  const given = { ...hook, clientConfig: { service: { namespace: 'n', name: 's' } } };
  const { webhooks } = mutating.defaulted({ webhooks: [given] }) as unknown as { webhooks: object[] };
  expect(webhooks[0]).toMatchObject({
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    reinvocationPolicy: 'Never',
    clientConfig: { service: { port: 443 } },
    rules: [{ scope: '*' }],
  });
  const judging = validating.defaulted({ webhooks: [hook] }) as unknown as { webhooks: object[] };
  expect(judging.webhooks[0]).not.toHaveProperty('reinvocationPolicy');
});

describe.each([
  ['validating', validating],
  ['mutating', mutating],
] as const)('a %s webhook', (_, rules) => {
  test.each<[string, object, string[]]>([
    ['in order', {}, []],
    ['of everything', withRule({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }), []],
    ['without a name', { name: '' }, ['name: Required value']],
    [
      'with a short name',
      { name: 'b.example' },
      ['name: Invalid value: "b.example": should be a domain with at least three segments separated by dots'],
    ],
    ['of no operation', withRule({ operations: [] }), ['rules[0].operations: Required value']],
    [
      'of all operations and one',
      withRule({ operations: ['*', 'CREATE'] }),
      [`rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`],
    ],
    [
      'of an odd operation',
      withRule({ operations: ['PATCH'] }),
      [
        'rules[0].operations[0]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      ],
    ],
    [
      'of no version',
      withRule({ apiGroups: [], apiVersions: [''], resources: [''] }),
      [
        'rules[0].apiGroups: Required value',
        'rules[0].apiVersions[0]: Required value',
        'rules[0].resources[0]: Required value',
      ],
    ],
    [
      'of resources twice',
      withRule({ resources: ['pods/*', 'pods/status', '*/scale', 'jobs/scale'] }),
      [
        `rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`,
        `rules[0].resources[3]: Invalid value: "jobs/scale": if '*/scale' is present, must not specify jobs/scale`,
      ],
    ],
    [
      'of all resources and one',
      withRule({ resources: ['*', 'pods'] }),
      [
        `rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      ],
    ],
    ['of one resource and all', withRule({ resources: ['pods', '*'] }), []],
    [
      'of an odd scope',
      withRule({ scope: 'Odd' }),
      ['rules[0].scope: Unsupported value: "Odd": supported values: "*", "Cluster", "Namespaced"'],
    ],
    [
      'with odd policies',
      { failurePolicy: 'Odd', matchPolicy: 'Odd', timeoutSeconds: 31 },
      [
        'failurePolicy: Unsupported value: "Odd": supported values: "Fail", "Ignore"',
        'matchPolicy: Unsupported value: "Odd": supported values: "Equivalent", "Exact"',
        'timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
      ],
    ],
    [
      'with side effects',
      { sideEffects: 'Some' },
      ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"'],
    ],
    [
      'that does not say whether it has any',
      { sideEffects: undefined },
      ['sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    ],
    [
      'of no review',
      { admissionReviewVersions: [] },
      ['admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
    ],
    [
      'of an unknown review version',
      { admissionReviewVersions: ['v2', 'v2'] },
      [
        'admissionReviewVersions[1]: Invalid value: "v2": duplicate version',
        'admissionReviewVersions: Invalid value: ["v2","v2"]: must include at least one of v1, v1beta1',
      ],
    ],
    ['nowhere', called({}), ['clientConfig: Required value: exactly one of url or service is required']],
    [
      'in two places',
      called({ url: 'https://a', service: { namespace: 'n', name: 's' } }),
      ['clientConfig: Required value: exactly one of url or service is required'],
    ],
    [
      'in the clear',
      called({ url: 'http://user:secret@host/?q=1#f' }),
      [
        `clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; ${wanted}`,
        'clientConfig.url: Invalid value: "user:secret": user information is not permitted in the URL',
        'clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
        'clientConfig.url: Invalid value: "q=1": query parameters are not permitted in the URL',
      ],
    ],
    [
      'on no host',
      called({ url: 'https:///x' }),
      [`clientConfig.url: Invalid value: "": host must be specified; ${wanted}`],
    ],
    [
      'on an odd port',
      called({ url: 'https://a:b/x' }),
      [
        `clientConfig.url: Required value: url must be a valid URL: parse "https://a:b/x": invalid port ":b" after host; ${wanted}`,
      ],
    ],
    [
      'on a path with a broken escape',
      called({ url: 'https://a/%zzz' }),
      [
        `clientConfig.url: Required value: url must be a valid URL: parse "https://a/%zzz": invalid URL escape "%zz"; ${wanted}`,
      ],
    ],
    [
      'of no service',
      service({ namespace: '', name: '', port: 0 }),
      [
        'clientConfig.service.name: Required value',
        'clientConfig.service.namespace: Required value',
        'clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      ],
    ],
    [
      'on an odd path',
      service({ path: 'a/b//c' }),
      [
        `clientConfig.service.path: Invalid value: "a/b//c": must start with a '/'`,
        'clientConfig.service.path: Invalid value: "a/b//c": segment[0] may not be empty',
        'clientConfig.service.path: Invalid value: "a/b//c": segment[2] may not be empty',
      ],
    ],
    [
      'with conditions without a name',
      { matchConditions: [{ expression: ' ', name: '' }] },
      ['matchConditions[0].expression: Required value', 'matchConditions[0].name: Required value'],
    ],
    [
      'with conditions of one name',
      { matchConditions: ['a', 'a'].map((name) => ({ name, expression: 'true' })) },
      ['matchConditions[1].name: Duplicate value: "a"'],
    ],
    [
      'with too many conditions',
      { matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `a${i}`, expression: 'true' })) },
      ['matchConditions: Too many: 65: must have at most 64 items'],
    ],
    [
      'with an odd selector',
      {
        objectSelector: { matchLabels: { a: '-' } },
        namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] },
      },
      [
        'namespaceSelector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        expect.stringContaining('objectSelector.matchLabels: Invalid value: "-"') as string,
      ],
    ],
  ])('%s', (_, change, expected) => {
    const found = rules.complaints({ webhooks: [{ ...hook, ...change }] });
    expect(found.map((line) => line.replace('webhooks[0].', ''))).toEqual(expected);
  });

  test('names are unique', () => {
    expect(rules.complaints({ webhooks: [hook, hook] })).toEqual(['webhooks[1].name: Duplicate value: "a.b.example"']);
  });
});

test('only a mutating webhook is called again', () => {
  expect(mutating.create({ webhooks: [{ ...hook, reinvocationPolicy: 'Odd' }] })).toEqual([
    'NotSupported webhooks[0].reinvocationPolicy',
  ]);
});

describe('a change', () => {
  const loose = { ...hook, sideEffects: 'Unknown', admissionReviewVersions: ['v0'] };

  test('has to be as good as what was there', () => {
    expect(validating.update({ webhooks: [loose] }, { webhooks: [hook] })).toEqual([
      'NotSupported webhooks[0].sideEffects',
      'Invalid webhooks[0].admissionReviewVersions',
    ]);
  });

  test('need not be better', () => {
    expect(validating.update({ webhooks: [loose, loose] }, { webhooks: [loose, loose] })).toEqual([]);
  });
});

test('the older version asks for less', () => {
  const { sideEffects: _, admissionReviewVersions: __, ...least } = hook;
  expect(older.create({ webhooks: [least, least] })).toEqual([]);
  expect(validating.create({ webhooks: [least] })).not.toEqual([]);
});

test('the table counts webhooks', () => {
  expect(validating.cells({ webhooks: [hook, hook] })).toMatchObject({ Name: 'x', Webhooks: 2 });
});
